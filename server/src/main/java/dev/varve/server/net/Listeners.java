package dev.varve.server.net;

import dev.varve.server.config.BindAddress;
import dev.varve.server.config.ConfigException;
import dev.varve.server.config.Parameters;
import dev.varve.server.config.Settings;
import dev.varve.server.net.connection.Admission;
import dev.varve.server.net.connection.ConnectionContext;
import dev.varve.server.net.loop.LoopVerticle;
import dev.varve.server.net.loop.ServerLoop;
import dev.varve.server.net.loop.ServerThreads;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.vertx.core.Context;
import io.vertx.core.net.NetServerOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where a server takes connections from: one port on several addresses, each shared by all loops.
 *
 * <p>Called by threads that may block.
 */
final class Listeners {
  private static final Logger LOG = LoggerFactory.getLogger(Listeners.class);

  /** What systems say of a port that another process has, see strerror of EADDRINUSE. */
  private static final String IN_USE = "in use";

  /** How to take any free port; Vert.x gives it to all of its loops together. */
  private static final int ANY_PORT = -1;

  private final Settings settings;
  private final ConnectionContext connections;
  private final Map<LoopVerticle, ServerLoop> loops;
  private List<Listener> current = List.of();
  private volatile int port;

  /**
   * @param loops each with what runs its commands
   */
  Listeners(Settings settings, ConnectionContext connections, Map<LoopVerticle, ServerLoop> loops) {
    this.settings = settings;
    this.connections = connections;
    this.loops = new LinkedHashMap<>(loops);
  }

  /** The port that it listens on. Any thread. */
  int port() {
    return port;
  }

  /**
   * Begins to listen, on any free port if the configuration says 0.
   *
   * @throws IOException saying where and why it cannot
   */
  synchronized void start() throws IOException {
    int wanted = settings.integer(Parameters.PORT);
    current = listen(wanted == 0 ? ANY_PORT : wanted);
  }

  /**
   * Goes on listening on another port; connections stay.
   *
   * @throws ConfigException with Redis's text when it cannot: then it listens where it did
   */
  synchronized void moveTo(int wanted) throws ConfigException {
    if (wanted == port) {
      return;
    }
    if (wanted == 0 || Context.isOnEventLoopThread()) {
      throw new ConfigException(
          "Unable to listen on this port. It is 0, or asked for inside of MULTI.");
    }
    List<Listener> before = current;
    try {
      current = listen(wanted);
    } catch (IOException failure) {
      LOG.warn("{}; still on port {}", failure.getMessage(), port);
      throw new ConfigException("Unable to listen on this port. Check server logs.");
    }
    closeAll(before);
    LOG.info("listens on port {} from now on", port);
  }

  private List<Listener> listen(int wanted) throws IOException {
    List<Listener> opened = new ArrayList<>();
    IOException unavailable = null;
    int actual = wanted;
    for (BindAddress address : BindAddress.all(settings)) {
      Listener listener = new Listener(acceptorLoop());
      try {
        actual = listen(listener, address.host(), wanted);
        opened.add(listener);
        if (address.isAll()) {
          break;
        }
      } catch (IOException failure) {
        closeAll(List.of(listener));
        if (!isDoneWithout(address, failure)) {
          closeAll(opened);
          throw failure;
        }
        LOG.info("{}; bind says that it may be so", failure.getMessage());
        unavailable = failure;
      }
    }
    if (opened.isEmpty() && unavailable != null) {
      throw unavailable;
    }
    port = actual;
    return opened;
  }

  private int listen(Listener listener, String host, int wanted) throws IOException {
    int actual = wanted;
    for (Map.Entry<LoopVerticle, ServerLoop> loop : loops.entrySet()) {
      try {
        actual =
            ServerThreads.await(
                loop.getKey()
                    .listen(
                        options(host, wanted),
                        listener::add,
                        channel -> connected(channel, loop.getValue(), listener)));
      } catch (IOException failure) {
        throw cannotListen(host, wanted, reason(failure), failure);
      }
    }
    return actual;
  }

  private void connected(Channel channel, ServerLoop loop, Listener listener) {
    Admission.decide(channel, loop, connections);
    listener.took(channel);
  }

  private static boolean isDoneWithout(BindAddress address, IOException failure) {
    return address.isOptional() && !String.valueOf(failure.getMessage()).contains(IN_USE);
  }

  private static IOException cannotListen(
      String host, int wanted, String reason, IOException failure) {
    return new IOException(
        "cannot listen on " + host + ':' + Math.max(0, wanted) + ": " + reason, failure);
  }

  /**
   * Fails as {@link #start} would, so that nothing is done for a server that cannot listen. What it
   * asks with is no listening socket: clients who come meanwhile are refused, as before it, and not
   * taken and let go.
   *
   * @throws IOException saying where and why it cannot
   */
  static void require(Settings settings) throws IOException {
    int wanted = settings.integer(Parameters.PORT);
    if (wanted == 0) {
      return;
    }
    for (BindAddress address : BindAddress.all(settings)) {
      try (Socket socket = new Socket()) {
        socket.setReuseAddress(true);
        socket.bind(new InetSocketAddress(address.host(), wanted));
        if (address.isAll()) {
          return;
        }
      } catch (IOException failure) {
        if (!isDoneWithout(address, failure)) {
          throw cannotListen(address.host(), wanted, String.valueOf(failure.getMessage()), failure);
        }
      }
    }
  }

  private EventLoop acceptorLoop() {
    return loops.keySet().iterator().next().context().owner().acceptorEventLoopGroup().next();
  }

  private static void closeAll(List<Listener> listeners) {
    for (Listener each : listeners) {
      try {
        ServerThreads.await(each.close());
      } catch (IOException failure) {
        LOG.warn("a port could not be closed: {}", failure.getMessage());
      }
    }
  }

  private static String reason(IOException failure) {
    Throwable cause = failure.getCause();
    return String.valueOf(cause == null ? failure.getMessage() : cause.getMessage());
  }

  private NetServerOptions options(String host, int wanted) {
    return new NetServerOptions()
        .setHost(host)
        .setPort(wanted)
        .setTcpNoDelay(true)
        .setAcceptBacklog(settings.integer(Parameters.TCP_BACKLOG));
  }
}
