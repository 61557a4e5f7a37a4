package dev.varve.server.net.loop;

import io.netty.channel.Channel;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * One event loop: takes its share of the connections.
 *
 * <p>Any thread.
 */
public final class LoopVerticle extends VerticleBase {
  // Of the event loop.
  private final List<NetServer> listening = new ArrayList<>();

  LoopVerticle() {}

  /** What it runs in, once it is deployed. */
  public ContextInternal context() {
    return (ContextInternal) context;
  }

  /**
   * Begins to take connections; the port that it really has.
   *
   * @param place has what it is given listen somewhere
   * @param onListening told of what takes them, on the event loop
   * @param onConnection given each of them, on the event loop
   */
  public Future<Integer> listen(
      NetServerOptions options,
      Function<NetServer, Future<NetServer>> place,
      Consumer<NetServer> onListening,
      Consumer<Channel> onConnection) {
    return Future.future(
        promise ->
            context.runOnContext(
                ignored -> {
                  NetServer socketServer = vertx.createNetServer(options);
                  listening.add(socketServer);
                  onListening.accept(socketServer);
                  socketServer.connectHandler(socket -> onConnection.accept(channel(socket)));
                  place.apply(socketServer).map(NetServer::actualPort).onComplete(promise);
                }));
  }

  private static Channel channel(NetSocket socket) {
    return ((NetSocketInternal) socket).channelHandlerContext().channel();
  }

  /** Takes no more connections and closes those that it has. */
  Future<?> stopListening() {
    return Future.future(
        promise ->
            context.runOnContext(
                ignored -> {
                  List<Future<Void>> closing = new ArrayList<>();
                  listening.forEach(each -> closing.add(each.close()));
                  Future.join(closing).onComplete(done -> promise.complete());
                }));
  }
}
