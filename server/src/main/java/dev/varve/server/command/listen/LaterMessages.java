package dev.varve.server.command.listen;

import dev.varve.codec.DataException;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * What a command, transaction or script sends once it has come to its end, each in its place among
 * what happened to keys.
 *
 * <p>Of one run of an executor, and then of the keyspace loop.
 */
public final class LaterMessages {
  /**
   * @param events how many the transaction had by then
   */
  private record Message(int events, Runnable send) {}

  /** What they may take until then: more than MULTI queues. */
  private static final long HEAP_BYTES_MAX = Runtime.getRuntime().maxMemory() / 5;

  /** What one takes besides its bytes, about. */
  private static final int MESSAGE_HEAP_BYTES = 256;

  private static final DataException TOO_MANY =
      new DataException(
          "ERR what a script or transaction publishes takes more than a fifth of the heap");

  /** None, and none is added. */
  public static final LaterMessages NONE = new LaterMessages();

  private final Deque<Message> messages = new ArrayDeque<>(0);
  private long heapBytes;

  public boolean isEmpty() {
    return messages.isEmpty();
  }

  /**
   * Adds one.
   *
   * @param events how many the transaction has by now
   * @param bytes what it is made of
   * @throws DataException when there are too many
   */
  public void add(int events, long bytes, Runnable send) {
    if (heapBytes + MESSAGE_HEAP_BYTES + bytes > HEAP_BYTES_MAX) {
      throw TOO_MANY;
    }
    heapBytes += MESSAGE_HEAP_BYTES + bytes;
    messages.add(new Message(events, send));
  }

  /** Sends those that come before the next event, when so many have been told. */
  void sendUpTo(int events) {
    for (Message next = messages.peek();
        next != null && next.events <= events;
        next = messages.peek()) {
      messages.remove();
      next.send.run();
    }
  }

  /** Sends what is left. */
  public void sendAll() {
    sendUpTo(Integer.MAX_VALUE);
  }
}
