package dev.varve.server.command.run;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * What is kept in memory of something that is stored: as it was written last, and, until readers
 * may see that, as it was before. Follows what is stored also where a write is lost.
 *
 * <p>Keyspace loop only, except {@link #written}.
 *
 * @param <T> immutable
 */
final class StoredState<T> {
  private volatile T written;

  /** As readers may see it. */
  private T published;

  /** What readers do not see yet, the oldest first. */
  private final Deque<Change<T>> unpublished = new ArrayDeque<>(2);

  /** What it is from a write on. */
  private record Change<T>(long sequence, T state) {}

  StoredState(T stored) {
    this.written = stored;
    this.published = stored;
  }

  /** As it was written last. Any thread. */
  T written() {
    return written;
  }

  /** Whether anything has been written that readers do not see yet. */
  boolean isAnyUnpublished() {
    return !unpublished.isEmpty();
  }

  /** The write with that sequence number has made it so. */
  void wrote(long sequence, T state) {
    unpublished.add(new Change<>(sequence, state));
    written = state;
  }

  /** Readers see all up to that sequence number: what it is for them now, or null if as before. */
  @Nullable T publish(long sequence) {
    T changed = null;
    for (Change<T> first = unpublished.peek();
        first != null && first.sequence() <= sequence;
        first = unpublished.peek()) {
      changed = unpublished.remove().state();
      published = changed;
    }
    return changed;
  }

  /** What was written from that sequence number on has been lost. */
  void lost(long sequence) {
    while (!unpublished.isEmpty() && unpublished.getLast().sequence() >= sequence) {
      unpublished.removeLast();
    }
    written = unpublished.isEmpty() ? published : unpublished.getLast().state();
  }
}
