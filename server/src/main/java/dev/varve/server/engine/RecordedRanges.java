package dev.varve.server.engine;

import dev.varve.codec.Databases;
import dev.varve.codec.format.KeyFormat;
import dev.varve.lsm.entry.DeadRanges;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Codec's dead ranges of one view, as a pass walks them. For one thread; owns the view. */
final class RecordedRanges implements DeadRanges {
  private static final byte[] EVERYTHING = {};

  private final TreeView view;
  private final Databases databases;
  private final dev.varve.codec.DeadRanges ranges;
  private boolean atRange;

  RecordedRanges(TreeView view, Databases databases) {
    this.view = view;
    this.databases = databases;
    this.ranges = new dev.varve.codec.DeadRanges(view, EVERYTHING, null);
    this.atRange = ranges.next();
  }

  @Override
  public boolean advanceTo(byte[] key, int length) {
    while (atRange
        && Arrays.compareUnsigned(ranges.end(), 0, ranges.end().length, key, 0, length) <= 0) {
      atRange = ranges.next();
    }
    return atRange;
  }

  @Override
  public byte @Nullable [] start() {
    return atRange ? ranges.start() : null;
  }

  @Override
  public byte @Nullable [] endExclusive() {
    return atRange ? ranges.end() : null;
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
  public void close() {
    ranges.close();
    view.close();
  }
}
