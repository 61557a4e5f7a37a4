package dev.varve.server.net.commit;

import dev.varve.server.command.Message;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Replies of one connection that wait for a commit, in their order.
 *
 * <p>Keyspace loop only.
 */
public final class HeldReplies {

  /** Where they go. */
  public interface Target {
    void reply(ByteBuf reply);

    void message(Message message);
  }

  private static final Target NOWHERE =
      new Target() {
        @Override
        public void reply(ByteBuf reply) {
          reply.release();
        }

        @Override
        public void message(Message message) {}
      };

  /** What one message that is held takes besides itself, about. */
  private static final int PLACE_BYTES = 40;

  /** Either a reply or a message. */
  private record Held(@Nullable ByteBuf reply, @Nullable Message message, long ticket) {}

  private final HeldRoom room;
  private final Deque<Held> held = new ArrayDeque<>(2);
  private long bytes;

  /**
   * @param room of all connections
   */
  public HeldReplies(HeldRoom room) {
    this.room = room;
  }

  /** Holds {@code reply} until {@code ticket}, and no less long than the ones before it. */
  public void add(ByteBuf reply, long ticket) {
    held.add(new Held(reply, null, Math.max(ticket, lastTicket())));
    bytes += reply.readableBytes();
    room.taken(HeldRoom.memoryOf(reply));
  }

  /** The same of a message, which takes room once however many get it, but for its places. */
  public void add(Message message, long ticket) {
    held.add(new Held(null, message, Math.max(ticket, lastTicket())));
    bytes += message.length();
    room.taken(PLACE_BYTES + (message.hold() ? message.memory() : 0));
  }

  /** What the last of them waits for; 0 if there is none. */
  public long lastTicket() {
    return held.isEmpty() ? 0 : held.getLast().ticket();
  }

  /** Whether any of them waits for {@code ticket} or an earlier one. */
  public boolean isAnyUpTo(long ticket) {
    return !held.isEmpty() && held.getFirst().ticket() <= ticket;
  }

  public boolean isEmpty() {
    return held.isEmpty();
  }

  public long bytes() {
    return bytes;
  }

  /** Lets go of those that waited for {@code ticket} or an earlier one. */
  public void release(long ticket, Target target) {
    while (isAnyUpTo(ticket)) {
      Held first = held.removeFirst();
      ByteBuf reply = first.reply();
      Message message = first.message();
      if (reply != null) {
        bytes -= reply.readableBytes();
        room.given(HeldRoom.memoryOf(reply));
        target.reply(reply);
      } else if (message != null) {
        bytes -= message.length();
        room.given(PLACE_BYTES + (message.release() ? message.memory() : 0));
        target.message(message);
      }
    }
  }

  /** Forgets all. */
  public void drop() {
    release(Long.MAX_VALUE, NOWHERE);
  }
}
