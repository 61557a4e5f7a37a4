package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HeldRepliesTest {
  private final HeldReplies held = new HeldReplies();
  private final List<Integer> released = new ArrayList<>();

  private static ByteBuf reply(int bytes) {
    return Unpooled.wrappedBuffer(new byte[bytes]);
  }

  private void release(long ticket) {
    held.release(ticket, reply -> released.add(reply.readableBytes()));
  }

  @Test
  void aReplyLeavesWithItsTicketAndNotBeforeThoseInFrontOfIt() {
    held.add(reply(1), 7);
    held.add(reply(2), 6);
    held.add(reply(3), 9);
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
}
