package dev.varve.server.net;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import dev.varve.server.net.loop.LoopVerticle;
import dev.varve.server.net.loop.ServerLoop;
import dev.varve.server.net.loop.ServerThreads;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.vertx.core.Future;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetServerOptions;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One address, from which all loops take connections. Any thread, but to listen. */
final class Listener {
  private static final Logger LOG = LoggerFactory.getLogger(Listener.class);

  /** The port is free once its loop has selected again: what is scheduled runs after that. */
  private static final long PASS_MILLIS = 1;

  private final List<NetServer> servers = new CopyOnWriteArrayList<>();
  private final Map<LoopVerticle, ServerLoop> loops;
  private final EventLoop idleAcceptor;
  private volatile @Nullable Channel acceptor;

  /**
   * @param acceptor the loop that takes connections, for as long as none has shown which it is
   */
  Listener(Map<LoopVerticle, ServerLoop> loops, EventLoop acceptor) {
    this.loops = loops;
    this.idleAcceptor = acceptor;
  }

  /** One that does not listen yet. */
  static Listener over(Map<LoopVerticle, ServerLoop> loops) {
    LoopVerticle any = loops.keySet().iterator().next();
    return new Listener(loops, any.context().owner().acceptorEventLoopGroup().next());
  }

  /**
   * Begins to listen. By a thread that may block.
   *
   * @param place has what it is given listen somewhere: the same for each loop
   * @param onConnection given each connection, on the loop that it is to stay with
   * @return the port that it really has
   * @throws IOException with the system's reason
   */
  int listen(
      NetServerOptions options,
      Function<NetServer, Future<NetServer>> place,
      BiConsumer<Channel, ServerLoop> onConnection)
      throws IOException {
    int port = 0;
    for (Map.Entry<LoopVerticle, ServerLoop> loop : loops.entrySet()) {
      try {
        port =
            ServerThreads.await(
                loop.getKey()
                    .listen(
                        options,
                        place,
                        servers::add,
                        channel -> {
                          onConnection.accept(channel, loop.getValue());
                          took(channel);
                        }));
      } catch (IOException failure) {
        Throwable cause = failure.getCause();
        throw new IOException(
            String.valueOf(cause == null ? failure.getMessage() : cause.getMessage()), failure);
      }
    }
    return port;
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
