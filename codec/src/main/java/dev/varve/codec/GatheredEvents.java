package dev.varve.codec;

import dev.varve.codec.store.WriteTooLargeException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What happened to keys in one transaction, in order.
 *
 * <p>Belongs to the thread of its transaction.
 */
final class GatheredEvents {
  /*
   * A script may write to one key millions of times. Where nobody publishes each of these events,
   * those behind the first 65,536 are left out that are there already: they are looked up in a hash
   * table of their numbers, with linear probing.
   */

  /** From so many on it is worth to look for those that are alike. */
  static final int MANY = 1 << 16;

  /** What they may take until the transaction is over. */
  static final long HEAP_BYTES_MAX = Runtime.getRuntime().maxMemory() / 4;

  /** What one takes besides the bytes of its key, about, with its places. */
  private static final int EVENT_HEAP_BYTES = 64;

  private static final int[] NO_TABLE = {};

  private final List<KeyspaceEvent> all = new ArrayList<>(2);
  private final WantedEvents wanted;

  /** The numbers of events, each one more than its place in {@link #all}; 0 where there is none. */
  private int[] table = NO_TABLE;

  private long heapBytes;

  GatheredEvents(WantedEvents wanted) {
    this.wanted = wanted;
  }

  /**
   * Adds an event, unless nobody needs it.
   *
   * @throws WriteTooLargeException when there are too many
   */
  void add(KeyspaceEvent event) {
    if (wanted != WantedEvents.ALL && event.eventClass() == EventClass.KEY_MISS) {
      return;
    }
    if (wanted == WantedEvents.KEYS && event.eventClass() == EventClass.NEW) {
      // What made the key says so too.
      return;
    }
    if (wanted == WantedEvents.KEYS && all.size() >= MANY && isThere(event)) {
      return;
    }
    heapBytes += EVENT_HEAP_BYTES + event.key().length;
    if (heapBytes > HEAP_BYTES_MAX) {
      throw WriteTooLargeException.events(HEAP_BYTES_MAX);
    }
    all.add(event);
    if (table.length > 0) {
      note(all.size());
    }
  }

  List<KeyspaceEvent> all() {
    return all;
  }

  private boolean isThere(KeyspaceEvent event) {
    if (table.length < 2 * (all.size() + 1)) {
      table = new int[4 * Integer.highestOneBit(all.size())];
      for (int number = 1; number <= all.size(); number++) {
        note(number);
      }
    }
    int at = place(event);
    while (table[at] != 0) {
      if (areAlike(all.get(table[at] - 1), event)) {
        return true;
      }
      at = next(at);
    }
    return false;
  }

  private void note(int number) {
    int at = place(all.get(number - 1));
    while (table[at] != 0) {
      at = next(at);
    }
    table[at] = number;
  }

  private int place(KeyspaceEvent event) {
    int hash = 31 * Arrays.hashCode(event.key()) + event.name().hashCode();
    // Keys that differ in their last letter alone would lie side by side.
    return (hash * 0x9E3779B9 >>> 7) & (table.length - 1);
  }

  private int next(int place) {
    return (place + 1) & (table.length - 1);
  }

  private static boolean areAlike(KeyspaceEvent one, KeyspaceEvent other) {
    return one.database() == other.database()
        && one.eventClass() == other.eventClass()
        && one.isChange() == other.isChange()
        && one.name().equals(other.name())
        && Arrays.equals(one.key(), other.key());
  }
}
