package dev.varve.server.net;

import dev.varve.server.command.Session;
import io.netty.buffer.Unpooled;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelOption;
import io.netty.util.NetUtil;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One event loop: takes its share of the connections, and puts Varve's handler into their
 * pipelines.
 *
 * <p>Its methods run on its event loop, except where it says otherwise.
 */
final class LoopVerticle extends VerticleBase {

  private static final Logger LOG = LoggerFactory.getLogger(LoopVerticle.class);

  private static final int READ_BYTES_MIN = 512;
  private static final int READ_BYTES_FIRST = 4 * 1024;
  private static final int READ_BYTES_MAX = 64 * 1024;

  /**
   * What one read of each client may bring takes no more than this part of the heap, before it is
   * cut into requests, which take several times as much.
   */
  private static final int READ_HEAP_PART = 256;

  /**
   * How Vert.x names its own handler. Ours takes its place: with it goes what Vert.x holds for each
   * socket, which is more than half of what an idle connection costs.
   */
  private static final String VERTX_HANDLER = "handler";

  private static final byte[] TOO_MANY =
      "-ERR max number of clients reached\r\n".getBytes(StandardCharsets.US_ASCII);

  private static final byte[] DENIED =
      (ProtectedMode.DENIED + "\r\n").getBytes(StandardCharsets.US_ASCII);

  private final List<NetServer> listening = new ArrayList<>();

  /** What it runs in, once it is deployed. Any thread. */
  ContextInternal context() {
    return (ContextInternal) context;
  }

  /** Begins to take connections; the port that it really has. Any thread. */
  Future<Integer> listen(
      ConnectionContext itsServer,
      ServerLoop itsLoop,
      Listener listener,
      NetServerOptions options) {
    return Future.future(
        promise ->
            context.runOnContext(
                ignored -> {
                  NetServer socketServer = vertx.createNetServer(options);
                  listening.add(socketServer);
                  listener.add(socketServer);
                  socketServer
                      .connectHandler(
                          socket -> listener.took(connected(itsServer, itsLoop, socket)))
                      .listen()
                      .map(NetServer::actualPort)
                      .onComplete(promise);
                }));
  }

  /** Takes no more connections and closes those that it has. Any thread. */
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

  private static Channel connected(ConnectionContext server, ServerLoop loop, NetSocket socket) {
    Channel channel = ((NetSocketInternal) socket).channelHandlerContext().channel();
    try {
      return connected(server, loop, channel);
    } catch (OutOfMemoryError noMemory) {
      // Nobody would answer it.
      channel.close();
      LOG.error("a client was not let in: {}", noMemory.toString());
      return channel;
    }
  }

  private static Channel connected(ConnectionContext server, ServerLoop loop, Channel channel) {
    if (server.isDenied(channel.remoteAddress(), channel.localAddress())) {
      server.clients().countRejected();
      return turnedAway(channel, DENIED);
    }
    Session session =
        new Session(
            server.clients().nextId(),
            text(channel.remoteAddress()),
            text(channel.localAddress()),
            System.currentTimeMillis(),
            !server.isPasswordNeeded());
    long heapBytesMax = Runtime.getRuntime().maxMemory();
    int number = server.clients().count() + 1;
    channel.config().setWriteBufferWaterMark(WriteMarks.of(heapBytesMax, number));
    channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
    long readBytesMax = Math.max(READ_BYTES_FIRST, heapBytesMax / READ_HEAP_PART / number);
    // One read of a socket per pass: a long pipeline of one client does not keep the others
    // waiting.
    channel
        .config()
        .setRecvByteBufAllocator(
            new AdaptiveRecvByteBufAllocator(
                    READ_BYTES_MIN, READ_BYTES_FIRST, (int) Math.min(READ_BYTES_MAX, readBytesMax))
                .maxMessagesPerRead(1));
    Connection connection = new Connection(server, loop, session, channel);
    if (!server.clients().add(session, connection::close, server.clientsMax())) {
      return turnedAway(channel, TOO_MANY);
    }
    try {
      channel.pipeline().replace(VERTX_HANDLER, "varve", connection);
    } catch (OutOfMemoryError noMemory) {
      server.clients().remove(session);
      throw noMemory;
    }
    return channel;
  }

  private static Channel turnedAway(Channel channel, byte[] why) {
    channel.writeAndFlush(Unpooled.wrappedBuffer(why)).addListener(ChannelFutureListener.CLOSE);
    return channel;
  }

  /** As Redis writes it: {@code 127.0.0.1:6379}, {@code [::1]:6379}. */
  private static String text(@Nullable SocketAddress address) {
    return address instanceof InetSocketAddress its ? NetUtil.toSocketAddressString(its) : "?:0";
  }
}
