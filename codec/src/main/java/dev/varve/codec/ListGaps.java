package dev.varve.codec;

import dev.varve.codec.format.DamagedValueException;
import dev.varve.codec.format.Varint;
import java.util.Arrays;

/**
 * The positions between the ends of a spread list that have no element: few runs of them, in
 * ascending order. Nothing is stored at them.
 *
 * <p>Immutable, for any thread.
 */
public final class ListGaps {
  /*
   * How many runs:1, then of each, from the lowest on, how far it is behind the one before (Varint), the
   * first behind the head, and how long it is (Varint).
   */

  /**
   * So many runs a list may have when it is written: a push to it writes them too, a few hundred
   * bytes at worst.
   */
  public static final int RUNS_MAX = 64;

  public static final ListGaps NONE = new ListGaps(new long[0]);

  /** Where a run starts, and where it has ended, by turns; between two runs there are elements. */
  private final long[] bounds;

  private ListGaps(long[] bounds) {
    this.bounds = bounds;
  }

  private static ListGaps of(long[] bounds) {
    return bounds.length == 0 ? NONE : new ListGaps(bounds);
  }

  /** How many runs there are. */
  public int runs() {
    return bounds.length / 2;
  }

  /** The first position of a run, counted from the lowest on. */
  public long start(int run) {
    return bounds[2 * run];
  }

  /** The position after the last one of a run. */
  public long end(int run) {
    return bounds[2 * run + 1];
  }

  /** How many positions they are. */
  public long total() {
    return below(Long.MAX_VALUE);
  }

  /** How many of them are below a position. */
  public long below(long position) {
    long below = 0;
    for (int run = 0; run < runs() && start(run) < position; run++) {
      below += Math.min(end(run), position) - start(run);
    }
    return below;
  }

  /** How many runs start below a position. */
  public int runsBelow(long position) {
    int run = 0;
    while (run < runs() && start(run) < position) {
      run++;
    }
    return run;
  }

  public boolean has(long position) {
    int at = Arrays.binarySearch(bounds, position);
    return at >= 0 ? at % 2 == 0 : ~at % 2 == 1;
  }

  /** Those and the positions from {@code start} up to and without {@code end}. */
  public ListGaps with(long start, long end) {
    return start == end ? this : with(new long[] {start, end});
  }

  /**
   * Those and others.
   *
   * @param others where runs of them start and have ended, by turns, in ascending order
   */
  private ListGaps with(long[] others) {
    long[] merged = new long[bounds.length + others.length];
    int count = 0;
    int mine = 0;
    int its = 0;
    while (mine < bounds.length || its < others.length) {
      boolean isMine =
          its == others.length || (mine < bounds.length && bounds[mine] <= others[its]);
      long start = isMine ? bounds[mine] : others[its];
      long end = isMine ? bounds[mine + 1] : others[its + 1];
      mine += isMine ? 2 : 0;
      its += isMine ? 0 : 2;
      if (count > 0 && start <= merged[count - 1]) {
        merged[count - 1] = Math.max(merged[count - 1], end);
      } else {
        merged[count++] = start;
        merged[count++] = end;
      }
    }
    return of(Arrays.copyOf(merged, count));
  }

  /**
   * Those and these.
   *
   * @param positions in ascending order
   */
  public ListGaps withAll(long[] positions) {
    long[] others = new long[2 * positions.length];
    for (int i = 0; i < positions.length; i++) {
      others[2 * i] = positions[i];
      others[2 * i + 1] = positions[i] + 1;
    }
    return with(others);
  }

  /** Those from {@code low} up to and without {@code high}. */
  public ListGaps within(long low, long high) {
    if (bounds.length == 0 || (low <= bounds[0] && bounds[bounds.length - 1] <= high)) {
      return this;
    }
    long[] inner = new long[bounds.length];
    int count = 0;
    for (int run = 0; run < runs(); run++) {
      long start = Math.max(start(run), low);
      long end = Math.min(end(run), high);
      if (start < end) {
        inner[count++] = start;
        inner[count++] = end;
      }
    }
    return of(Arrays.copyOf(inner, count));
  }

  /** Those that are below {@code low}, and those from {@code high} on. */
  public ListGaps without(long low, long high) {
    return within(Long.MIN_VALUE, low).with(within(high, Long.MAX_VALUE).bounds);
  }

  int encodedBytes(long head) {
    int bytes = 1;
    long before = head;
    for (long bound : bounds) {
      bytes += Varint.bytes(bound - before);
      before = bound;
    }
    return bytes;
  }

  void write(byte[] target, int offset, long head) {
    target[offset] = (byte) runs();
    int at = offset + 1;
    long before = head;
    for (long bound : bounds) {
      at = Varint.write(target, at, bound - before);
      before = bound;
    }
  }

  /** Reads what {@link #write} wrote of a list from {@code head} up to {@code tail}. */
  static ListGaps read(byte[] stored, int offset, long head, long tail) {
    int runs = offset < stored.length ? stored[offset] : 0;
    if (runs < 1 || runs > RUNS_MAX) {
      throw new DamagedValueException("a list that has to name " + runs + " runs of gaps");
    }
    long[] bounds = new long[2 * runs];
    int at = offset + 1;
    long before = head;
    for (int i = 0; i < bounds.length; i++) {
      long distance = Varint.read(stored, at, stored.length);
      at += Varint.bytes(distance);
      bounds[i] = before + distance;
      if (bounds[i] <= before || bounds[i] >= tail) {
        throw new DamagedValueException(
            "a list from " + head + " to " + tail + " with a gap at or to " + bounds[i]);
      }
      before = bounds[i];
    }
    return new ListGaps(bounds);
  }
}
