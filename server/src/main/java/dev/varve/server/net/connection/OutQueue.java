package dev.varve.server.net.connection;

import dev.varve.server.command.Message;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import java.util.ArrayList;
import java.util.List;

/**
 * Replies on their way into one socket: no more than a little is handed to the channel at a time,
 * so that a client that does not read costs what its replies take, and not twice that off heap.
 *
 * <p>The connection's own loop only.
 */
final class OutQueue {

  /** How much of a large reply is handed to the channel at once. */
  private static final int CHUNK_BYTES_MAX = 64 * 1024;

  private final Channel channel;
  private final Traffic traffic;
  private final int chunkBytes;

  /** What the socket has not taken yet. */
  private final UnreadQueue waiting;

  /** Messages that leave with the next flush, or the next reply, as one piece. */
  private final List<Message> fresh = new ArrayList<>(0);

  private int freshBytes;

  /** Of what was handed to the channel and has not left with a {@link #flush}. */
  private long unflushedBytes;

  private boolean isFlushNeeded;
  private boolean closed;

  /**
   * @param traffic is told what leaves
   * @param unread is told which messages wait
   */
  OutQueue(Channel channel, Traffic traffic, SharedHeap unread) {
    this.channel = channel;
    this.traffic = traffic;
    this.waiting = new UnreadQueue(unread);
    this.chunkBytes = Math.min(CHUNK_BYTES_MAX, channel.config().getWriteBufferHighWaterMark());
  }

  /** Adds a reply; it leaves with the next {@link #flush}, or when there is room. */
  void add(ByteBuf reply) {
    writeFresh();
    if (closed) {
      reply.release();
    } else if (leavesAtOnce(reply.readableBytes())) {
      write(reply);
    } else {
      waiting.add(reply);
      isFlushNeeded = true;
    }
  }

  /** Adds a message in the same way. */
  void add(Message message) {
    if (closed) {
      return;
    }
    if (freshBytes + message.length() > chunkBytes) {
      writeFresh();
    }
    if (leavesAtOnce(message.length())) {
      fresh.add(message);
      freshBytes += message.length();
      isFlushNeeded = true;
    } else {
      writeFresh();
      waiting.add(message);
      isFlushNeeded = true;
    }
  }

  private boolean leavesAtOnce(int bytes) {
    return waiting.isEmpty() && bytes <= chunkBytes && channel.isWritable();
  }

  private void writeFresh() {
    if (freshBytes == 0) {
      return;
    }
    ByteBuf joined;
    try {
      joined = joined();
    } catch (OutOfMemoryError noRoom) {
      // As of a reply that cannot be written: its client is not to miss it.
      channel.pipeline().fireExceptionCaught(noRoom);
      return;
    } finally {
      fresh.clear();
      freshBytes = 0;
    }
    write(joined);
  }

  private ByteBuf joined() {
    if (fresh.size() == 1) {
      return Unpooled.wrappedBuffer(fresh.get(0).bytes());
    }
    ByteBuf joined = channel.alloc().directBuffer(freshBytes);
    for (Message message : fresh) {
      joined.writeBytes(message.bytes());
    }
    return joined;
  }

  private void write(ByteBuf bytes) {
    unflushedBytes += bytes.readableBytes();
    channel.write(bytes, channel.voidPromise());
    isFlushNeeded = true;
  }

  /** Sends what the socket takes. */
  void flush() {
    writeFresh();
    pump();
    if (isFlushNeeded) {
      isFlushNeeded = false;
      if (unflushedBytes > 0) {
        traffic.out(unflushedBytes);
        unflushedBytes = 0;
      }
      channel.flush();
    }
  }

  private void pump() {
    while (!waiting.isEmpty() && channel.isWritable()) {
      write(waiting.take(chunkBytes));
    }
  }

  /** Whether the client leaves so much unread that it should get no more. */
  boolean isFull() {
    return !waiting.isEmpty() || !channel.isWritable();
  }

  /** Whether everything was handed to the channel. */
  boolean isEmpty() {
    return waiting.isEmpty();
  }

  /** Bytes that were not handed to the channel yet. */
  long waitingBytes() {
    return waiting.bytes();
  }

  /** How many replies and messages those are of. */
  int count() {
    return waiting.count();
  }

  /** What the replies among them, as long as any of one is left, take in memory. */
  long heldBytes() {
    return waiting.heldBytes();
  }

  /** Forgets everything. */
  void close() {
    closed = true;
    fresh.clear();
    freshBytes = 0;
    waiting.clear();
  }
}
