package dev.varve.compaction;

import java.util.function.Consumer;

/**
 * The dead ranges that are still recorded, as the tree's user knows them. Safe for use by several
 * threads; may wait for the disk.
 */
public interface GarbageSource {

  /** Nothing was ever declared dead. */
  GarbageSource NONE =
      new GarbageSource() {
        @Override
        public long generation() {
          return 0;
        }

        @Override
        public void forEach(Consumer<DeadRange> visitor) {}
      };

  /** A number that changes whenever a range was added or removed. */
  long generation();

  /** Visits all recorded ranges in ascending order of their start. Ranges may touch or nest. */
  void forEach(Consumer<DeadRange> visitor);
}
