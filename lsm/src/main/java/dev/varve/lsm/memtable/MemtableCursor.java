package dev.varve.lsm.memtable;

import dev.varve.lsm.entry.EntryCursor;
import java.nio.ByteBuffer;

/** A walk over a memtable's entries, beside its writer. For one thread; holds a reference. */
final class MemtableCursor implements EntryCursor {

  /*
   * The cursor copies the references of the leaf it is in, together with the following leaf's, and
   * walks the copy: entries never move. At the copy's end it goes on to the leaf that followed when
   * it was made; what has been split off meanwhile is in the copy. At its start it goes on to the
   * leaf whose follower this one is.
   *
   * Entries lie all over the memory, in the order in which they came. A walk that read one after
   * the other would wait for each; going forward it fetches some at a time, side by side.
   */
  private static final int FETCHED_TOGETHER = 16;

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final Memtable memtable;
  private final EntryArena arena;
  private final LeafIndex index;

  private final int[] references = new int[LeafFormat.SLOTS];
  private int count;
  private int slot;
  private int leaf;
  private int next;

  private boolean valid;
  private boolean closed;
  private ByteBuffer memory = NOTHING;
  private int entry;
  private byte[] key = new byte[64];
  private int keyLength;

  /** Means nothing, but to the compiler. */
  private int fetched;

  MemtableCursor(Memtable memtable, EntryArena arena, LeafIndex index) {
    this.memtable = memtable;
    this.arena = arena;
    this.index = index;
  }

  @Override
  public boolean seekToFirst() {
    requireOpen();
    load(index.firstLeaf());
    slot = 0;
    return settle(count > 0);
  }

  @Override
  public boolean seekToLast() {
    requireOpen();
    load(index.lastLeaf());
    while (next != 0) {
      load(next);
    }
    slot = count - 1;
    return settle(count > 0);
  }

  @Override
  public boolean seek(byte[] target, int offset, int length, long sequence) {
    requireOpen();
    find(target, offset, length, sequence);
    return settle(slot < count);
  }

  @Override
  public boolean seekBefore(byte[] target, int offset, int length, long sequence) {
    requireOpen();
    find(target, offset, length, sequence);
    boolean isInLeafBefore = slot == 0;
    boolean at = stepBack();
    // Since that leaf was passed it may have got entries at its end that belong behind the target.
    while (at
        && isInLeafBefore
        && arena.compare(target, offset, length, sequence, references[slot], 0) <= 0) {
      at = stepBack();
    }
    return at;
  }

  @Override
  public boolean next() {
    requireValid();
    slot++;
    if (slot == count) {
      if (next == 0) {
        return settle(false);
      }
      load(next);
      slot = 0;
    }
    if (slot % FETCHED_TOGETHER == 0) {
      fetchFollowing();
    }
    return settle(true);
  }

  private void fetchFollowing() {
    int end = Math.min(count, slot + FETCHED_TOGETHER);
    for (int at = slot; at < end; at++) {
      fetched += arena.touch(references[at]);
    }
  }

  @Override
  public boolean previous() {
    requireValid();
    return stepBack();
  }

  private boolean stepBack() {
    if (slot > 0) {
      slot--;
      return settle(true);
    }
    int follower = leaf;
    int before = LeafFormat.previous(arena.chunk(follower), arena.offset(follower));
    if (before == 0) {
      return settle(false);
    }
    load(before);
    while (next != follower) {
      load(next);
    }
    slot = count - 1;
    return settle(true);
  }

  /** Loads the leaf of the first entry that is not before (key, sequence), and its slot. */
  private void find(byte[] target, int offset, int length, long sequence) {
    int reference = index.find(target, offset, length, sequence);
    while (true) {
      ByteBuffer chunk = arena.chunk(reference);
      int at = arena.offset(reference);
      int version = LeafFormat.beginRead(chunk, at);
      int entries = LeafFormat.count(chunk, at);
      int found = LeafSearch.find(arena, chunk, at, entries, target, offset, length, sequence);
      int following = LeafFormat.next(chunk, at);
      LeafFormat.copyReferences(chunk, at, entries, references);
      if (!LeafFormat.isUnchanged(chunk, at, version)) {
        continue;
      }
      int place = found < 0 ? ~found : found;
      if (place == entries && following != 0) {
        // Behind all of this leaf, so before the first of the next one, unless that was split off
        // after the index was read.
        reference = following;
        continue;
      }
      leaf = reference;
      count = entries;
      next = following;
      slot = place;
      return;
    }
  }

  private void load(int reference) {
    ByteBuffer chunk = arena.chunk(reference);
    int at = arena.offset(reference);
    while (true) {
      int version = LeafFormat.beginRead(chunk, at);
      count = LeafFormat.count(chunk, at);
      next = LeafFormat.next(chunk, at);
      LeafFormat.copyReferences(chunk, at, count, references);
      if (LeafFormat.isUnchanged(chunk, at, version)) {
        leaf = reference;
        return;
      }
    }
  }

  private boolean settle(boolean atEntry) {
    valid = atEntry;
    if (atEntry) {
      int reference = references[slot];
      memory = arena.chunk(reference);
      entry = arena.offset(reference);
      keyLength = EntryArena.keyLength(memory, entry);
      if (key.length < keyLength) {
        key = new byte[(int) Math.min(keyLength * 3L / 2, Integer.MAX_VALUE - 8)];
      }
      memory.get(entry + EntryArena.KEY, key, 0, keyLength);
    }
    return atEntry;
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("the cursor is closed");
    }
  }

  private void requireValid() {
    if (!valid) {
      throw new IllegalStateException("the cursor is not at an entry");
    }
  }

  @Override
  public boolean isValid() {
    return valid;
  }

  @Override
  public byte[] keyBuffer() {
    return key;
  }

  @Override
  public int keyLength() {
    return keyLength;
  }

  @Override
  public long sequence() {
    requireValid();
    return EntryArena.sequence(memory, entry);
  }

  @Override
  public boolean isTombstone() {
    requireValid();
    return EntryArena.isTombstone(memory, entry);
  }

  @Override
  public ByteBuffer valueBuffer() {
    requireValid();
    return memory;
  }

  @Override
  public int valueOffset() {
    return entry + EntryArena.KEY + keyLength;
  }

  @Override
  public int valueLength() {
    requireValid();
    return EntryArena.valueLength(memory, entry);
  }

  @Override
  public void close() {
    valid = false;
    if (!closed) {
      closed = true;
      memory = NOTHING;
      memtable.release();
    }
  }
}
