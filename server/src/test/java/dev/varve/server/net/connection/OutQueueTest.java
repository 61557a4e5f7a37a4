package dev.varve.server.net.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.command.Message;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What waits for a socket that takes no more. */
class OutQueueTest {
  private static final int MARK_BYTES = 100;

  private final SharedHeap unread = new SharedHeap(1 << 20, 1 << 20);
  private final List<EmbeddedChannel> channels = new ArrayList<>();

  private OutQueue queue() {
    EmbeddedChannel channel = new EmbeddedChannel();
    channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1, MARK_BYTES));
    channels.add(channel);
    return new OutQueue(channel, new Traffic(), unread);
  }

  /** A queue whose socket takes no more until the next flush. */
  private OutQueue fullQueue() {
    OutQueue queue = queue();
    queue.add(Unpooled.wrappedBuffer(new byte[MARK_BYTES]));
    assertTrue(queue.isFull());
    return queue;
  }

  private static Message message(int bytes) {
    byte[] content = new byte[bytes];
    for (int i = 0; i < bytes; i++) {
      content[i] = (byte) i;
    }
    return new Message(content);
  }

  @Test
  void aMessageTakesMemoryOnceHoweverManyHaveItWaiting() {
    Message message = message(1_000);
    List<OutQueue> queues = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      queues.add(fullQueue());
      queues.get(i).add(message);
      assertEquals(message.memory(), unread.bytes());
      assertEquals(1_000, queues.get(i).waitingBytes());
      assertEquals(0, queues.get(i).heldBytes());
    }
    queues.subList(0, 9).forEach(OutQueue::close);
    assertEquals(message.memory(), unread.bytes());
    OutQueue last = queues.get(9);
    last.flush();
    assertFalse(last.isEmpty(), "in pieces");
    assertEquals(message.memory(), unread.bytes(), "until its last piece has left");
    while (!last.isEmpty()) {
      last.flush();
    }
    assertEquals(0, unread.bytes());
    assertEquals(0, last.waitingBytes());
  }

  @Test
  void messagesOfItsOwnTakeWhatTheyAre() {
    OutQueue queue = fullQueue();
    Message first = message(10);
    Message second = message(20);
    queue.add(first);
    queue.add(second);
    assertEquals(first.memory() + second.memory(), unread.bytes());
    queue.close();
    assertEquals(0, unread.bytes());
    queue.add(first);
    assertEquals(0, unread.bytes());
  }

  @Test
  void whatIsBegunIsLetGoWithTheRest() {
    OutQueue queue = fullQueue();
    queue.add(message(1_000));
    queue.flush();
    queue.flush();
    assertEquals(1_000 - MARK_BYTES, queue.waitingBytes());
    queue.close();
    assertEquals(0, unread.bytes());
    assertEquals(0, queue.waitingBytes());
  }

  @Test
  void shortMessagesOfAPassLeaveAsOnePieceInFrontOfTheNextReply() {
    OutQueue queue = queue();
    channels.get(0).config().setWriteBufferWaterMark(new WriteBufferWaterMark(1, 10 * MARK_BYTES));
    queue.add(message(3));
    queue.add(message(4));
    assertTrue(queue.isEmpty());
    queue.add(Unpooled.wrappedBuffer(new byte[5]));
    queue.add(message(6));
    queue.flush();
    List<Integer> pieces = new ArrayList<>();
    for (Object next = channels.get(0).readOutbound();
        next != null;
        next = channels.get(0).readOutbound()) {
      pieces.add(((ByteBuf) next).readableBytes());
      ((ByteBuf) next).release();
    }
    assertEquals(List.of(7, 5, 6), pieces);
    assertEquals(0, unread.bytes());
  }

  @Test
  void repliesAndMessagesLeaveInOrderAndWhole() {
    OutQueue queue = fullQueue();
    queue.add(message(250));
    queue.add(Unpooled.wrappedBuffer(new byte[] {7, 8, 9}));
    queue.add(message(2));
    while (!queue.isEmpty()) {
      queue.flush();
    }
    ByteBuf sent = Unpooled.buffer();
    for (Object next = channels.get(0).readOutbound();
        next != null;
        next = channels.get(0).readOutbound()) {
      sent.writeBytes((ByteBuf) next);
    }
    sent.skipBytes(MARK_BYTES);
    for (int i = 0; i < 250; i++) {
      assertEquals((byte) i, sent.readByte());
    }
    assertEquals(7, sent.readByte());
    sent.skipBytes(2);
    assertEquals(0, sent.readByte());
    assertEquals(1, sent.readByte());
    assertEquals(0, sent.readableBytes());
  }
}
