package dev.varve.server.net.connection;

import dev.varve.server.command.MasterFeed;
import dev.varve.server.command.Session;
import dev.varve.server.net.loop.ServerLoop;
import dev.varve.server.net.tls.TlsContext;
import io.netty.buffer.Unpooled;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelOption;
import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who of those that connect becomes a client: Varve's handler goes into the pipeline of his socket.
 *
 * <p>Stateless; used on the own loop of each connection.
 */
public final class NewClients {
  private static final Logger LOG = LoggerFactory.getLogger(NewClients.class);

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
  public static final String VERTX_HANDLER = "handler";

  private static final String HANDLER = "varve";

  /** How Redis ends the address of who has come by a file. */
  private static final String NO_PORT = ":0";

  private static final byte[] TOO_MANY =
      "-ERR max number of clients reached\r\n".getBytes(StandardCharsets.US_ASCII);

  private static final byte[] DENIED =
      (ProtectedMode.DENIED + "\r\n").getBytes(StandardCharsets.US_ASCII);

  private NewClients() {}

  /** Makes a client of whoever has connected, or tells him why not. On {@code loop}, its own. */
  public static void decide(Channel channel, ServerLoop loop, ConnectionContext server) {
    decide(channel, loop, server, null);
  }

  /**
   * The same of whoever has come by a Unix socket.
   *
   * @param file where that is, or null for none: it is the address of both sides
   */
  public static void decide(
      Channel channel, ServerLoop loop, ConnectionContext server, @Nullable String file) {
    try {
      letIn(channel, loop, server, file);
    } catch (OutOfMemoryError noMemory) {
      // Nobody would answer it.
      channel.close();
      LOG.error("a client was not let in: {}", noMemory.toString());
    }
  }

  private static void letIn(
      Channel channel, ServerLoop loop, ConnectionContext server, @Nullable String file) {
    if (file == null && server.isDenied(channel.remoteAddress(), channel.localAddress())) {
      server.clients().countRejected();
      turnAway(channel, DENIED);
      return;
    }
    Session session = session(channel, server, file);
    session.rights(server.users().byDefault());
    if (file == null) {
      KeepAlive.set(channel, server.keepAliveSeconds());
    }
    limit(channel, server);
    Connection connection = new Connection(server, loop, session, channel);
    if (!server.clients().add(session, connection::close, server.clientsMax())) {
      if (TlsContext.isOn(channel)) {
        // He could be told after a handshake only, of which there would be as many as there are who
        // want to come. Redis drops him too.
        channel.close();
      } else {
        turnAway(channel, TOO_MANY);
      }
      return;
    }
    try {
      channel.pipeline().replace(VERTX_HANDLER, HANDLER, connection);
    } catch (OutOfMemoryError noMemory) {
      server.clients().remove(session);
      throw noMemory;
    }
  }

  private static Session session(Channel channel, ConnectionContext server, @Nullable String file) {
    return new Session(
        server.clients().nextId(),
        file == null ? text(channel.remoteAddress()) : file + NO_PORT,
        file == null ? text(channel.localAddress()) : file + NO_PORT,
        System.currentTimeMillis(),
        server.users().byDefault().areOpen());
  }

  /**
   * Makes the master a client of this server, which has connected to it: what it writes comes as
   * requests, and runs as those of others do. On {@code loop}, which is the socket's own.
   *
   * @param feed makes what is told of its requests
   */
  public static Session follow(
      Channel channel,
      ServerLoop loop,
      ConnectionContext server,
      Function<Session, MasterFeed> feed) {
    Session session = session(channel, server, null);
    session.followed(feed.apply(session));
    limit(channel, server);
    Connection connection = new Connection(server, loop, session, channel);
    server.clients().addMaster(session, connection::close);
    channel.pipeline().addLast(HANDLER, connection);
    return session;
  }

  /** Says how much a socket reads at once, and is given to write. */
  private static void limit(Channel channel, ConnectionContext server) {
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
  }

  private static void turnAway(Channel channel, byte[] why) {
    channel.writeAndFlush(Unpooled.wrappedBuffer(why)).addListener(ChannelFutureListener.CLOSE);
  }

  /** As Redis writes it: {@code 127.0.0.1:6379}, {@code [::1]:6379}. */
  private static String text(@Nullable SocketAddress address) {
    return address instanceof InetSocketAddress its ? NetUtil.toSocketAddressString(its) : "?:0";
  }
}
