package dev.varve.server.engine;

import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.store.StoreBatch;
import org.jspecify.annotations.Nullable;

/**
 * What the writer keeps of the tree in memory, and in step with what it writes: rows that it reads
 * often, what it walked over of late, and rows in forms of their own.
 *
 * <p>Keyspace loop only, but for the figures.
 */
final class WriterCaches {
  private final RowCache rows;
  private final WalkCache walks;
  private final Residents residents;
  private volatile long garbageGeneration = 1;

  /**
   * Empty caches.
   *
   * @param heapBytes what the heap may grow to: each takes a share of it
   */
  WriterCaches(long heapBytes) {
    rows = new RowCache(RowCache.bytesFor(heapBytes));
    walks = new WalkCache(WalkCache.bytesFor(heapBytes));
    residents = new Residents(Residents.bytesFor(heapBytes));
  }

  /** The newest values of what the writer reads often. */
  RowCache rows() {
    return rows;
  }

  /** What the writer walked over of late. */
  WalkCache walks() {
    return walks;
  }

  /** Rows in forms of their own. */
  Residents residents() {
    return residents;
  }

  /** Changes whenever a garbage record is written or deleted. Any thread. */
  long garbageGeneration() {
    return garbageGeneration;
  }

  /**
   * A key is written, or deleted if {@code value} is null. Returns its row, or {@link
   * RowCache#NO_ROW}.
   */
  @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
  long written(byte[] key, long hash, byte @Nullable [] value) {
    if (key[0] == KeyFormat.GARBAGE) {
      garbageGeneration++;
    } else if (key[0] == KeyFormat.RANK) {
      residents.written(key, value);
    }
    return settled(key, hash, value);
  }

  /** The same for a value that came in two parts, of which one array is made only if need be. */
  long writtenLong(byte[] key, long hash, byte[] start, byte[] rest) {
    boolean isKept = rows.hasLong(key, hash);
    long row = rows.written(key, hash, isKept ? StoreBatch.joined(start, rest) : null);
    // Too long for a walk already.
    walks.written(key, rest);
    return row;
  }

  /** As {@link #written}, for a row that the residents hand over themselves. */
  long settled(byte[] key, long hash, byte @Nullable [] value) {
    // A key that had no value has no row, and to look for it is a fetch from memory.
    long row = value == StoreBatch.INSERTED ? RowCache.NO_ROW : rows.written(key, hash, value);
    walks.written(key, value);
    return row;
  }

  /** What is stored under a key stays, and nobody asks for it any more. */
  void forget(byte[] key) {
    walks.written(key, null);
  }

  /** Bytes of heap that they take. Any thread, and may be a moment behind. */
  long heldBytes() {
    return rows.heldBytes() + walks.heldBytes() + residents.heldBytes();
  }

  /** Forgets all: it may be what was not written. */
  void clear() {
    rows.clear();
    walks.clear();
    residents.clear();
  }
}
