package dev.varve.server.net.connection;

import dev.varve.server.command.Message;
import dev.varve.server.command.Session;
import dev.varve.server.config.OutputBufferLimit;
import dev.varve.server.net.commit.GroupCommit;
import dev.varve.server.net.commit.HeldReplies;
import dev.varve.server.net.loop.ServerLoop;
import dev.varve.server.resp.RespEncoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection's replies on their way from the encoders of the loops to its socket: held back
 * until their commit is done, never overtaking each other, bounded by what the client reads.
 *
 * <p>Each method is for the own loop unless it says otherwise: <em>here</em> is the loop that has
 * the connection's turn.
 */
final class Replies implements GroupCommit.Waiter, HeldReplies.Target, SharedHeap.Client {
  private static final Logger LOG = LoggerFactory.getLogger(Replies.class);

  /** Replies are moved out of the loop's encoder when they are this long together. */
  private static final int DRAIN_BYTES = 64 * 1024;

  /** Replies that one turn may give at most before it looks whether the client reads. */
  private static final int TURN_BYTES_MAX = 1024 * 1024;

  /** What all clients together should be replied in one pass. */
  private static final int PASS_BYTES_MAX =
      (int) Math.min(16 * 1024 * 1024, Runtime.getRuntime().maxMemory() / 4);

  /** The place in a queue of what waits there. */
  private static final int PLACE_BYTES = 8;

  /** What an encoder keeps of its array after a large reply. */
  private static final int ENCODER_BYTES_KEPT = 256 * 1024;

  private final ConnectionContext server;
  private final ServerLoop own;
  private final ServerLoop keyspaceLoop;
  private final Session session;
  private final Channel channel;
  private final Runnable onRoom;
  private final Runnable onReturn;
  private final OutQueue out;

  /** Whether the socket is gone; set by the own loop. */
  private volatile boolean isSocketGone;

  // Of the own loop.
  private boolean isFlushScheduled;

  private boolean isAboveSoft;
  private long aboveSoftSinceNanos;

  // What ConnectionContext.unread() knows of, and compares with others.
  private volatile long unreadBytes;
  private volatile long heldBytes;

  /** The long reply that is on its way, or null; between its pieces nothing else may leave. */
  private @Nullable ReplyStream stream;

  private boolean isPieceWaiting;

  /** Whether messages wait for a reply that is made elsewhere, of what was there before them. */
  private boolean isReplyAwaited;

  /** What has to wait for that, or for the end of the long reply. */
  private final UnreadQueue behindReply;

  // Of whoever has the turn.
  private int turnBytes;

  /** From which on the next client has its turn. */
  private int turnBytesMax;

  /** Whether the own loop was told to let messages wait. */
  private boolean isMadeElsewhere;

  // Of the keyspace loop.
  private final HeldReplies held;
  private boolean isReplyReleased;

  /** What the last reply of the turn that is to be handed back waits for; 0 if none is. */
  private long returnTicket;

  /**
   * @param onRoom called on the own loop when held replies have left
   * @param onReturn called on the own loop, as {@link #thenReturn} says
   */
  Replies(
      ConnectionContext server,
      ServerLoop own,
      Session session,
      Channel channel,
      Runnable onRoom,
      Runnable onReturn) {
    this.server = server;
    this.own = own;
    this.keyspaceLoop = server.keyspaceLoop();
    this.session = session;
    this.channel = channel;
    this.onRoom = onRoom;
    this.onReturn = onReturn;
    this.out = new OutQueue(channel, server.traffic(), server.unread());
    this.behindReply = new UnreadQueue(server.unread());
    this.held = new HeldReplies(server.held());
  }

  // Whoever has the turn
  // ---------------------------------------------------------------------------

  /** Begins to count what a turn replies. */
  void beginTurn() {
    turnBytes = 0;
    turnBytesMax = turnBytesMax(server.clients().count());
  }

