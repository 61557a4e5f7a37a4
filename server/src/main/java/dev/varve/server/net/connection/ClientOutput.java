package dev.varve.server.net.connection;

import dev.varve.server.command.Message;
import dev.varve.server.command.Session;
import dev.varve.server.config.OutputBufferLimit;
import dev.varve.server.config.SoftLimit;
import dev.varve.server.net.loop.ServerLoop;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one client is sent, replies and messages in their order, and what of it waits until the
 * client reads: bounded by {@code client-output-buffer-limit}, and by what all clients together may
 * leave unread.
 *
 * <p>The connection's own loop, except where a method says otherwise.
 */
final class ClientOutput implements SharedHeap.Client {
  private static final Logger LOG = LoggerFactory.getLogger(ClientOutput.class);

  /** The place in a queue of what waits there. */
  private static final int PLACE_BYTES = 8;

  /** A limit of time is looked at when it has just passed. */
  private static final long LOOK_LATER_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private final ConnectionContext server;
  private final ServerLoop own;
  private final Session session;
  private final Channel channel;
  private final OutQueue out;
  private volatile boolean isSocketGone;
  private boolean isFlushScheduled;
  private final SoftLimit soft = new SoftLimit();

  // What ConnectionContext.unread() knows of, and compares with others.
  private volatile long unreadBytes;
  private volatile long heldBytes;

  /** The long reply that is on its way, or null; between its pieces nothing else may leave. */
  private @Nullable ReplyStream stream;

  private boolean isPieceWaiting;

  /** Whether what comes waits for a reply that is made elsewhere, of what was there before it. */
  private boolean isReplyAwaited;

  /** What has to wait for that, or for the end of the long reply. */
  private final UnreadQueue behindReply;

  ClientOutput(ConnectionContext server, ServerLoop own, Session session, Channel channel) {
    this.server = server;
    this.own = own;
    this.session = session;
    this.channel = channel;
    this.out = new OutQueue(channel, server.traffic(), server.unread());
    this.behindReply = new UnreadQueue(server.unread());
  }

  /** Adds a reply, which leaves with the next flush. */
  void send(ByteBuf reply) {
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

  /** The same of a message that is no reply. */
  void send(Message message) {
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

  /** Sends a message that is no reply, with all others of this pass. */
  void sendMessage(Message message) {
    if (isSocketGone) {
      return;
    }
    send(message);
    flushSoon();
  }

  /** Adds the reply that others {@linkplain #awaitReply wait for}. */
  void sendNow(ByteBuf reply) {
    out.add(reply);
    added();
  }

  private void sendNow(Message message) {
    out.add(message);
    added();
  }

  /**
   * A reply is made elsewhere: what comes before it has been {@linkplain #sendNow sent} waits for
   * {@link #endReply}.
   */
  void awaitReply() {
    isReplyAwaited = true;
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

  /** Flushes once for all messages of this pass. */
  void flushSoon() {
    if (!isFlushScheduled) {
      isFlushScheduled = true;
      own.execute(
          () -> {
            isFlushScheduled = false;
            flush();
          });
    }
  }

  /** Hands to the socket what it takes. */
  void flush() {
    out.flush();
    noteUnread();
    if (soft.isAbove()) {
      checkLimits();
    }
    if (stream != null && isPieceWaiting && out.isEmpty()) {
      isPieceWaiting = false;
      stream.taken();
    }
  }

  /** Whether the client should read before it is given more. */
  boolean isFull() {
    return out.isFull();
  }

  /** Whether all was handed to the socket. */
  boolean isEmpty() {
    return out.isEmpty();
  }

  // What is unread --------------------------------------------------------------------------------

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

  /** Bytes that the socket has not taken yet. Any thread; may be a moment old. */
  long waitingBytes() {
    return out.waitingBytes() + behindReply.bytes();
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
    countEvicted();
    socketGone();
    cut();
  }

  /** It is closed because others need what it keeps. Any thread. */
  void countEvicted() {
    server.clients().countEvicted();
  }

  private void checkLimits() {
    if (isSocketGone) {
      return;
    }
    long waiting = waitingBytes();
    if (isTooMuch(waiting) || isTooMuchForLong(waiting)) {
      closeFor(waiting);
    }
  }

  /** Whether so many bytes are more than the client may ever leave unread. Any thread. */
  boolean isTooMuch(long bytes) {
    long hardBytes = server.outputBufferLimit(session).hardBytes();
    return hardBytes > 0 && bytes > hardBytes;
  }

  private boolean isTooMuchForLong(long bytes) {
    OutputBufferLimit limit = server.outputBufferLimit(session);
    boolean wasAbove = soft.isAbove();
    boolean isExceeded = soft.isExceeded(bytes, limit, System.nanoTime());
    if (soft.isAbove() && !wasAbove) {
      // Perhaps nothing is added any more, and nothing is read.
      own.executeWithin(this::checkLimits, SoftLimit.allowedNanos(limit) + LOOK_LATER_NANOS);
    }
    return isExceeded;
  }

  // The end ---------------------------------------------------------------------------------------

  /** Closes, since the client leaves so many bytes unread. */
  void closeFor(long bytes) {
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
