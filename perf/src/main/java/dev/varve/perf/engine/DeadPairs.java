package dev.varve.perf.engine;

import dev.varve.compaction.Death;
import dev.varve.compaction.GarbageSource;
import dev.varve.compaction.KeyRange;
import dev.varve.lsm.entry.DeadEntryRule;
import dev.varve.lsm.entry.DeadRanges;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Key ranges that were declared dead, kept in memory: what a server finds in its garbage records.
 * Safe for use by several threads.
 */
final class DeadPairs implements DeadEntryRule, GarbageSource {
  /** Before all keys of a {@link Dataset}. */
  private static final byte[] RECORD_PREFIX = {'g', '/'};

  private final ConcurrentSkipListMap<byte[], Death> deaths =
      new ConcurrentSkipListMap<>(Arrays::compareUnsigned);

  /** Where the death of a range is recorded in the tree. */
  static byte[] recordKey(byte[] from) {
    byte[] key = Arrays.copyOf(RECORD_PREFIX, RECORD_PREFIX.length + from.length);
    System.arraycopy(from, 0, key, RECORD_PREFIX.length, from.length);
    return key;
  }

  /** Notes a range that overlaps no other. */
  void add(byte[] from, byte[] toExclusive, long sequence) {
    deaths.put(
        from,
        new Death(
            recordKey(from), List.of(new KeyRange(from, toExclusive)), sequence, Death.UNKNOWN));
  }

  @Override
  public long generation() {
    return deaths.size();
  }

  @Override
  public void forEach(Consumer<Death> visitor) {
    deaths.values().forEach(visitor);
  }

  @Override
  public DeadRanges deadRanges(long horizon) {
    return new Walk();
  }

  private final class Walk implements DeadRanges {
    private @Nullable KeyRange current;

    @Override
    public boolean advanceTo(byte[] key, int length) {
      byte[] wanted = Arrays.copyOf(key, length);
      Map.Entry<byte[], Death> at = deaths.floorEntry(wanted);
      if (at == null
          || Arrays.compareUnsigned(at.getValue().ranges().get(0).endExclusive(), wanted) <= 0) {
        at = deaths.higherEntry(wanted);
      }
      current = at == null ? null : at.getValue().ranges().get(0);
      return current != null;
    }

    @Override
    public byte @Nullable [] start() {
      KeyRange range = current;
      return range == null ? null : range.start();
    }

    @Override
    public byte @Nullable [] endExclusive() {
      KeyRange range = current;
      return range == null ? null : range.endExclusive();
    }

    @Override
    public boolean isDead(byte[] key, int length) {
      return false;
    }

    @Override
    public void close() {}
  }
}
