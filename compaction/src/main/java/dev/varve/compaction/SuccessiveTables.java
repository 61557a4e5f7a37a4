package dev.varve.compaction;

import dev.varve.lsm.entry.EntryCursor;
import dev.varve.lsm.entry.ReadFailure;
import dev.varve.lsm.table.PassReads;
import dev.varve.lsm.version.TableMeta;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A forward walk over the disjoint tables of one level, one open at a time: a table that a seek
 * goes past is never opened. For one pass and one thread; it cannot go backwards.
 */
final class SuccessiveTables implements EntryCursor {
  private final TableStore store;
  private final List<TableMeta> tables;
  private final PassReads reads;
  private int at = -1;
  private @Nullable EntryCursor current;

  SuccessiveTables(TableStore store, List<TableMeta> tables, PassReads reads) {
    this.store = store;
    this.tables = List.copyOf(tables);
    this.reads = reads;
  }

  @Override
  public boolean seekToFirst() {
    return toFirstFrom(0);
  }

  @Override
  public boolean seek(byte[] key, int offset, int length, long sequence) {
    int target = 0;
    while (target < tables.size() && endsBefore(tables.get(target), key, offset, length)) {
      target++;
    }
    if (target == tables.size()) {
      close();
      return false;
    }
    EntryCursor cursor = current;
    if (cursor == null || target != at) {
      cursor = open(target);
    }
    return cursor.seek(key, offset, length, sequence) || toFirstFrom(target + 1);
  }

  private boolean endsBefore(TableMeta table, byte[] key, int offset, int length) {
    byte[] largest = table.largestKey();
    return store.order().compare(largest, 0, largest.length, key, offset, length) < 0;
  }

  @Override
  public boolean next() {
    return current().next() || toFirstFrom(at + 1);
  }

  private boolean toFirstFrom(int table) {
    for (int next = table; next < tables.size(); next++) {
      if (open(next).seekToFirst()) {
        return true;
      }
    }
    close();
    return false;
  }

  private EntryCursor open(int table) {
    close();
    try {
      EntryCursor cursor = store.openForPass(tables.get(table), reads);
      at = table;
      current = cursor;
      return cursor;
    } catch (IOException e) {
      throw new ReadFailure(e);
    }
  }

  private EntryCursor current() {
    EntryCursor cursor = current;
    if (cursor == null) {
      throw new IllegalStateException("not at an entry");
    }
    return cursor;
  }

  @Override
  public boolean seekToLast() {
    throw new UnsupportedOperationException("a pass walks forward");
  }

  @Override
  public boolean seekBefore(byte[] key, int offset, int length, long sequence) {
    throw new UnsupportedOperationException("a pass walks forward");
  }

  @Override
  public boolean previous() {
    throw new UnsupportedOperationException("a pass walks forward");
  }

  @Override
  public boolean isValid() {
    return current != null && current.isValid();
  }

  @Override
  public byte[] keyBuffer() {
    return current().keyBuffer();
  }

  @Override
  public int keyLength() {
    return current().keyLength();
  }

  @Override
  public long sequence() {
    return current().sequence();
  }

  @Override
  public boolean isTombstone() {
    return current().isTombstone();
  }

  @Override
  public ByteBuffer valueBuffer() {
    return current().valueBuffer();
  }

  @Override
  public int valueOffset() {
    return current().valueOffset();
  }

  @Override
  public int valueLength() {
    return current().valueLength();
  }

  @Override
  public void close() {
    if (current != null) {
      current.close();
      current = null;
    }
  }
}
