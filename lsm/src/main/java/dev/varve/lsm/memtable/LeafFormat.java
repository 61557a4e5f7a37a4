package dev.varve.lsm.memtable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** How a leaf lies in memory, and how readers and the writer share it. */
final class LeafFormat {

  /*
   * A leaf holds up to SLOTS neighbouring entries, sorted. It starts a cache line; all is
   * big-endian:
   *
   *   offset  bytes
   *   0       4      version: odd while the writer changes the leaf
   *   4       4      number of entries
   *   8       4      the following leaf's reference, 0 if there is none
   *   12      4      the preceding leaf's reference, 0 if there is none
   *   16      4      how many first bytes the keys of all entries share
   *   20      4      an entry whose key starts with these bytes
   *   24      4      the gap of its words, as WordGap says, 0 if they have none
   *   32      40     the shared bytes, zero-padded, if they are no more than 40
   *   72      24     the bytes of all keys in the gap, zero-padded, if they are no more than 24
   *   96      8 * S  per entry the word of its key that follows the shared bytes
   *   96+8*S  4 * S  per entry its reference
   *
   * The version makes a leaf a sequence lock (Lameter, "Effective synchronization on Linux/NUMA
   * systems", 2005): a reader notes it, reads, and reads again if it has moved. Nothing else is
   * needed to read safely meanwhile: each field is read whole, and a slot below SLOTS only ever
   * holds entries that were written before. Adding behind the last entry changes nothing that is
   * read under the old count, so it leaves the version alone and only publishes the new count:
   * readers at the end of an ascending load are never sent back. Nor does replacing one reference by
   * that of a newer entry of the same key, when no reader looks at either.
   *
   * A leaf never loses its first position: splitting moves the upper entries to a new leaf that
   * follows it; versions that are dropped make room for a newer one of their key. So a reader that
   * comes by an old path finds what it looks for by going right, and the entries before a leaf are
   * those of the leaf whose `next` it is.
   *
   * Words of neighbours may be equal: then the entries must be fetched, which lie anywhere. The
   * members of a sorted set, say, that have the same score all start alike. So words may leave out
   * a second run of bytes that all keys of the leaf have in common.
   */
  static final int SLOTS = 48;
  static final int LEAF_BYTES = 96 + SLOTS * (Long.BYTES + Integer.BYTES);
  static final int SHARED_INLINE_MAX = 40;
  static final int GAP_INLINE_MAX = 24;

  private static final int VERSION = 0;
  private static final int COUNT = 4;
  private static final int NEXT = 8;
  private static final int PREVIOUS = 12;
  static final int SHARED_LENGTH = 16;
  static final int SHARED_ENTRY = 20;
  private static final int GAP = 24;
  static final int SHARED = 32;
  static final int GAP_BYTES = SHARED + SHARED_INLINE_MAX;
  private static final int WORDS = GAP_BYTES + GAP_INLINE_MAX;
  private static final int REFERENCES = WORDS + SLOTS * Long.BYTES;

  private static final int SPINS_MAX = 100;
  private static final VarHandle INT =
      MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

  private LeafFormat() {}

  /** Returns the leaf's version once the writer is not changing it. Reader. */
  static int beginRead(ByteBuffer memory, int leaf) {
    int version = (int) INT.getAcquire(memory, leaf + VERSION);
    for (int spins = 0; (version & 1) != 0; spins++) {
      if (spins < SPINS_MAX) {
        Thread.onSpinWait();
      } else {
        // The writer may have lost its processor in the middle of a change.
        Thread.yield();
      }
      version = (int) INT.getAcquire(memory, leaf + VERSION);
    }
    return version;
  }

  /** Whether all that was read since {@link #beginRead} belongs together. Reader. */
  static boolean isUnchanged(ByteBuffer memory, int leaf, int version) {
    VarHandle.acquireFence();
    return (int) INT.getOpaque(memory, leaf + VERSION) == version;
  }

  /** From here to {@link #endChange} readers wait or start over. Writer. */
  static void beginChange(ByteBuffer memory, int leaf) {
    INT.setOpaque(memory, leaf + VERSION, (int) INT.get(memory, leaf + VERSION) + 1);
    VarHandle.releaseFence();
  }

  static void endChange(ByteBuffer memory, int leaf) {
    INT.setRelease(memory, leaf + VERSION, (int) INT.get(memory, leaf + VERSION) + 1);
  }

  /** Makes undefined memory an empty leaf. Writer, before the leaf is published. */
  static void clear(ByteBuffer memory, int leaf) {
    for (int at = 0; at < WORDS; at += Long.BYTES) {
      memory.putLong(leaf + at, 0);
    }
  }

