package dev.varve.server.net.follow;

import dev.varve.codec.dump.RdbImport;
import dev.varve.server.command.Session;
import dev.varve.server.command.run.Following;
import dev.varve.server.command.run.Keyspace;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The socket to the master: says who this is, hands on all data if that comes, and then what the
 * master writes, to the handler behind it.
 *
 * <p>On its event loop, the keyspace loop.
 */
final class MasterLink extends ChannelInboundHandlerAdapter {
  private static final String CLOSED = "it has closed the connection";
  private static final int LINE_BYTES_MAX = 4 << 10;

  /** How much of all data waits here to be read. */
  private static final long HELD_BYTES_MAX =
      Math.min(4 << 20, Runtime.getRuntime().maxMemory() / 32);

  /** A sign of life for a master whose data is being read. */
  private static final byte[] ALIVE = {'\n'};

  /** What becomes of it. */
  interface Owner {

    /** Something has come. */
    void heard();

    /** All data comes by {@code dump}, for a worker to read. */
    void everything(MasterLink link, Handshake shaken, DumpFrame frame, DumpPipe dump);

    /** What this server has not heard yet comes next: a handler takes it. */
    Session rest(MasterLink link, Handshake shaken);

    /** It is over, once. */
    void ended(MasterLink link, String why);
  }

  private enum State {
    GREETING,
    /** All data will come. */
    BEFORE_DUMP,
    DUMP,
    /** It has come, and is being read. */
    AFTER_DUMP,
    STREAM,
    OVER
  }

  private final Owner owner;
  private final Channel channel;
  private final Handshake handshake;
  private final ByteBuf unread = Unpooled.buffer();
  private State state = State.GREETING;
  private boolean isRefused;
  private @Nullable DumpFrame frame;
  private @Nullable DumpPipe dump;
  private @Nullable Session session;

  MasterLink(Owner owner, Channel channel, Handshake handshake) {
    this.owner = owner;
    this.channel = channel;
    this.handshake = handshake;
  }

  Channel channel() {
    return channel;
  }

  /** Begins to speak. */
  void begin() {
    if (channel.isActive()) {
      send(handshake.request());
    } else {
      end(CLOSED);
    }
  }

  private void send(byte[] bytes) {
    channel.writeAndFlush(Unpooled.wrappedBuffer(bytes));
  }

  /** Whether what the master writes comes as it writes it. */
  boolean isStreaming() {
    return state == State.STREAM;
  }

  /** Whether the master has said that it is not to be followed, now or later. */
  boolean isRefusedForGood() {
    return isRefused && !handshake.isRefusedForNow();
  }

  /** Whether it is the master's turn to say something. */
  boolean isAwaited() {
    return state != State.AFTER_DUMP && !(dump != null && dump.isFull());
  }

  /** How much of all data has come. */
  Following.Transfer transfer() {
    DumpFrame its = frame;
    if (its == null) {
      return Following.Transfer.NONE;
    }
    long length = its.length();
    return new Following.Transfer(its.takenBytes(), length == RdbImport.TO_ITS_END ? 0 : length);
  }

  /** Tells the master that this server is there, and how far. */
  void tell(Keyspace keyspace) {
    switch (state) {
      case STREAM -> tellOffsets(keyspace);
      case DUMP, AFTER_DUMP -> send(ALIVE);
      default -> {}
    }
  }

  private void tellOffsets(Keyspace keyspace) {
    Session its = session;
    String offset = Long.toString(keyspace.following().offset());
    long synced = its == null ? -1 : keyspace.syncedOffset(its);
    send(
        synced < 0
            ? Handshake.request("REPLCONF", "ACK", offset)
            : Handshake.request("REPLCONF", "ACK", offset, "FACK", Long.toString(synced)));
  }

  /** All data is here: what the master has written since comes next. */
  void loaded() {
    if (state == State.AFTER_DUMP) {
      stream();
    }
  }

  /** Ends it. */
  void end(String why) {
    if (state == State.OVER) {
      return;
    }
    if (session != null) {
      // What has come and not begun will come again.
      session.kill();
    }
    if (state == State.DUMP && dump != null) {
      dump.fail(new IOException(why));
    }
    state = State.OVER;
    unread.clear();
    channel.close();
    owner.ended(this, why);
  }

  // What comes ------------------------------------------------------------------------------------

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    owner.heard();
    if (state == State.STREAM) {
      context.fireChannelRead(message);
      return;
    }
    ByteBuf bytes = (ByteBuf) message;
    try {
      if (state != State.OVER) {
        unread.discardReadBytes().writeBytes(bytes);
        read();
      }
    } catch (IOException wrong) {
      end(String.valueOf(wrong.getMessage()));
    } finally {
      bytes.release();
    }
  }

  private void read() throws IOException {
    while (state == State.GREETING || state == State.BEFORE_DUMP) {
      String line = line();
      if (line == null) {
        return;
      }
      if (!line.isEmpty()) {
        // An empty one says that the master is at work.
        take(line);
      }
    }
    DumpFrame its = frame;
    DumpPipe pipe = dump;
    if (state == State.DUMP && its != null && pipe != null) {
      if (its.take(unread, pipe::add)) {
        state = State.AFTER_DUMP;
        pipe.end();
      }
      channel.config().setAutoRead(state == State.DUMP && !pipe.isFull());
    }
  }

  /** The next line without its end, or null if it has not all come. */
  private @Nullable String line() throws IOException {
    int bytes = unread.bytesBefore((byte) '\n');
    if (bytes < 0) {
      if (unread.readableBytes() > LINE_BYTES_MAX) {
        throw new IOException("it does not speak as a master does");
      }
      return null;
    }
    String line = unread.readCharSequence(bytes, StandardCharsets.ISO_8859_1).toString();
    unread.skipBytes(1);
    return line.endsWith("\r") ? line.substring(0, bytes - 1) : line;
  }

  private void take(String line) throws IOException {
    if (state == State.BEFORE_DUMP) {
      DumpFrame its = new DumpFrame(line);
      DumpPipe pipe = new DumpPipe(HELD_BYTES_MAX, this::readOn);
      frame = its;
      dump = pipe;
      state = State.DUMP;
      owner.everything(this, handshake, its, pipe);
      return;
    }
    switch (handshake.replied(line)) {
      case ASK -> send(handshake.request());
      case EVERYTHING -> state = State.BEFORE_DUMP;
      case REST -> stream();
      case REFUSED -> {
        isRefused = true;
        throw new IOException(handshake.refusal());
      }
    }
  }

  /** By the worker that reads. */
  private void readOn() {
    channel
        .eventLoop()
        .execute(
            () -> {
              owner.heard();
              channel.config().setAutoRead(state == State.DUMP);
            });
  }

  private void stream() {
    state = State.STREAM;
    session = owner.rest(this, handshake);
    if (unread.isReadable()) {
      ChannelHandlerContext here = channel.pipeline().context(this);
      here.fireChannelRead(unread.copy());
      here.fireChannelReadComplete();
      unread.clear();
    }
    channel.config().setAutoRead(true);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    if (state == State.STREAM) {
      context.fireChannelReadComplete();
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof ChannelInputShutdownEvent) {
      end(CLOSED);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    end(CLOSED);
    context.fireChannelInactive();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    end(String.valueOf(cause.getMessage()));
  }
}
