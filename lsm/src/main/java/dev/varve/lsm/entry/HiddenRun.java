package dev.varve.lsm.entry;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The deleted keys that a {@link VisibleCursor} meets in a row during one move: where to jump over
 * them, and what to remember of them. For one thread.
 */
final class HiddenRun {
  /** After so many steps it is looked up again whether there is a way to jump. */
  private static final int STEPS_BETWEEN_LOOKS = 8;

  /**
   * Fewer keys are not remembered unless they are beside a known range: to walk over them costs
   * less than each put pays for looking among thousands of such ranges.
   */
  private static final int KEYS_REMEMBERED_MIN = 32;

  private final EmptyRanges ranges;
  private final long snapshot;
  private final boolean learns;
  private long keys;
  private int jumps;
  private byte @Nullable [] first;

  /**
   * @param learns whether the walk is the writer's, who may tell what it found
   */
  HiddenRun(EmptyRanges ranges, long snapshot, boolean learns) {
    this.ranges = ranges;
    this.snapshot = snapshot;
    this.learns = learns;
  }

  /** A move begins. */
  void begin() {
    keys = 0;
    jumps = 0;
    first = null;
  }

  /**
   * Going forward, a hidden key was met. Returns where the walk may go on, or null: step by step.
   */
  byte @Nullable [] jumpForward(byte[] key, int length) {
    byte[] target = met(key, length) ? ranges.endAfter(key, length, snapshot) : null;
    jumps += target == null ? 0 : 1;
    return target;
  }

  /** Going backward, a hidden key was met. Returns before which key to go on, or null. */
  byte @Nullable [] jumpBackward(byte[] key, int length) {
    byte[] target = met(key, length) ? ranges.startBefore(key, length, snapshot) : null;
    jumps += target == null ? 0 : 1;
    return target;
  }

  /** Counts the key; returns whether it is time to look for a jump. */
  private boolean met(byte[] key, int length) {
    keys++;
    if (first == null && (learns || keys == STEPS_BETWEEN_LOOKS)) {
      first = Arrays.copyOf(key, length);
    }
    return keys % STEPS_BETWEEN_LOOKS == 1;
  }

  /** Going forward, a visible key or the walk's bound was reached. */
  void endForward(byte[] key, int length) {
    byte[] start = first;
    if (start != null && isWorthTelling()) {
      tell(start, Arrays.copyOf(key, length));
    }
  }

  /** Going backward, a visible key was reached. */
  void endBackward(byte[] key, int length) {
    byte[] last = first;
    if (last != null && isWorthTelling()) {
      tell(successor(key, length), successor(last, last.length));
    }
  }

  /** Going backward, the walk came to its bound, which is the first key that it may see. */
  void endAtStart(byte[] bound) {
    byte[] last = first;
    if (last != null && isWorthTelling()) {
      tell(bound.clone(), successor(last, last.length));
    }
  }

  private boolean isWorthTelling() {
    return keys >= (jumps == 0 ? KEYS_REMEMBERED_MIN : STEPS_BETWEEN_LOOKS) || jumps > 1;
  }

  private void tell(byte[] from, byte[] to) {
    if (learns) {
      ranges.learn(from, to, snapshot);
    }
    if (keys >= WalkObserver.HIDDEN_KEYS_MIN) {
      ranges.observer().walkedOver(from, to, keys);
    }
  }

  private static byte[] successor(byte[] key, int length) {
    byte[] successor = new byte[length + 1];
    System.arraycopy(key, 0, successor, 0, length);
    return successor;
  }
}
