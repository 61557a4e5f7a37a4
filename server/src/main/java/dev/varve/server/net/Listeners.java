package dev.varve.server.net;

import dev.varve.server.config.ConfigException;
import dev.varve.server.config.Parameters;
import dev.varve.server.config.Settings;
import io.netty.channel.EventLoop;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.net.NetServerOptions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where a server takes connections from: one port on several addresses, each shared by all loops.
 *
 * <p>Called by threads that may block.
 */
final class Listeners {
  private static final Logger LOG = LoggerFactory.getLogger(Listeners.class);
  private static final long SECONDS_MAX = 60;

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
    int actual = wanted;
    for (String host : settings.text(Parameters.BIND).trim().split("\\s+")) {
      Listener listener = new Listener(acceptorLoop());
      opened.add(listener);
      for (Map.Entry<LoopVerticle, ServerLoop> loop : loops.entrySet()) {
        try {
          actual =
              await(
                  loop.getKey()
                      .listen(connections, loop.getValue(), listener, options(host, wanted)));
        } catch (IOException failure) {
          closeAll(opened);
          throw new IOException(
              "cannot listen on " + host + ':' + Math.max(0, wanted) + ": " + reason(failure),
              failure);
        }
      }
    }
    port = actual;
    return opened;
  }

  private EventLoop acceptorLoop() {
    return loops.keySet().iterator().next().context().owner().acceptorEventLoopGroup().next();
  }

  private static void closeAll(List<Listener> listeners) {
    for (Listener each : listeners) {
      try {
        await(each.close());
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
        .setTcpKeepAlive(settings.integer(Parameters.TCP_KEEPALIVE) > 0)
        .setAcceptBacklog(settings.integer(Parameters.TCP_BACKLOG));
  }

  /** Waits for what loops do, which take no notice of the thread that waits. */
  static <T> T await(Future<T> future) throws IOException {
    try {
      return future.toCompletionStage().toCompletableFuture().get(SECONDS_MAX, TimeUnit.SECONDS);
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", stopping);
    } catch (ExecutionException | TimeoutException failure) {
      throw new IOException(failure.toString(), failure.getCause());
    }
  }
}
