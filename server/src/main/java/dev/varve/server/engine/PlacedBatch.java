package dev.varve.server.engine;

import dev.varve.codec.store.StoreBatch;
import dev.varve.lsm.WriteBatch;
import dev.varve.lsm.memtable.EntryPlace;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A batch for the tree, and the cached row of each of its entries: a row tells where the newest
 * entry of its key stands in the memtable, so that nobody has to search for it, and learns where
 * the next one does.
 *
 * <p>Keyspace loop only.
 */
final class PlacedBatch {
  private static final int ENTRIES_MIN = 16;

  private final WriteBatch batch = new WriteBatch();
  private final RowCache rows;

  /** The row of each of the first entries, or {@link RowCache#NO_ROW}. */
  private long[] rowOf = new long[ENTRIES_MIN];

  /** An empty batch for keys whose rows are among these. */
  PlacedBatch(RowCache rows) {
    this.rows = rows;
  }

  /** What the tree is given. */
  WriteBatch batch() {
    return batch;
  }

  /** Says that so many writes are going to be added, with so many bytes of keys and values. */
  void prepare(int writes, long bytes) {
    batch.prepare(writes, bytes);
    int kept = Math.min(writes, WriteBatch.PLACES_MAX);
    if (kept > rowOf.length) {
      rowOf = new long[kept];
    }
  }

  /**
   * Adds a write of a key.
   *
   * @param value {@link StoreBatch#INSERTED} and {@link StoreBatch#DELETED} among them
   * @param rest what follows the value, if it comes in two parts
   * @param row of the key, or {@link RowCache#NO_ROW}
   */
  void add(byte[] key, byte[] value, byte @Nullable [] rest, long row) {
    if (value == StoreBatch.DELETED) {
      batch.delete(key);
    } else if (rest == null) {
      batch.put(key, value);
    } else {
      batch.put(key, value, rest);
    }
    if (value == StoreBatch.INSERTED) {
      batch.inserting();
    } else if (row != RowCache.NO_ROW) {
      batch.replacing(rows.place(row), rows.mark(row));
    }
    noteRow(batch.entries() - 1, row);
  }

  private void noteRow(int entry, long row) {
    if (entry >= WriteBatch.PLACES_MAX) {
      if (row != RowCache.NO_ROW) {
        rows.placed(row, EntryPlace.NONE, 0);
      }
      return;
    }
    if (entry == rowOf.length) {
      rowOf = Arrays.copyOf(rowOf, Math.min(WriteBatch.PLACES_MAX, 2 * entry));
    }
    rowOf[entry] = row;
  }

  /** The tree has it: the rows learn where their keys' newest entries stand. */
  void notePlaces() {
    for (int i = Math.min(batch.entries(), WriteBatch.PLACES_MAX) - 1; i >= 0; i--) {
      if (rowOf[i] != RowCache.NO_ROW) {
        rows.placed(rowOf[i], batch.place(i), batch.mark(i));
      }
    }
  }

  /** Makes it empty. */
  void clear() {
    batch.clear();
  }
}
