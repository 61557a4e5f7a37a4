package dev.varve.lsm.memtable;

import dev.varve.lsm.entry.EntryCursor;
import java.nio.ByteBuffer;

/**
 * Where the next new key belongs if it comes right behind the latest one, or right before it, as
 * the elements of a list do that is pushed to: a finger search (Guibas, McCreight, Plass and
 * Roberts, "A new representation for linear lists", 1977). For the writer.
 */
final class Finger {
  /** What {@link #find} returns for a key that belongs elsewhere. */
  static final int ELSEWHERE = -1;

  /** So many entries side by side make a run: keys in no order have two or three by chance. */
  private static final int RUN_MIN = 4;

  private final EntryArena arena;
  private final LeafIndex index;

  private int leaf;
  private int slot;

  /** Entries that came one behind the other; below zero, one before the other. */
  private int run;

  /** The entry at which the leaf's part of the order ends, 0 if nothing does. */
  private int upper;

  Finger(EntryArena arena, LeafIndex index) {
    this.arena = arena;
    this.index = index;
    this.leaf = index.firstLeaf();
  }

  /** The leaf that {@link #find} has looked at. */
  int leaf() {
    return leaf;
  }

  boolean isAscending() {
    return run >= RUN_MIN;
  }

  boolean isDescending() {
    return run <= -RUN_MIN;
  }

  /**
   * The slot at which a key that goes on with the run belongs, and which no version of it precedes
   * or follows; or {@link #ELSEWHERE}.
   */
  int find(byte[] key, int offset, int length) {
    if (!isAscending() && !isDescending()) {
      return ELSEWHERE;
    }
    ByteBuffer memory = arena.chunk(leaf);
    int start = arena.offset(leaf);
    int count = LeafFormat.count(memory, start);
    int at = run > 0 ? slot + 1 : slot;
    // Slots move when others are dropped, so what stands beside it now has the say.
    if (at > count || at == 0 && leaf != index.firstLeaf()) {
      return ELSEWHERE;
    }
    if (at > 0) {
      int before = LeafFormat.reference(memory, start, at - 1);
      if (arena.compare(key, offset, length, EntryCursor.SEQUENCE_MAX, before, 0) <= 0) {
        return ELSEWHERE;
      }
    }
    // Not the first entry of the next leaf: what comes before that may belong there, too.
    int behind = at < count ? LeafFormat.reference(memory, start, at) : upper;
    if (behind != 0 && arena.compare(key, offset, length, 0, behind, 0) >= 0) {
      return ELSEWHERE;
    }
    return at;
  }

  /** An entry was put where {@link #find} had said. */
  void followed(int itsSlot) {
    slot = itsSlot;
  }

  /**
   * An entry of a new key belongs at a slot of the leaf that {@link LeafIndex#findForWriter} has
   * found last.
   */
  void searched(int itsLeaf, int itsSlot) {
    if (itsLeaf == leaf && itsSlot == slot + 1) {
      run = Math.max(run, 0) + 1;
    } else if (itsLeaf == leaf && itsSlot == slot) {
      run = Math.min(run, 0) - 1;
    } else {
      run = 0;
    }
    leaf = itsLeaf;
    slot = itsSlot;
    if (isAscending() || isDescending()) {
      upper = index.upperOfLatest();
    }
  }

  /**
   * The leaf of the latest entry was split: {@code separator} is the first of those that went to
   * {@code right}, and was at {@code middle}.
   */
  void split(int middle, int separator, int right) {
    if (slot < middle || isDescending()) {
      upper = separator;
      slot = Math.min(slot, middle);
    } else {
      leaf = right;
      slot -= middle;
    }
  }
}
