package dev.varve.lsm.entry;

import java.util.Arrays;

/**
 * Decides of each entry of a pass whether a read can still ask for it. For one thread.
 *
 * <p>Fed in entry order. Of one key, all entries newer than the <em>horizon</em> stay, and of those
 * up to it only the newest: every read that starts after the pass is installed reads at the horizon
 * or later, and snapshots older than that hold the tables they read. A tombstone up to the horizon
 * goes too when nothing below may hold its key: older entries in the input fall with it.
 */
final class EntryRetention {

  /** What becomes of an entry. */
  public enum Verdict {
    KEEP,
    /** A newer entry of the same key hides it from every read to come. */
    SHADOWED,
    /** A tombstone with nothing left to hide. */
    SPENT_TOMBSTONE
  }

  private static final int KEY_BYTES_INITIAL = 64;

  private final long horizon;
  private final KeysBelow below;

  private byte[] lastKey = new byte[KEY_BYTES_INITIAL];
  private int lastKeyLength = -1;
  private boolean keyIsSettled;
  private boolean keyIsNew;

  public EntryRetention(long horizon, KeysBelow below) {
    this.horizon = horizon;
    this.below = below;
  }

  /** Judges the next entry. Allocates only when a key is longer than all before it. */
  public Verdict judge(byte[] key, int keyLength, long sequence, boolean tombstone) {
    keyIsNew =
        keyLength != lastKeyLength || !Arrays.equals(key, 0, keyLength, lastKey, 0, keyLength);
    if (keyIsNew) {
      remember(key, keyLength);
      keyIsSettled = false;
    }
    if (keyIsSettled) {
      return Verdict.SHADOWED;
    }
    if (sequence > horizon) {
      return Verdict.KEEP;
    }
    keyIsSettled = true;
    return tombstone && !below.mayHold(key, keyLength) ? Verdict.SPENT_TOMBSTONE : Verdict.KEEP;
  }

  /** Whether the entry judged last has another key than the one judged before it. */
  public boolean keyIsNew() {
    return keyIsNew;
  }

  private void remember(byte[] key, int keyLength) {
    if (keyLength > lastKey.length) {
      lastKey = new byte[Math.max(keyLength, 2 * lastKey.length)];
    }
    System.arraycopy(key, 0, lastKey, 0, keyLength);
    lastKeyLength = keyLength;
  }
}
