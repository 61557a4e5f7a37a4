package dev.varve.lsm.memtable;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The entries that have left their leaves for the batch that is being inserted, though they are
 * what readers see until it is published: should it get only half-way, they come back ({@link
 * LeafWriter#takeBack}).
 *
 * <p>For the writer.
 */
final class Displaced {
  private static final int START = 64;

  /** Room for more is of no use to the batches that come next. */
  private static final int KEPT_MAX = 1 << 14;

  /** In place of a newer entry's reference: there is none. */
  private static final int NONE = 0;

  private final EntryArena arena;
  private boolean isNoted;
  private long sequence;
  private int[] leaves = new int[START];
  private int[] newer = new int[START];
  private int[] older = new int[START];
  private int count;

  Displaced(EntryArena arena) {
    this.arena = arena;
  }

  /** Notes what leaves for the batch of a sequence number, until {@link #end}. */
  void begin(long itsSequence) {
    isNoted = true;
    sequence = itsSequence;
  }

  /** The batch is in: nothing comes back. */
  void end() {
    isNoted = false;
    count = 0;
    if (leaves.length > KEPT_MAX) {
      leaves = new int[START];
      newer = new int[START];
      older = new int[START];
    }
  }

  /**
   * A newer entry will take the place of one of its key. Before it does, for there may be no memory
   * for the note.
   */
  void replaced(int leaf, int newEntry, int oldEntry) {
    if (!isNoted) {
      return;
    }
    if (count == leaves.length) {
      int length = 2 * count;
      newer = Arrays.copyOf(newer, length);
      older = Arrays.copyOf(older, length);
      // Last, since its length is looked at.
      leaves = Arrays.copyOf(leaves, length);
    }
    leaves[count] = leaf;
    newer[count] = newEntry;
    older[count++] = oldEntry;
  }

  /** An entry will leave, and none of its key take its place. As above. */
  void removed(int leaf, int oldEntry) {
    replaced(leaf, NONE, oldEntry);
  }

  /** The sequence number of the batch. */
  long sequence() {
    return sequence;
  }

  int count() {
    return count;
  }

  /** The {@code i}-th entry that has left. */
  int entry(int i) {
    return older[i];
  }

  /** Whether no newer one has taken its place. */
  boolean isRemoved(int i) {
    return newer[i] == NONE;
  }

  /** Puts the {@code i}-th back where a newer one has taken its place. */
  void putBack(int i) {
    int reference = isRemoved(i) ? 0 : leaves[i];
    // It may have gone to a leaf that follows, when this one was split.
    while (reference != 0) {
      ByteBuffer memory = arena.chunk(reference);
      int leaf = arena.offset(reference);
      int slot = LeafFormat.slotOf(memory, leaf, LeafFormat.count(memory, leaf), newer[i], 0);
      if (slot >= 0) {
        LeafFormat.replaceReference(memory, leaf, slot, older[i]);
        return;
      }
      // If there is none, memory ran out before the newer one was there, and this one has not left.
      reference = LeafFormat.next(memory, leaf);
    }
  }
}