  /**
   * What one turn may reply beside so many clients: in one pass all of them may have a turn, and
   * leave what they are replied unread.
   */
  private static int turnBytesMax(int clients) {
    int share = PASS_BYTES_MAX / Math.max(1, clients);
    return Math.max(DRAIN_BYTES, Math.min(TURN_BYTES_MAX, share));
  }

  /** Whether the turn has replied nothing so far, as after CLIENT REPLY OFF. */
  boolean isTurnSilent() {
    return turnBytes == 0;
  }

  /** Moves replies on if they have become long, and returns whether this turn gave enough. Here. */
  boolean drainIfLong(ServerLoop here) {
    if (here.reply().length() >= DRAIN_BYTES) {
      drain(here);
    }
    return turnBytes >= turnBytesMax;
  }

  /**
   * A worker begins to make a reply of what is published by now. Of what is written meanwhile its
   * client is told behind it: who caches would else keep what was there before. Here, with nothing
   * held that came before.
   */
  void beginElsewhere(ServerLoop here) {
    isMadeElsewhere = session.isSubscriber() || session.tracking().isOn();
    if (isMadeElsewhere) {
      onOwn(here, () -> isReplyAwaited = true);
    }
  }

  /** It made none. Here. */
  void endElsewhere(ServerLoop here) {
    if (isMadeElsewhere) {
      isMadeElsewhere = false;
      onOwn(here, this::endReply);
    }
  }

  /** Adds a reply that was encoded elsewhere, the first bytes of an array. Here. */
  void add(ServerLoop here, byte[] reply, int bytes) {
    if (isMadeElsewhere) {
      turnBytes += Math.min(bytes, TURN_BYTES_MAX);
      // It waits for no commit, for it tells of what is published.
      ByteBuf its = Unpooled.wrappedBuffer(reply, 0, bytes);
      onOwn(here, () -> sendNow(its));
      endElsewhere(here);
    } else if (bytes <= DRAIN_BYTES) {
      here.reply().raw(reply, bytes);
    } else if (!isSocketGone) {
      drain(here);
      route(here, Unpooled.wrappedBuffer(reply, 0, bytes));
    }
  }

  /** A long reply that begins now, after what was replied so far. Here. */
  ReplyStream stream() {
    return new ReplyStream(this, own);
  }

  /** Sends off what was replied so far, because the turn goes elsewhere. Here. */
  void leave(ServerLoop here) {
    drain(here);
    if (here == own) {
      flush();
    }
  }

  /** Forgets what was encoded and not yet drained. Here. */
  void drop(ServerLoop here) {
    here.reply().clear(ENCODER_BYTES_KEPT);
  }

  /** Hands the turn back to the own loop once all replies have been released. Keyspace loop. */
  void thenReturn() {
    if (held.isEmpty()) {
      own.execute(onReturn);
    } else {
      returnTicket = held.lastTicket();
    }
  }

  /** Moves replies from the encoder of this loop towards the socket. */
  private void drain(ServerLoop here) {
    RespEncoder encoder = here.reply();
    int bytes = encoder.length();
    if (bytes == 0 || isSocketGone) {
      // What was taken back may have been long.
      encoder.clear(ENCODER_BYTES_KEPT);
      return;
    }
    route(here, take(encoder, bytes));
  }

  private void route(ServerLoop here, ByteBuf reply) {
    turnBytes += Math.min(reply.readableBytes(), TURN_BYTES_MAX);
    if (here == keyspaceLoop) {
      long ticket = server.commit().ticket();
      if (ticket != 0 || !held.isEmpty()) {
        beginToHold();
        held.add(reply, ticket);
        return;
      }
    }
    if (here == own) {
      send(reply);
    } else {
      own.execute(
          () -> {
            send(reply);
            flush();
          });
    }
  }

  private void onOwn(ServerLoop here, Runnable task) {
    if (here == own) {
      task.run();
    } else {
      own.execute(task);
    }
  }

