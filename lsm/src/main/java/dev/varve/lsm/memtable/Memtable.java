package dev.varve.lsm.memtable;

import dev.varve.lsm.entry.EntryCursor;
import dev.varve.lsm.entry.KeyWords;
import dev.varve.lsm.entry.Lookup;
import dev.varve.lsm.entry.ValueCopy;
import dev.varve.wal.OffHeap;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Sorted entries in memory, old versions and tombstones included.
 *
 * <p>One thread at a time adds (the writer); any number of threads read meanwhile, without locks
 * and without making the writer wait. It is shared by reference count: it starts with one holder,
 * every open cursor is another, and the last to release it frees its memory. Whoever calls any
 * other method holds a reference meanwhile: freed memory must never be read.
 */
public final class Memtable {

  /*
   * A B-link tree (Lehman and Yao, 1981) with one writer. Entries lie in an arena and never move.
   * Wide leaves beside them name them in order, each with the eight key bytes that follow what the
   * leaf's keys share, so that a search of a leaf reads neighbouring words and meets one entry,
   * mostly the right one. The few nodes above the leaves are on the heap, immutable, and replaced
   * by the writer. LeafFormat says how readers and the writer share a leaf.
   *
   * Order is unsigned byte order of keys, which is every tree's order, see KeyComparator.
   */
  private final EntryArena arena;
  private final LeafIndex index;
  private final LeafWriter writer;
  private final AtomicInteger holders = new AtomicInteger(1);

  // Set by the writer only, so that counting costs it a plain store.
  private final AtomicLong entries = new AtomicLong();
  private final AtomicLong tombstones = new AtomicLong();

  private long mark;

  /** An empty memtable with memory of its own. */
  public Memtable(OffHeap offHeap) {
    this(MemtableMemory.ofChunks(offHeap));
  }

  Memtable(OffHeap offHeap, int chunkBytes) {
    this(MemtableMemory.ofChunks(offHeap, chunkBytes));
  }

  /** An empty memtable; its memory goes back where it came from when the last holder has left. */
  public Memtable(MemtableMemory memory) {
    arena = new EntryArena(memory);
    int leaf = arena.allocateLines(LeafFormat.LEAF_BYTES);
    LeafFormat.clear(arena.chunk(leaf), arena.offset(leaf));
    index = new LeafIndex(arena, leaf);
    writer = new LeafWriter(arena, index);
  }

  /**
   * Adds an entry. Called by the writer only. No two entries may share key and sequence number.
   *
   * @param tombstone whether the entry says that the key is deleted; the value must be empty then
   * @throws IllegalArgumentException when key and value together are not below two gigabytes
   * @throws OutOfMemoryError when the operating system has no more; nothing was added then
   */
  public void add(
      byte[] key,
      int keyOffset,
      int keyLength,
      long sequence,
      boolean tombstone,
      byte[] value,
      int valueOffset,
      int valueLength) {
    add(
        key,
        keyOffset,
        keyLength,
        sequence,
        tombstone,
        value,
        valueOffset,
        valueLength,
        ReadPoints.EVERYWHERE,
        EntryPlace.NONE,
        0);
  }

  /**
   * The same, and older entries of the key that no reader can see any more may be dropped. Their
   * bytes stay taken: who met one before goes on reading it. Returns the entry's place, which is to
   * be handed in with the next entry of the same key, and {@link #mark} with it, to spare a search.
   *
   * @param readPoints asked during this call only
   * @param newest what adding the newest entry of this key has returned; {@link EntryPlace#NONE} is
   *     always right; {@link EntryPlace#ABSENT} promises that the key has no value, here or in
   *     older memtables and tables: if it is deleted again, both may leave, see {@link #dropSpent}
   * @param newestMark its mark
   */
  public long add(
      byte[] key,
      int keyOffset,
      int keyLength,
      long sequence,
      boolean tombstone,
      byte[] value,
      int valueOffset,
      int valueLength,
      ReadPoints readPoints,
      long newest,
      long newestMark) {
    int entry =
        arena.write(
            key, keyOffset, keyLength, sequence, tombstone, value, valueOffset, valueLength);
    int leaf =
        writer.insert(key, keyOffset, keyLength, sequence, entry, readPoints, newest, newestMark);
    mark =
        EntryPlace.mark(sequence, writer.slot(), tombstone ? EntryPlace.UNKNOWN : writer.behind());
    entries.lazySet(entries.get() + 1 - writer.dropped());
    int moreTombstones = (tombstone ? 1 : 0) - writer.droppedTombstones();
    if (moreTombstones != 0) {
      tombstones.lazySet(tombstones.get() + moreTombstones);
    }
    return writer.isGone() ? EntryPlace.NONE : EntryPlace.of(leaf, entry);
  }

  /**
   * Lets go of values that were inserted and deleted within this memtable, and of their tombstones,
   * if no reader looks between the two. Called by the writer only.
   *
   * @param published the newest sequence number that readers see: none to come looks at a smaller
   *     one
   */
  public void dropSpent(long published, ReadPoints readPoints) {
    int pairs = writer.spent().drop(published, readPoints);
    if (pairs > 0) {
      entries.lazySet(entries.get() - 2L * pairs);
      tombstones.lazySet(tombstones.get() - pairs);
    }
  }

  /**
   * What is added from here to {@link #keep} can be taken back by {@link #takeBack}, also where
   * entries leave for it that readers see before and after that. Called by the writer only.
   *
   * @param sequence of all that will be added until then
   */
  public void beginRetractable(long sequence) {
    writer.displaced().begin(sequence);
  }

