package dev.varve.lsm.entry;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Dead ranges from a sorted list of disjoint [start, end) pairs, and scattered dead keys. */
final class ListDeadRanges implements DeadRanges {

  record Range(byte[] start, byte[] end) {
    boolean holds(byte[] key) {
      return Arrays.compareUnsigned(start, key) <= 0 && Arrays.compareUnsigned(key, end) < 0;
    }
  }

  private final List<Range> ranges;
  private final List<byte[]> scattered;
  private int at;

  ListDeadRanges(List<Range> ranges, List<byte[]> scattered) {
    this.ranges = ranges;
    this.scattered = scattered;
  }

  @Override
  public boolean advanceTo(byte[] key, int length) {
    while (at < ranges.size()
        && Arrays.compareUnsigned(ranges.get(at).end(), Arrays.copyOf(key, length)) <= 0) {
      at++;
    }
    return at < ranges.size();
  }

  @Override
  public byte @Nullable [] start() {
    return at < ranges.size() ? ranges.get(at).start() : null;
  }

  @Override
  public byte @Nullable [] endExclusive() {
    return at < ranges.size() ? ranges.get(at).end() : null;
  }

  @Override
  public boolean isDead(byte[] key, int length) {
    return scattered.stream().anyMatch(dead -> Arrays.equals(dead, 0, dead.length, key, 0, length));
  }

  @Override
  public void close() {}
}
