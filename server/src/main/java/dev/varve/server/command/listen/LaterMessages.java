package dev.varve.server.command.listen;

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

  /** None, and none is added. */
  public static final LaterMessages NONE = new LaterMessages();

  private final Deque<Message> messages = new ArrayDeque<>(0);

  public boolean isEmpty() {
    return messages.isEmpty();
  }

  public void add(int events, Runnable send) {
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
