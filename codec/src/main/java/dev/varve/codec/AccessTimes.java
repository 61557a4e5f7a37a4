package dev.varve.codec;

import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.format.MurmurHash;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * When keys were last used and, if asked for, how often: in memory and to the second, since on disk
 * each read would be a write.
 *
 * <p>Keys share slots, so that what is known is how long a key has not been used at the least:
 * since the start of the server, or since a key of the same slot was. Any thread.
 */
/*
 * A slot does not say whose it is: if another key has used it, its moment is all that can be said,
 * with or without a name. A use is one store then, which nothing waits for.
 */
public final class AccessTimes {
  private static final long HEAP_SHARE = 256;
  private static final int SLOTS_MIN = 1 << 14;
  private static final int SLOTS_MAX = 1 << 20;
  private static final VarHandle SLOTS = MethodHandles.arrayElementVarHandle(int[].class);

  private final long startMillis;

  /** Seconds after the start. */
  private final int[] slots;

  /** How often each slot was used; null while that is not counted. */
  private volatile @Nullable AccessCounts counts;

  /**
   * @param heapBytes the heap of the process, of which a small part is taken
   * @param startMillis when no key has been used yet, in ms since 1970
   */
  public AccessTimes(long heapBytes, long startMillis) {
    long wanted = Math.min(SLOTS_MAX, heapBytes / HEAP_SHARE / Integer.BYTES);
    this.slots = new int[(int) Long.highestOneBit(Math.max(SLOTS_MIN, wanted))];
    this.startMillis = startMillis;
  }

  /** A key is used now, or looked for in vain. */
  void used(byte[] metaKey, long nowMillis) {
    int slot = slot(metaKey);
    int now = secondsAfterStart(nowMillis);
    AccessCounts its = counts;
    if (its != null) {
      its.used(slot, now - last(slot));
    }
    SLOTS.setOpaque(slots, slot, now);
  }

  /**
   * From here on counts how often keys are used, until {@link #countNone}; goes on with the counts
   * that there are.
   *
   * @param factor how many more uses a count takes for each step up
   * @param decayMinutes without use for each step down; 0: none
   */
  public void count(int factor, int decayMinutes) {
    AccessCounts its = counts;
    counts =
        its == null
            ? new AccessCounts(slots.length, factor, decayMinutes)
            : its.with(factor, decayMinutes);
  }

  /** From here on does not count, and forgets what was counted. */
  public void countNone() {
    counts = null;
  }

  /** Whether it is counted how often keys are used. */
  public boolean isCounting() {
    return counts != null;
  }

  /** How often a key is used, 0 to 255 on a logarithmic scale; 0 while that is not counted. */
  public int frequency(Transaction transaction, int database, byte[] key) {
    AccessCounts its = counts;
    int slot = slot(transaction, database, key);
    return its == null ? 0 : its.at(slot, secondsAfterStart(transaction.nowMillis()) - last(slot));
  }

  /** Lets a key look as if it was used so often; nothing while that is not counted. */
  public void frequency(Transaction transaction, int database, byte[] key, int frequency) {
    AccessCounts its = counts;
    if (its != null) {
      int slot = slot(transaction, database, key);
      its.set(slot, frequency);
      SLOTS.setOpaque(slots, slot, secondsAfterStart(transaction.nowMillis()));
    }
  }

  /** Lets a key look as if it had not been used for {@code seconds}, some decades at the most. */
  public void idle(Transaction transaction, int database, byte[] key, long seconds) {
    long then = secondsAfterStart(transaction.nowMillis()) - Math.min(seconds, Integer.MAX_VALUE);
    SLOTS.setOpaque(slots, slot(transaction, database, key), (int) then);
  }

  /** For how many seconds, at the least, a key has not been used. */
  public long idleSeconds(Transaction transaction, int database, byte[] key) {
    long last = last(slot(transaction, database, key));
    return Math.max(0, secondsAfterStart(transaction.nowMillis()) - last);
  }

  private int last(int slot) {
    return (int) SLOTS.getOpaque(slots, slot);
  }

  private int secondsAfterStart(long nowMillis) {
    return (int) TimeUnit.MILLISECONDS.toSeconds(nowMillis - startMillis);
  }

  private int slot(Transaction transaction, int database, byte[] key) {
    return slot(KeyFormat.meta(transaction.databaseId(database), key));
  }

  private int slot(byte[] metaKey) {
    return (int) MurmurHash.of(metaKey) & (slots.length - 1);
  }
}