  static int count(ByteBuffer memory, int leaf) {
    return (int) INT.getAcquire(memory, leaf + COUNT);
  }

  static void publishCount(ByteBuffer memory, int leaf, int count) {
    INT.setRelease(memory, leaf + COUNT, count);
  }

  static int next(ByteBuffer memory, int leaf) {
    return memory.getInt(leaf + NEXT);
  }

  static void setNext(ByteBuffer memory, int leaf, int next) {
    memory.putInt(leaf + NEXT, next);
  }

  static int previous(ByteBuffer memory, int leaf) {
    return (int) INT.getAcquire(memory, leaf + PREVIOUS);
  }

  static void publishPrevious(ByteBuffer memory, int leaf, int previous) {
    INT.setRelease(memory, leaf + PREVIOUS, previous);
  }

  static int sharedLength(ByteBuffer memory, int leaf) {
    return memory.getInt(leaf + SHARED_LENGTH);
  }

  static int gap(ByteBuffer memory, int leaf) {
    return memory.getInt(leaf + GAP);
  }

  static void setGap(ByteBuffer memory, int leaf, int gap) {
    memory.putInt(leaf + GAP, gap);
  }

  static long word(ByteBuffer memory, int leaf, int slot) {
    return memory.getLong(leaf + WORDS + slot * Long.BYTES);
  }

  static int reference(ByteBuffer memory, int leaf, int slot) {
    return memory.getInt(leaf + REFERENCES + slot * Integer.BYTES);
  }

  /** Which of the first {@code count} slots names an entry, {@code hint} perhaps, or -1. */
  static int slotOf(ByteBuffer memory, int leaf, int count, int reference, int hint) {
    if (hint < count && reference(memory, leaf, hint) == reference) {
      return hint;
    }
    for (int slot = 0; slot < count; slot++) {
      if (reference(memory, leaf, slot) == reference) {
        return slot;
      }
    }
    return -1;
  }

  /** Reads from each cache line of a leaf, so that they are all on their way at the same time. */
  static int touch(ByteBuffer memory, int leaf) {
    int sum = 0;
    for (int at = 0; at < LEAF_BYTES; at += EntryArena.LINE_BYTES) {
      sum += memory.getInt(leaf + at);
    }
    return sum;
  }

  /** Reads from the cache lines that are needed to replace what one slot names. */
  static int touch(ByteBuffer memory, int leaf, int slot) {
    return memory.getInt(leaf) + reference(memory, leaf, slot);
  }

  static void put(ByteBuffer memory, int leaf, int slot, long word, int reference) {
    memory.putLong(leaf + WORDS + slot * Long.BYTES, word);
    memory.putInt(leaf + REFERENCES + slot * Integer.BYTES, reference);
  }

  /** Names another entry of the same key in a slot, without a change of the version. Writer. */
  static void replaceReference(ByteBuffer memory, int leaf, int slot, int reference) {
    INT.setRelease(memory, leaf + REFERENCES + slot * Integer.BYTES, reference);
  }

  static void setWord(ByteBuffer memory, int leaf, int slot, long word) {
    memory.putLong(leaf + WORDS + slot * Long.BYTES, word);
  }

  /** Moves the slots from {@code from} on up by one. Writer, within a change. */
  static void openSlot(ByteBuffer memory, int leaf, int from, int count) {
    move(memory, leaf, from, from + 1, count - from);
  }

  /** Moves the slots from {@code from} on down to {@code to}. Writer, within a change. */
  static void closeSlots(ByteBuffer memory, int leaf, int from, int to, int count) {
    if (from != to) {
      move(memory, leaf, from, to, count - from);
    }
  }

  /** Takes {@code slots} slots out of a leaf, from {@code slot} on. Writer. */
  static void remove(ByteBuffer memory, int leaf, int slot, int slots, int count) {
    beginChange(memory, leaf);
    closeSlots(memory, leaf, slot + slots, slot, count);
    publishCount(memory, leaf, count - slots);
    endChange(memory, leaf);
  }

  /** By whole words and references, as readers need it: {@code Unsafe.copyMemory} says so. */
  private static void move(ByteBuffer memory, int leaf, int from, int to, int slots) {
    int words = leaf + WORDS;
    memory.put(words + to * Long.BYTES, memory, words + from * Long.BYTES, slots * Long.BYTES);
    int references = leaf + REFERENCES;
    memory.put(
        references + to * Integer.BYTES,
        memory,
        references + from * Integer.BYTES,
        slots * Integer.BYTES);
  }

  /** Copies the first {@code count} references. */
  static void copyReferences(ByteBuffer memory, int leaf, int count, int[] target) {
    for (int slot = 0; slot < count; slot++) {
      target[slot] = reference(memory, leaf, slot);
    }
  }
}
