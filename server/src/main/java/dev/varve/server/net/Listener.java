package dev.varve.server.net;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.vertx.core.Future;
import io.vertx.core.net.NetServer;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One address and port, from which all loops take connections. Any thread. */
final class Listener {
  private static final Logger LOG = LoggerFactory.getLogger(Listener.class);

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
    if (acceptor == null) {
      Channel its = connection.parent();
      acceptor = its;
      // Two loops may do so, each with its first connection: the second one is never reached.
      its.pipeline().addLast(new Refusals());
    }
  }

  /**
   * Writes a line where the system has no connection to give, mostly for want of descriptors. Netty
   * tries again in a second, and would write a page each time.
   */
  private static final class Refusals extends ChannelInboundHandlerAdapter {
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable failure) {
      if (failure instanceof IOException) {
        LOG.warn("a connection cannot be taken: {}", failure.getMessage());
      } else {
        context.fireExceptionCaught(failure);
      }
    }
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