  /** What was added stays. Called by the writer only. */
  public void keep() {
    writer.displaced().end();
  }

  /**
   * Shows readers at earlier sequence numbers what they saw before {@link #beginRetractable}. What
   * was added since then is still there as far as it took no other entry's place, so nothing may be
   * added any more, and {@link #tombstones} is no longer exact. Called by the writer only, while no
   * reader comes.
   */
  public void takeBack() {
    entries.lazySet(entries.get() + writer.takeBack());
  }

  /** The mark of the place that the latest {@link #add} returned. Called by the writer only. */
  public long mark() {
    return mark;
  }

  /**
   * Whether the key of the latest {@link #add} had a value here just before, as far as that was to
   * be seen on the way. Called by the writer only.
   */
  public boolean hidesValue() {
    return writer.hidesValue();
  }

  /**
   * Brings to the processor what {@link #add} will want of an entry's place. Many places one after
   * the other cost little more than one. Called by the writer only; the result means nothing, but
   * to the compiler.
   */
  public int touch(long place, long placeMark) {
    int reference = EntryPlace.leaf(place);
    ByteBuffer memory = arena.chunk(reference);
    int leaf = arena.offset(reference);
    return EntryPlace.behind(placeMark) == EntryPlace.UNKNOWN
        ? LeafFormat.touch(memory, leaf) + arena.touch(EntryPlace.entry(place))
        : LeafFormat.touch(memory, leaf, EntryPlace.slot(placeMark));
  }

  /** The same for a key whose place nobody knows, or that has no entry. */
  public int touch(byte[] key) {
    return touch(leaf(key));
  }

  /** The leaf that the entries of a key begin in, or in one behind it. Any thread. */
  public int leaf(byte[] key) {
    return index.find(key, 0, key.length, EntryCursor.SEQUENCE_MAX);
  }

  /** Fetches what a search in a leaf reads; the result means nothing, but to the compiler. */
  public int touch(int leaf) {
    return LeafFormat.touch(arena.chunk(leaf), arena.offset(leaf));
  }

  /**
   * The newest entry of a key up to a sequence number: its value as {@code copy} says, {@link
   * Lookup#TOMBSTONE} if it is one, or null if there is none.
   */
  public byte @Nullable [] get(byte[] key, long sequence, ValueCopy copy) {
    return get(index.find(key, 0, key.length, sequence), key, sequence, copy);
  }

  /** The same for a key whose {@link #leaf} is known. */
  public byte @Nullable [] get(int firstLeaf, byte[] key, long sequence, ValueCopy copy) {
    int leafReference = firstLeaf;
    while (true) {
      ByteBuffer memory = arena.chunk(leafReference);
      int leaf = arena.offset(leafReference);
      int version = LeafFormat.beginRead(memory, leaf);
      int count = LeafFormat.count(memory, leaf);
      int slot = LeafSearch.find(arena, memory, leaf, count, key, 0, key.length, sequence);
      int entry = slot >= 0 && slot < count ? LeafFormat.reference(memory, leaf, slot) : 0;
      int next = LeafFormat.next(memory, leaf);
      if (!LeafFormat.isUnchanged(memory, leaf, version)) {
        continue;
      }
      if (entry != 0) {
        return valueIfKey(entry, key, copy);
      }
      if (~slot != count || next == 0) {
        return null;
      }
      // Behind all of this leaf: it may have been split since the index was read.
      leafReference = next;
    }
  }

  private byte @Nullable [] valueIfKey(int reference, byte[] key, ValueCopy copy) {
    ByteBuffer memory = arena.chunk(reference);
    int entry = arena.offset(reference);
    int keyLength = EntryArena.keyLength(memory, entry);
    int start = entry + EntryArena.KEY;
    if (keyLength != key.length
        || KeyWords.compare(key, 0, key.length, memory, start, keyLength, 0) != 0) {
      return null;
    }
    if (EntryArena.isTombstone(memory, entry)) {
      return Lookup.TOMBSTONE;
    }
    return copy.of(memory, start + keyLength, EntryArena.valueLength(memory, entry));
  }

  /**
   * A walk over all entries, in both directions, beside the writer: entries that are added later
   * may or may not be seen. It holds a reference until it is closed.
   */
  public EntryCursor cursor() {
    retain();
    return new MemtableCursor(this, arena, index);
  }

  /** Off-heap bytes held. Any thread. */
  public long bytes() {
    return arena.heldBytes();
  }

  /** Entries held, tombstones included. Any thread. */
  public long entries() {
    return entries.get();
  }

  /** Tombstones held. Any thread. */
  public long tombstones() {
    return tombstones.get();
  }

  /** Takes a reference, unless the last one is gone already: then false. Any thread. */
  public boolean tryRetain() {
    int seen = holders.get();
    while (seen > 0) {
      int now = holders.compareAndExchange(seen, seen + 1);
      if (now == seen) {
        return true;
      }
      seen = now;
    }
    return false;
  }

  /** Takes a reference. The caller holds one already. Any thread. */
  public void retain() {
    if (!tryRetain()) {
      throw new IllegalStateException("the memtable was freed");
    }
  }

  /** Gives a reference back; the last one frees the memory. Any thread. */
  public void release() {
    int left = holders.decrementAndGet();
    if (left == 0) {
      arena.free();
    } else if (left < 0) {
      throw new IllegalStateException("memtable released more often than retained");
    }
  }
}
