package dev.varve.server.net.commit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.command.Message;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

class HeldRepliesTest {
  private static final int ROOM_BYTES = 1_000;

  private final Deque<Runnable> loop = new ArrayDeque<>();
  private final HeldRoom room = new HeldRoom(8 * ROOM_BYTES, loop::add);
  private final HeldReplies held = new HeldReplies(room);
  private final List<Integer> released = new ArrayList<>();

  private static ByteBuf reply(int bytes) {
    return Unpooled.wrappedBuffer(new byte[bytes]);
  }

  private void release(long ticket) {
    held.release(
        ticket,
        new HeldReplies.Target() {
          @Override
          public void reply(ByteBuf reply) {
            released.add(reply.readableBytes());
          }

          @Override
          public void message(Message message) {
            released.add(message.length());
          }
        });
  }

  @Test
  void aReplyLeavesWithItsTicketAndNotBeforeThoseInFrontOfIt() {
    held.add(reply(1), 7);
    held.add(reply(2), 6);
    held.add(new Message(new byte[3]), 9);
    assertEquals(6, held.bytes());
    release(6);
    assertEquals(List.of(), released);
    release(8);
    assertEquals(List.of(1, 2), released);
    assertEquals(3, held.bytes());
    release(9);
    assertEquals(List.of(1, 2, 3), released);
    assertTrue(held.isEmpty());
  }

  @Test
  void aMessageTakesRoomOnceHoweverManyWaitWithIt() {
    HeldReplies others = new HeldReplies(room);
    Message message = new Message(new byte[ROOM_BYTES / 2]);
    held.add(message, 1);
    others.add(message, 2);
    assertFalse(room.isFull());
    release(1);
    others.add(new Message(new byte[ROOM_BYTES / 2]), 2);
    assertTrue(room.isFull(), "as long as one of them waits");
    others.drop();
    held.add(reply(ROOM_BYTES), 3);
    assertFalse(room.isFull());
  }

  @Test
  void whoWaitsForATicketDoesNotWaitForWhatCameBehind() {
    held.add(reply(1), 3);
    long last = held.lastTicket();
    held.add(reply(2), 4);
    assertTrue(held.isAnyUpTo(last));
    release(3);
    held.add(reply(4), 5);
    assertFalse(held.isAnyUpTo(last));
    assertFalse(held.isEmpty());
  }

  @Test
  void whenRepliesOfAllFillTheRoomOthersWaitUntilTheCommitLetsGoOfThem() {
    HeldReplies others = new HeldReplies(room);
    held.add(reply(600), 1);
    others.add(reply(400), 1);
    assertFalse(room.isFull());
    others.add(reply(1), 2);
    assertTrue(room.isFull());
    List<String> ran = new ArrayList<>();
    room.await(
        () -> {
          ran.add("first");
          held.add(reply(ROOM_BYTES), 3);
        });
    room.await(() -> ran.add("second"));
    release(1);
    assertEquals(List.of(), ran, "in the midst of a release");
    loop.remove().run();
    assertEquals(List.of("first"), ran);
    held.drop();
    loop.remove().run();
    assertEquals(List.of("first", "second"), ran);
    others.drop();
    assertTrue(loop.isEmpty());
  }
}
