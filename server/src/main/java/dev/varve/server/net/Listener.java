package dev.varve.server.net;

import io.netty.channel.Channel;
import io.vertx.core.Future;
import io.vertx.core.net.NetServer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** One address and port, from which all loops take connections. Any thread. */
final class Listener {
  private final List<NetServer> servers = new CopyOnWriteArrayList<>();
  private volatile @Nullable Channel acceptor;

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
    if (its != null) {
      // A server that Vert.x closes takes its connections along.
      return Future.future(promise -> its.close().addListener(done -> promise.complete()));
    }
    return Future.join(servers.stream().map(NetServer::close).toList());
  }
}