  private ByteBuf take(RespEncoder encoder, int bytes) {
    if (bytes > ENCODER_BYTES_KEPT) {
      return Unpooled.wrappedBuffer(encoder.detach(), 0, bytes);
    }
    try {
      return channel.alloc().directBuffer(bytes).writeBytes(encoder.array(), 0, bytes);
    } finally {
      // Also when memory has run out: what stays would be the next client's.
      encoder.clear(ENCODER_BYTES_KEPT);
    }
  }

  // The keyspace loop
  // ------------------------------------------------------------------------------

  private void beginToHold() {
    if (held.isEmpty()) {
      server.commit().add(this);
    }
  }

  /** Sends a message that is no reply, after what is held back. Keyspace loop. */
  void push(Message message) {
    if (isSocketGone) {
      return;
    }
    long ticket = server.commit().ticket();
    if (ticket != 0 || !held.isEmpty()) {
      beginToHold();
      held.add(message, ticket);
      if (isTooMuch(held.bytes())) {
        own.execute(() -> closeFor(held.bytes()));
      }
    } else if (own == keyspaceLoop) {
      sendMessage(message);
    } else {
      own.execute(() -> sendMessage(message));
    }
  }

  @Override
  public boolean released(long ticket) {
    isReplyReleased = false;
    held.release(ticket, this);
    if (own == keyspaceLoop) {
      if (isReplyReleased) {
        flush();
      } else {
        // Thousands may get a message, and to flush takes a call of the system.
        flushSoon();
      }
      onRoom.run();
    } else {
      own.execute(this::flush);
      returnIfHeld();
    }
    return held.isEmpty();
  }

  @Override
  public void reply(ByteBuf released) {
    isReplyReleased = true;
    if (own == keyspaceLoop) {
      send(released);
    } else {
      own.execute(() -> send(released));
    }
  }

  @Override
  public void message(Message released) {
    if (own == keyspaceLoop) {
      send(released);
    } else {
      own.execute(() -> send(released));
    }
  }

  @Override
  public void failed() {
    held.drop();
    own.execute(channel::close);
    returnIfHeld();
  }

  private void returnIfHeld() {
    // Messages that came behind may wait for the next commit, and others behind them for ever.
    if (returnTicket != 0 && !held.isAnyUpTo(returnTicket)) {
      returnTicket = 0;
      own.execute(onReturn);
    }
  }

  /** Forgets replies that wait for their commit. Keyspace loop. */
  void dropHeld() {
    held.drop();
  }

  // The own loop
  // -----------------------------------------------------------------------------------

  private void send(ByteBuf reply) {
    if (isSocketGone) {
      reply.release();
      return;
    }
    if (stream == null && !isReplyAwaited) {
      sendNow(reply);
    } else {
      behindReply.add(reply);
      added();
    }
  }

  private void send(Message message) {
    if (isSocketGone) {
      return;
    }
    if (stream == null && !isReplyAwaited) {
      sendNow(message);
    } else {
      behindReply.add(message);
      added();
    }
  }

  private void sendNow(ByteBuf reply) {
    out.add(reply);
    added();
  }

  private void sendNow(Message message) {
    out.add(message);
    added();
  }

