package dev.varve.lsm.memtable;

import dev.varve.lsm.entry.KeyWords;
import java.nio.ByteBuffer;

/**
 * Finds the entries of one key that nobody can see any more once a newer one is added. For the
 * writer.
 */
final class VersionSweep {
  /*
   * A key that is written by every command, such as the meta of a collection, would fill leaf after
   * leaf with versions, and each walk over it would step through them. The versions follow their
   * successor in the leaf, newest first. One is seen by those readers only that look between its
   * sequence number and its successor's; when there are none, its slot is free.
   *
   * The newest of them stays nearly always, for the view that the writer itself reads. The sweep
   * ends at the next that stays: those behind it were looked at when they were new, and are looked
   * at again when it goes. While many snapshots are open, each write would otherwise step over all
   * that they keep. Versions in the leaf that follows are left alone: each leaf keeps few at most.
   */
  private static final int VERSIONS_MAX = 8;

  private static final int KEPT_MAX = 2;

  private final EntryArena arena;

  /** The versions that stay, newest first. */
  final int[] kept = new int[KEPT_MAX];

  /** The sequence number of the first of them. */
  long keptSequence;

  int keptCount;
  int droppedCount;
  int droppedTombstones;

  /** Whether the newest of the versions is a value. */
  boolean newestIsValue;

  /** Whether it is one that was inserted where there was none, and stays. */
  boolean keepsInserted;

  /** Whether it is one that was inserted where there was none, and is dropped. */
  boolean dropsInserted;

  private boolean newestIsKept;

  VersionSweep(EntryArena arena) {
    this.arena = arena;
  }

  /** Of one or two versions, all of them values, the last is dropped; the other one stays. */
  void dropLastValue(int others) {
    keptCount = others;
    droppedCount = 1;
    droppedTombstones = 0;
    newestIsValue = true;
  }

  /** What is left behind the new entry, as {@link EntryPlace} says. */
  int left() {
    if (keptCount + droppedCount == VERSIONS_MAX) {
      return EntryPlace.UNKNOWN;
    }
    if (keptCount == 0) {
      return EntryPlace.NONE_OLDER;
    }
    return keptCount == 1 && newestIsKept && newestIsValue
        ? EntryPlace.ONE_OLDER
        : EntryPlace.UNKNOWN;
  }

  /** The one version that was there, a value, has gone, and the tombstone for it is not needed. */
  void dropSpent() {
    droppedCount = 2;
    droppedTombstones = 1;
  }

  /** Whether the newest version, which is the one at hand, is dropped. */
  boolean dropsNewest() {
    return !newestIsKept;
  }

  /** Whether the latest look met no version of the key. */
  boolean metNone() {
    return keptCount + droppedCount == 0;
  }

  /** Nothing is known of any version. */
  void clear() {
    keptCount = 0;
    droppedCount = 0;
    droppedTombstones = 0;
    newestIsValue = false;
    keepsInserted = false;
    dropsInserted = false;
    newestIsKept = false;
  }

  /**
   * Looks at the versions of a key from {@code slot} on, before which (key, sequence) is to be
   * added.
   *
   * @param word what the key's entries have as their word in this leaf
   */
  void run(
      ByteBuffer memory,
      int leaf,
      int count,
      int slot,
      long word,
      byte[] key,
      int offset,
      int length,
      long sequence,
      ReadPoints readPoints) {
    clear();
    long successor = sequence;
    int end = Math.min(count, slot + VERSIONS_MAX);
    for (int at = slot;
        at < end && keptCount < KEPT_MAX && LeafFormat.word(memory, leaf, at) == word;
        at++) {
      int reference = LeafFormat.reference(memory, leaf, at);
      ByteBuffer entryMemory = arena.chunk(reference);
      int entry = arena.offset(reference);
      int keyLength = EntryArena.keyLength(entryMemory, entry);
      if (keyLength != length
          || KeyWords.compare(
                  key, offset, length, entryMemory, entry + EntryArena.KEY, keyLength, 0)
              != 0) {
        return;
      }
      boolean isTombstone = EntryArena.isTombstone(entryMemory, entry);
      newestIsValue |= at == slot && !isTombstone;
      long version = EntryArena.sequence(entryMemory, entry);
      if (readPoints.isAny(version, successor)) {
        newestIsKept |= at == slot;
        keepsInserted |= at == slot && EntryArena.isInserted(entryMemory, entry);
        if (keptCount == 0) {
          keptSequence = version;
        }
        kept[keptCount++] = reference;
        successor = version;
      } else {
        dropsInserted |= at == slot && EntryArena.isInserted(entryMemory, entry);
        droppedCount++;
        droppedTombstones += isTombstone ? 1 : 0;
      }
    }
  }
}
