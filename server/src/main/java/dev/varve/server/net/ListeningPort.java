package dev.varve.server.net;

import dev.varve.server.config.BindAddress;
import dev.varve.server.config.Parameters;
import dev.varve.server.config.Settings;
import dev.varve.server.net.loop.LoopVerticle;
import dev.varve.server.net.loop.ServerLoop;
import dev.varve.server.net.loop.ServerThreads;
import io.netty.channel.Channel;
import io.vertx.core.net.NetServerOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One port on all addresses of {@code bind}, each shared by all loops.
 *
 * <p>Called by threads that may block.
 */
final class ListeningPort {
  private static final Logger LOG = LoggerFactory.getLogger(ListeningPort.class);

  /** What systems say of a port that another process has, see strerror of EADDRINUSE. */
  private static final String IN_USE = "in use";

  /** How to take any free port; Vert.x gives it to all of its loops together. */
  static final int ANY = -1;

  private final Settings settings;
  private final Map<LoopVerticle, ServerLoop> loops;
  private final BiConsumer<Channel, ServerLoop> onConnection;
  private final List<Listener> opened = new ArrayList<>();
  private int number;

  private ListeningPort(
      Settings settings,
      Map<LoopVerticle, ServerLoop> loops,
      int number,
      BiConsumer<Channel, ServerLoop> onConnection) {
    this.settings = settings;
    this.loops = loops;
    this.number = number;
    this.onConnection = onConnection;
  }

  /** Nowhere, which is port 0. */
  static ListeningPort none(Settings settings) {
    return new ListeningPort(settings, Map.of(), 0, (channel, loop) -> {});
  }

  /**
   * Begins to listen.
   *
   * @param wanted the port, or {@link #ANY}
   * @param onConnection given each connection, on the loop that it is to stay with
   * @throws IOException saying where and why it cannot
   */
  static ListeningPort open(
      Settings settings,
      Map<LoopVerticle, ServerLoop> loops,
      int wanted,
      BiConsumer<Channel, ServerLoop> onConnection)
      throws IOException {
    ListeningPort port = new ListeningPort(settings, loops, wanted, onConnection);
    port.listen();
    return port;
  }

  /** The port that it is, or 0 if it is none. */
  int number() {
    return number;
  }

  private void listen() throws IOException {
    IOException unavailable = null;
    int wanted = number;
    for (BindAddress address : BindAddress.all(settings)) {
      Listener listener = Listener.over(loops);
      try {
        number =
            listener.listen(
                options(), server -> server.listen(wanted, address.host()), onConnection);
        opened.add(listener);
        if (address.isAll()) {
          break;
        }
      } catch (IOException reason) {
        close(List.of(listener));
        IOException failure = cannotListen(address.host(), wanted, reason);
        if (!isDoneWithout(address, failure)) {
          close();
          throw failure;
        }
        LOG.info("{}; bind says that it may be so", failure.getMessage());
        unavailable = failure;
      }
    }
    if (opened.isEmpty() && unavailable != null) {
      throw unavailable;
    }
  }

  private static boolean isDoneWithout(BindAddress address, IOException failure) {
    return address.isOptional() && !String.valueOf(failure.getMessage()).contains(IN_USE);
  }

  private static IOException cannotListen(String host, int wanted, IOException failure) {
    return new IOException(
        "cannot listen on " + host + ':' + Math.max(0, wanted) + ": " + failure.getMessage(),
        failure);
  }

  /**
   * Fails as {@link #open} would. What it asks with is no listening socket: clients who come
   * meanwhile are refused, as before it, and not taken and let go.
   *
   * @throws IOException saying where and why it cannot
   */
  static void require(Settings settings, int wanted) throws IOException {
    for (BindAddress address : BindAddress.all(settings)) {
      try (Socket socket = new Socket()) {
        socket.setReuseAddress(true);
        socket.bind(new InetSocketAddress(address.host(), wanted));
        if (address.isAll()) {
          return;
        }
      } catch (IOException failure) {
        if (!isDoneWithout(address, failure)) {
          throw cannotListen(address.host(), wanted, failure);
        }
      }
    }
  }

  /** Takes no more connections; those that there are stay. */
  void close() {
    close(opened);
  }

  private static void close(List<Listener> listeners) {
    for (Listener each : listeners) {
      try {
        ServerThreads.await(each.close());
      } catch (IOException failure) {
        LOG.warn("a port could not be closed: {}", failure.getMessage());
      }
    }
  }

  private NetServerOptions options() {
    return new NetServerOptions()
        .setTcpNoDelay(true)
        .setAcceptBacklog(settings.integer(Parameters.TCP_BACKLOG));
  }
}
