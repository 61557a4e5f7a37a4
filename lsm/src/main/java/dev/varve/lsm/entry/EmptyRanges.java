package dev.varve.lsm.entry;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * Key ranges in which, as far as is known, everything is deleted: cursors jump over their
 * tombstones. For any thread, but for the methods of the writer.
 */
public final class EmptyRanges {
  /*
   * A queue is pushed at one end and popped at the other, and its popped end is all tombstones until
   * a flush or a compaction drops them. Walking over them again for each pop would cost the square of
   * the pops. So whoever has walked over some tells what it found here: at sequence number `since`
   * nothing was visible in [from, to). That stays true for every later state in which nothing was
   * put there, so it is kept until something is, and a put cuts its key out.
   *
   * Only the writer tells, reading the latest state: then no put can have come between. A reader
   * heeds a range if its snapshot is not older than `since`. What is put after that snapshot is not
   * for it to see, and what was put before it has been cut out before it was published.
   */

  /*
   * A set that is pushed and popped at random has a range between any two of its members. When there
   * is no more room, every second range is forgotten: that the rest is known still helps.
   */
  static final int RANGES_MAX = 8192;

  /** Bytes of all keys remembered. */
  static final long BYTES_MAX = 2 << 20;

  /** Longer keys are not remembered. */
  static final int KEY_BYTES_MAX = 1024;

  private static final byte[] NO_KEY = {};

  private static final class Range {
    final byte[] from;
    final byte[] to;
    final long since;
    volatile boolean used = true;

    Range(byte[] from, byte[] to, long since) {
      this.from = from;
      this.to = to;
      this.since = since;
    }
  }

  private final ConcurrentSkipListMap<byte[], Range> ranges =
      new ConcurrentSkipListMap<>(Arrays::compareUnsigned);
  private final WalkObserver observer;
  private long latest;
  private int count;
  private long bytes;

  // Bounds of all ranges, or wider, so that most puts need not search: of the writer.
  private byte[] lowest = NO_KEY;
  private byte[] highest = NO_KEY;

  /**
   * @param latest the newest sequence number of the tree
   * @param observer who is told of walks over many hidden entries
   */
  public EmptyRanges(long latest, WalkObserver observer) {
    this.latest = latest;
    this.observer = observer;
  }

  WalkObserver observer() {
    return observer;
  }

  /** The end of the range that holds {@code key[0, length)}, for that snapshot; or null. */
  byte @Nullable [] endAfter(byte[] key, int length, long snapshot) {
    Range range = find(key, 0, length);
    return range == null || range.since > snapshot ? null : used(range).to;
  }

  /** The start of the range that holds {@code key[0, length)}, for that snapshot; or null. */
  byte @Nullable [] startBefore(byte[] key, int length, long snapshot) {
    Range range = find(key, 0, length);
    return range == null || range.since > snapshot ? null : used(range).from;
  }

  private static Range used(Range range) {
    if (!range.used) {
      range.used = true;
    }
    return range;
  }

  private @Nullable Range find(byte[] key, int offset, int length) {
    if (ranges.isEmpty()) {
      return null;
    }
    boolean isWhole = offset == 0 && length == key.length;
    byte[] wanted = isWhole ? key : Arrays.copyOfRange(key, offset, offset + length);
    Map.Entry<byte[], Range> floor = ranges.floorEntry(wanted);
    if (floor == null || Arrays.compareUnsigned(wanted, floor.getValue().to) >= 0) {
      return null;
    }
    return floor.getValue();
  }

  /**
   * Says that nothing in {@code [from, to)} is visible at {@code snapshot}; forgotten at once
   * unless that is the latest state. For the writer.
   */
  void learn(byte[] from, byte[] to, long snapshot) {
    if (snapshot != latest
        || Arrays.compareUnsigned(from, to) >= 0
        || from.length > KEY_BYTES_MAX
        || to.length > KEY_BYTES_MAX) {
      return;
    }
    byte[] start = from;
    byte[] end = to;
    Map.Entry<byte[], Range> touching = ranges.floorEntry(to);
    while (touching != null && Arrays.compareUnsigned(touching.getValue().to, start) >= 0) {
      Range other = touching.getValue();
      remove(other);
      start = Arrays.compareUnsigned(other.from, start) < 0 ? other.from : start;
      end = Arrays.compareUnsigned(other.to, end) > 0 ? other.to : end;
      touching = ranges.lowerEntry(touching.getKey());
    }
    makeRoom();
    // What was learnt earlier holds at the latest state too.
    add(new Range(start, end, snapshot));
  }

  private void makeRoom() {
    if (count < RANGES_MAX && bytes < BYTES_MAX) {
      return;
    }
    boolean keep = false;
    for (Range range : ranges.values()) {
      if (!keep) {
        remove(range);
      }
      keep = !keep;
    }
  }

  private void add(Range range) {
    if (count == 0 || Arrays.compareUnsigned(range.from, lowest) < 0) {
      lowest = range.from;
    }
    if (count == 0 || Arrays.compareUnsigned(range.to, highest) > 0) {
      highest = range.to;
    }
    Range replaced = ranges.put(range.from, range);
    count += replaced == null ? 1 : 0;
    bytes += keyBytes(range) - (replaced == null ? 0 : keyBytes(replaced));
  }

  private void remove(Range range) {
    if (ranges.remove(range.from) != null) {
      count--;
      bytes -= keyBytes(range);
    }
  }

  private static long keyBytes(Range range) {
    return range.from.length + range.to.length;
  }

  /** Says that {@code bytes[at, at+length)} is put. Before that is published. For the writer. */
  public void put(byte[] bytes, int at, int length) {
    if (count == 0
        || Arrays.compareUnsigned(bytes, at, at + length, lowest, 0, lowest.length) < 0
        || Arrays.compareUnsigned(bytes, at, at + length, highest, 0, highest.length) >= 0) {
      return;
    }
    Range range = find(bytes, at, length);
    if (range == null) {
      return;
    }
    byte[] key = Arrays.copyOfRange(bytes, at, at + length);
    byte[] successor = Arrays.copyOf(key, length + 1);
    if (Arrays.equals(range.from, key)) {
      remove(range);
    } else {
      add(new Range(range.from, key, range.since));
    }
    if (Arrays.compareUnsigned(successor, range.to) < 0) {
      makeRoom();
      add(new Range(successor, range.to, range.since));
    }
  }

  /** Says that all up to this sequence number is applied. For the writer. */
  public void applied(long sequence) {
    latest = sequence;
  }

  /** Forgets ranges that nobody has met since the last call. For the writer, now and then. */
  public void forgetUnused() {
    for (Range range : ranges.values()) {
      if (range.used) {
        range.used = false;
      } else {
        remove(range);
      }
    }
    if (count > 0) {
      lowest = ranges.firstEntry().getValue().from;
      highest = ranges.lastEntry().getValue().to;
    }
  }

  /** How many ranges are known. */
  public int count() {
    return ranges.size();
  }
}