  private void added() {
    checkLimits();
    noteUnread();
    if (unreadBytes > 0) {
      server.unread().makeRoom(own);
    }
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
  private void noteUnread() {
    long places = (long) (out.count() + behindReply.count()) * PLACE_BYTES;
    long held = out.heldBytes() + behindReply.heldBytes() + places;
    long unread = Math.max(held, waitingBytes());
    if (held != heldBytes) {
      server.unread().grow(held - heldBytes);
      heldBytes = held;
    }
    if (unread != unreadBytes) {
      boolean changes = unread == 0 || unreadBytes == 0;
      unreadBytes = unread;
      if (changes) {
        server.unread().takes(this, unread > 0);
      }
    }
  }

  /** The memory that is taken by what the client leaves unread, but for messages. Any thread. */
  @Override
  public long heldBytes() {
    return heldBytes;
  }

  /** Of messages, which others may leave as well, the bytes that it has not taken. Any thread. */
  @Override
  public long weight() {
    return unreadBytes;
  }

  @Override
  public ServerLoop own() {
    return own;
  }

  /** Its socket may take it: a pass flushes late. */
  @Override
  public void relieve() {
    flush();
  }

  /** Closes, since there is no room for what all leave unread. */
  @Override
  public void closeForRoom() {
    LOG.warn(
        "client {} closed: no other leaves more unread, {} bytes, and there is no room for all",
        session.address(),
        unreadBytes);
    server.clients().countEvicted();
    socketGone();
    cut();
  }

  /** Bytes that the socket has not taken yet. Any thread; may be a moment old. */
  long waitingBytes() {
    return out.waitingBytes() + behindReply.bytes();
  }

  private void checkLimits() {
    long waiting = waitingBytes();
    if (isTooMuch(waiting) || isTooMuchForLong(waiting)) {
      closeFor(waiting);
    }
  }

  private boolean isTooMuch(long bytes) {
    long hardBytes = server.outputBufferLimit(session).hardBytes();
    return hardBytes > 0 && bytes > hardBytes;
  }

  private boolean isTooMuchForLong(long bytes) {
    OutputBufferLimit limit = server.outputBufferLimit(session);
    if (limit.softBytes() == 0 || bytes <= limit.softBytes()) {
      isAboveSoft = false;
      return false;
    }
    long nowNanos = System.nanoTime();
    if (!isAboveSoft) {
      isAboveSoft = true;
      aboveSoftSinceNanos = nowNanos;
    }
    return nowNanos - aboveSoftSinceNanos > TimeUnit.SECONDS.toNanos(limit.softSeconds());
  }

  private void closeFor(long bytes) {
    if (isSocketGone) {
      return;
    }
    LOG.warn(
        "client {} closed: it leaves {} bytes unread, above its limit", session.address(), bytes);
    socketGone();
    cut();
  }

  /** Closes the socket, whatever is on its way. */
  void cut() {
    // From before Vert.x's handler, which would wait until all that was written has left.
    ChannelHandlerContext first = channel.pipeline().firstContext();
    if (first == null) {
      channel.close();
    } else {
      first.close();
    }
  }

  /** Sends a message that is no reply. */
  void sendMessage(Message message) {
    if (isSocketGone) {
      return;
    }
    send(message);
    flushSoon();
  }

  /** Once for all messages of this pass. */
  private void flushSoon() {
    if (!isFlushScheduled) {
      isFlushScheduled = true;
      own.execute(
          () -> {
            isFlushScheduled = false;
            flush();
          });
    }
  }

  /** Sends a piece of a long reply; what is not of it waits until {@link #endReply}. */
  void piece(ReplyStream its, ByteBuf piece) {
    if (isSocketGone) {
      piece.release();
      its.cancel();
      return;
    }
    stream = its;
    sendNow(piece);
    isPieceWaiting = true;
    flush();
  }

  /** The long reply is over, or the one that was made elsewhere. */
  void endReply() {
    stream = null;
    isReplyAwaited = false;
    behindReply.moveTo(this::sendNow, this::sendNow);
    flush();
  }

  /** Hands to the socket what it takes. */
  void flush() {
    out.flush();
    noteUnread();
    if (stream != null && isPieceWaiting && out.isEmpty()) {
      isPieceWaiting = false;
      stream.taken();
    }
  }

  /** Whether the client should read before it is given more. */
  boolean isFull() {
    return out.isFull() || (own == keyspaceLoop && held.bytes() >= TURN_BYTES_MAX);
  }

  /** Whether nothing is on its way. */
  boolean isSilent() {
    return out.isEmpty() && (own != keyspaceLoop || held.isEmpty());
  }

  /** Nobody reads any more. */
  void socketGone() {
    isSocketGone = true;
    out.close();
    behindReply.clear();
    noteUnread();
    if (stream != null) {
      stream.cancel();
    }
  }

  /** Any thread. */
  boolean isSocketGone() {
    return isSocketGone;
  }
}
