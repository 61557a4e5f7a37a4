package dev.varve.server.net;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/**
 * Replies of one connection that wait for a commit, in their order.
 *
 * <p>Keyspace loop only.
 */
final class HeldReplies {

  private record Held(ByteBuf reply, long ticket) {}

  private final HeldRoom room;
  private final Deque<Held> held = new ArrayDeque<>(2);
  private long bytes;

  /**
   * @param room of all connections
   */
  HeldReplies(HeldRoom room) {
    this.room = room;
  }

  /** Holds {@code reply} until {@code ticket}, and no less long than the ones before it. */
  void add(ByteBuf reply, long ticket) {
    held.add(new Held(reply, Math.max(ticket, lastTicket())));
    bytes += reply.readableBytes();
    room.taken(OutQueue.memoryOf(reply));
  }

  /** What the last of them waits for; 0 if there is none. */
  long lastTicket() {
    return held.isEmpty() ? 0 : held.getLast().ticket();
  }

  /** Whether any of them waits for {@code ticket} or an earlier one. */
  boolean isAnyUpTo(long ticket) {
    return !held.isEmpty() && held.getFirst().ticket() <= ticket;
  }

  boolean isEmpty() {
    return held.isEmpty();
  }

  long bytes() {
    return bytes;
  }

  /** Lets go of those that waited for {@code ticket} or an earlier one. */
  void release(long ticket, Consumer<ByteBuf> target) {
    while (isAnyUpTo(ticket)) {
      ByteBuf reply = held.removeFirst().reply();
      bytes -= reply.readableBytes();
      room.given(OutQueue.memoryOf(reply));
      target.accept(reply);
    }
  }

  /** Forgets all. */
  void drop() {
    release(Long.MAX_VALUE, ByteBuf::release);
  }
}
