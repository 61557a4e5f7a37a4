package dev.varve.server.history;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One request about one key, and what came of it. Immutable.
 *
 * @param key what it is about
 * @param words the command as {@link KeyModel} knows it, with its arguments but for the key
 * @param invokedNanos before it was sent
 * @param endedNanos after its reply was there; if it was lost, when the server was surely dead, or
 *     {@link Long#MAX_VALUE} when it may still take effect at any time
 * @param reply its reply, line ends written as "|", or null if it was lost
 */
public record Operation(
    String key, List<String> words, long invokedNanos, long endedNanos, @Nullable String reply) {

  /** Whether its reply never came. */
  public boolean isLost() {
    return reply == null;
  }

  /** The same, lost with a server that was dead at that moment. */
  public Operation lostBy(long nanos) {
    return new Operation(key, words, invokedNanos, nanos, null);
  }

  /** The same with another reply. */
  Operation withReply(String other) {
    return new Operation(key, words, invokedNanos, endedNanos, other);
  }
}
