package dev.varve.server.engine;

import dev.varve.codec.Databases;
import dev.varve.codec.DeadRange;
import dev.varve.codec.GarbageWalk;
import dev.varve.codec.format.KeyFormat;
import dev.varve.lsm.entry.DeadRanges;
import dev.varve.lsm.entry.ReadFailure;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Codec's dead ranges, as a pass walks them. For one thread. */
final class RecordedRanges implements DeadRanges {
  /*
   * Read some at a time, each time from the state of that moment, so that a long pass keeps no
   * snapshot, and with it no memtable and no file that others have replaced. A later state knows
   * more deaths and lacks only those of which nothing was left. Each read begins at the key that the
   * pass has come to: it costs what is around the pass's input, however many records there are.
   *
   * A pass must come to its end also where they cannot be read, for a damaged block or a log that
   * cannot be synced: memtables that are never flushed end all writing. It drops nothing from there on.
   */

  private static final Logger LOG = LoggerFactory.getLogger(RecordedRanges.class);

  static final int RANGES_AT_A_TIME = 512;
  static final long BYTES_AT_A_TIME = 1 << 20;

  private final Supplier<TreeView> latest;
  private final Databases databases;
  private final List<DeadRange> ranges = new ArrayList<>();
  private int at;
  private boolean isMore = true;
  private boolean areAll = true;

  /**
   * @param latest opens the latest published state, of which all that it says of deaths is synced
   * @param databases which databases are dead
   */
  RecordedRanges(Supplier<TreeView> latest, Databases databases) {
    this.latest = latest;
    this.databases = databases;
  }

  @Override
  public boolean advanceTo(byte[] key, int length) {
    while (true) {
      while (at < ranges.size() && endsBefore(ranges.get(at), key, length)) {
        at++;
      }
      if (at < ranges.size() || !isMore) {
        return at < ranges.size();
      }
      read(Arrays.copyOf(key, length));
    }
  }

  private static boolean endsBefore(DeadRange range, byte[] key, int length) {
    byte[] end = range.end();
    return Arrays.compareUnsigned(end, 0, end.length, key, 0, length) <= 0;
  }

  private void read(byte[] from) {
    ranges.clear();
    at = 0;
    long bytes = 0;
    try (TreeView view = latest.get();
        GarbageWalk recorded = new GarbageWalk(view, from)) {
      isMore = recorded.next();
      while (isMore && ranges.size() < RANGES_AT_A_TIME && bytes < BYTES_AT_A_TIME) {
        DeadRange range = recorded.range();
        ranges.add(range);
        bytes += range.start().length + range.end().length;
        isMore = recorded.next();
      }
    } catch (ReadFailure failure) {
      LOG.warn("a pass drops no more of what died: {}", failure.getMessage());
      isMore = false;
      areAll = false;
    }
  }

  @Override
  public boolean areAll() {
    return areAll;
  }

  @Override
  public byte @Nullable [] start() {
    return at < ranges.size() ? ranges.get(at).start() : null;
  }

  @Override
  public byte @Nullable [] endExclusive() {
    return at < ranges.size() ? ranges.get(at).end() : null;
  }

  /** Expiry keys are ordered by time, so those of a dead database lie scattered. */
  @Override
  public boolean isDead(byte[] key, int length) {
    return key[0] == KeyFormat.EXPIRY
        && databases.isDead(KeyFormat.databaseId(key.length == length ? key : head(key, length)));
  }

  private static byte[] head(byte[] key, int length) {
    return Arrays.copyOf(key, length);
  }

  @Override
  public void close() {}
}
