package dev.varve.server.net.connection;

import dev.varve.server.command.Message;
import dev.varve.server.net.commit.HeldRoom;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Replies and messages that wait for one client, in order, and what they take.
 *
 * <p>The connection's own loop only.
 */
final class UnreadQueue {
  private final SharedHeap unread;

  /** Replies, and messages as they are: very many may have the same waiting. */
  private final Deque<Object> waiting = new ArrayDeque<>(0);

  /** The message of which the rest is the first that waits, in the place of it. */
  private @Nullable Message begun;

  private long bytes;
  private long heldBytes;

  /**
   * @param unread is told which messages wait
   */
  UnreadQueue(SharedHeap unread) {
    this.unread = unread;
  }

  void add(ByteBuf reply) {
    waiting.add(reply);
    bytes += reply.readableBytes();
    heldBytes += HeldRoom.memoryOf(reply);
  }

  void add(Message message) {
    unread.keep(message);
    waiting.add(message);
    bytes += message.length();
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  /** How many wait. */
  int count() {
    return waiting.size();
  }

  /** Bytes that wait. */
  long bytes() {
    return bytes;
  }

  /** What the replies among them, as long as any of one is left, take in memory. */
  long heldBytes() {
    return heldBytes;
  }

  /** Takes the next bytes, of one reply or message, up to so many. */
  ByteBuf take(int bytesMax) {
    ByteBuf first = first();
    int taken = Math.min(bytesMax, first.readableBytes());
    bytes -= taken;
    if (taken < first.readableBytes()) {
      return first.readRetainedSlice(taken);
    }
    waiting.remove();
    if (begun == null) {
      heldBytes -= HeldRoom.memoryOf(first);
    } else {
      unread.letGo(begun);
      begun = null;
    }
    return first;
  }

  private ByteBuf first() {
    Object first = waiting.element();
    if (first instanceof Message message) {
      ByteBuf rest = Unpooled.wrappedBuffer(message.bytes());
      begun = message;
      waiting.remove();
      waiting.addFirst(rest);
      return rest;
    }
    return (ByteBuf) first;
  }

  /** Hands over all of them, none of which was begun. */
  void moveTo(Consumer<ByteBuf> replies, Consumer<Message> messages) {
    while (!waiting.isEmpty()) {
      Object next = waiting.remove();
      if (next instanceof Message message) {
        bytes -= message.length();
        messages.accept(message);
        unread.letGo(message);
      } else {
        ByteBuf reply = (ByteBuf) next;
        bytes -= reply.readableBytes();
        heldBytes -= HeldRoom.memoryOf(reply);
        replies.accept(reply);
      }
    }
  }

  /** Forgets all. */
  void clear() {
    for (Object each : waiting) {
      if (each instanceof Message message) {
        unread.letGo(message);
      } else {
        ((ByteBuf) each).release();
      }
    }
    waiting.clear();
    if (begun != null) {
      unread.letGo(begun);
      begun = null;
    }
    bytes = 0;
    heldBytes = 0;
  }
}
