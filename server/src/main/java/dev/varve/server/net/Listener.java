package dev.varve.server.net;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.vertx.core.Future;
import io.vertx.core.net.NetServer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** One address and port, from which all loops take connections. Any thread. */
final class Listener {

  /** The port is free once its loop has selected again: what is scheduled runs after that. */
  private static final long PASS_MILLIS = 1;

  private final List<NetServer> servers = new CopyOnWriteArrayList<>();
  private final EventLoop idleAcceptor;
  private volatile @Nullable Channel acceptor;

  /**
   * @param acceptor the loop that takes connections, for as long as none has shown which it is
   */
  Listener(EventLoop acceptor) {
    idleAcceptor = acceptor;
  }

  /** One loop takes its share. */
  void add(NetServer server) {
    servers.add(server);
  }

  /** A connection was taken from it. */
  void took(Channel connection) {
    acceptor = connection.parent();
  }

  /** Takes no more connections, and leaves those that there are alone. */
  Future<?> close() {
    Channel its = acceptor;
    if (its == null) {
      return free(Future.join(servers.stream().map(NetServer::close).toList()), idleAcceptor);
    }
    // A server that Vert.x closes takes its connections along.
    Future<?> closed =
        Future.future(promise -> its.close().addListener(done -> promise.complete()));
    return free(closed, its.eventLoop());
  }

  private static Future<?> free(Future<?> closed, EventLoop loop) {
    return closed.eventually(
        () ->
            Future.future(
                promise -> loop.schedule(() -> promise.complete(), PASS_MILLIS, MILLISECONDS)));
  }
}
