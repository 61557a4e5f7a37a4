package dev.varve.server.net;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.ArrayDeque;
import java.util.Deque;

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
  private final Deque<ByteBuf> waiting = new ArrayDeque<>(0);
  private long waitingBytes;
  private long heldBytes;

  /** Of what was handed to the channel and has not left with a {@link #flush}. */
  private long unflushedBytes;

  private boolean isFlushNeeded;
  private boolean closed;

  /**
   * @param traffic is told what leaves
   */
  OutQueue(Channel channel, Traffic traffic) {
    this.channel = channel;
    this.traffic = traffic;
    this.chunkBytes = Math.min(CHUNK_BYTES_MAX, channel.config().getWriteBufferHighWaterMark());
  }

  /** Adds a reply; it leaves with the next {@link #flush}, or when there is room. */
  void add(ByteBuf reply) {
    if (closed) {
      reply.release();
    } else if (waiting.isEmpty() && reply.readableBytes() <= chunkBytes && channel.isWritable()) {
      unflushedBytes += reply.readableBytes();
      channel.write(reply, channel.voidPromise());
      isFlushNeeded = true;
    } else {
      waiting.add(reply);
      waitingBytes += reply.readableBytes();
      heldBytes += memoryOf(reply);
      isFlushNeeded = true;
    }
  }

  /** Sends what the socket takes. */
  void flush() {
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
      ByteBuf first = waiting.getFirst();
      int bytes = Math.min(chunkBytes, first.readableBytes());
      ByteBuf chunk;
      if (bytes == first.readableBytes()) {
        chunk = waiting.removeFirst();
        heldBytes -= memoryOf(chunk);
      } else {
        chunk = first.readRetainedSlice(bytes);
      }
      waitingBytes -= bytes;
      unflushedBytes += bytes;
      isFlushNeeded = true;
      channel.write(chunk, channel.voidPromise());
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
    return waitingBytes;
  }

  /** What those bytes, and others that cannot be let go before them, take in memory. */
  long heldBytes() {
    return heldBytes;
  }

  /** The memory that a reply takes which is not read. */
  static int memoryOf(ByteBuf reply) {
    if (reply instanceof Message message) {
      return message.heldBytes();
    }
    // An encoder's array may be twice as long as the reply in it.
    return reply.hasArray() ? reply.array().length : reply.capacity();
  }

  /** Forgets everything. */
  void close() {
    closed = true;
    waiting.forEach(ByteBuf::release);
    waiting.clear();
    waitingBytes = 0;
    heldBytes = 0;
  }
}
