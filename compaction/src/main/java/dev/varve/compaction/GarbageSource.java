package dev.varve.compaction;

import java.util.function.Consumer;

/**
 * The deaths that are still recorded, as the tree's user knows them. Safe for use by several
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
        public void forEach(Consumer<Death> visitor) {}
      };

  /** A number that changes whenever a death was recorded or forgotten. */
  long generation();

  /**
   * Visits all deaths that are recorded when it is called, in any order. Their ranges may touch or
   * nest. Each has been published, and survives power loss: tables are deleted on its word.
   *
   * @throws dev.varve.lsm.entry.ReadFailure when they cannot be read, or not be made to survive it
   */
  void forEach(Consumer<Death> visitor);
}
