package dev.varve.server.net.follow;

import dev.varve.server.command.run.Following;
import dev.varve.server.config.ConfigException;
import dev.varve.server.config.ReplicationParameters;
import dev.varve.server.config.Settings;
import dev.varve.server.net.connection.NewClients;
import dev.varve.server.net.loop.Dialer;
import dev.varve.server.net.loop.ServerLoop;
import dev.varve.server.net.tls.TlsContext;
import io.netty.channel.Channel;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.NetSocket;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Opens connections to masters, with TLS where that is wanted, and puts handlers on their sockets.
 *
 * <p>Keyspace loop, but for what says otherwise.
 */
final class MasterDialer {
  private static final String HANDLER = "varve-master";

  private final Settings settings;
  private final Dialer dialer;
  private final ServerLoop loop;
  private final Executor worker;
  private final Executor handshakes;

  /** What comes of a connection. */
  interface Receiver {

    /** There is one; the handler that it is given has yet to speak. Null: it is not wanted. */
    @Nullable MasterLink connected(Channel channel);

    /** There is none, and this is why. */
    void failed(String why);
  }

  /**
   * @param dialer connects on the keyspace loop
   * @param worker reads files
   * @param handshakes runs what handshakes of TLS calculate
   */
  MasterDialer(
      Settings settings, Dialer dialer, ServerLoop loop, Executor worker, Executor handshakes) {
    this.settings = settings;
    this.dialer = dialer;
    this.loop = loop;
    this.worker = worker;
    this.handshakes = handshakes;
  }

  /** Opens one. */
  void dial(Following.Master master, Receiver receiver) {
    if (settings.number(ReplicationParameters.TLS) == 1) {
      worker.execute(() -> dialByTls(master, receiver));
    } else {
      dial(master, null, receiver);
    }
  }

  /** Reads the files for it first. On a worker. */
  private void dialByTls(Following.Master master, Receiver receiver) {
    try {
      TlsContext tls = TlsContext.readForClient(settings);
      loop.execute(() -> dial(master, tls, receiver));
    } catch (ConfigException wrong) {
      loop.execute(() -> receiver.failed(wrong.what()));
    }
  }

  private void dial(Following.Master master, @Nullable TlsContext tls, Receiver receiver) {
    long timeoutMillis = TimeUnit.SECONDS.toMillis(settings.number(ReplicationParameters.TIMEOUT));
    dialer
        .connect(master.host(), master.port(), (int) Math.min(Integer.MAX_VALUE, timeoutMillis))
        .onSuccess(socket -> loop.execute(() -> connected(socket, tls, receiver)))
        .onFailure(
            failure ->
                loop.execute(() -> receiver.failed("no connection: " + failure.getMessage())));
  }

  private void connected(NetSocket socket, @Nullable TlsContext tls, Receiver receiver) {
    Channel channel = ((NetSocketInternal) socket).channelHandlerContext().channel();
    MasterLink link = receiver.connected(channel);
    if (link == null) {
      channel.close();
      return;
    }
    channel.pipeline().replace(NewClients.VERTX_HANDLER, HANDLER, link);
    if (tls != null) {
      tls.addTo(channel, handshakes);
    }
    link.begin();
  }
}
