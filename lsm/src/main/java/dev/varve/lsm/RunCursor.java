package dev.varve.lsm;

import dev.varve.lsm.entry.EntryCursor;
import dev.varve.lsm.table.ReadContext;
import dev.varve.lsm.table.TableReader;
import dev.varve.lsm.version.TableMeta;
import dev.varve.lsm.version.Version;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Walks the disjoint tables of one run, such as a level is, as if they were one. For one thread;
 * opens a table's cursor when it gets there.
 */
final class RunCursor implements EntryCursor {
  private final Version version;
  private final List<TableMeta> metas;
  private final TableReader[] tables;
  private final ReadContext context;
  private int at = -1;
  private @Nullable EntryCursor current;

  /**
   * @param metas the tables, in order
   * @param tables their readers
   */
  RunCursor(Version version, List<TableMeta> metas, TableReader[] tables, ReadContext context) {
    this.version = version;
    this.metas = metas;
    this.tables = tables;
    this.context = context;
  }

  @Override
  public boolean seekToFirst() {
    return enter(0) && (entered().seekToFirst() || nextTable());
  }

  @Override
  public boolean seekToLast() {
    return enter(tables.length - 1) && (entered().seekToLast() || previousTable());
  }

  @Override
  public boolean seek(byte[] key, int offset, int length, long sequence) {
    return enter(firstNotBefore(key, offset, length))
        && (entered().seek(key, offset, length, sequence) || nextTable());
  }

  @Override
  public boolean seekBefore(byte[] key, int offset, int length, long sequence) {
    int from = Math.min(firstNotBefore(key, offset, length), tables.length - 1);
    return enter(from) && (entered().seekBefore(key, offset, length, sequence) || previousTable());
  }

  @Override
  public boolean next() {
    return entered().next() || nextTable();
  }

  @Override
  public boolean previous() {
    return entered().previous() || previousTable();
  }

  @Override
  public boolean isValid() {
    return current != null && current.isValid();
  }

  @Override
  public byte[] keyBuffer() {
    return entered().keyBuffer();
  }

  @Override
  public int keyLength() {
    return entered().keyLength();
  }

  @Override
  public long sequence() {
    return entered().sequence();
  }

  @Override
  public boolean isTombstone() {
    return entered().isTombstone();
  }

  @Override
  public ByteBuffer valueBuffer() {
    return entered().valueBuffer();
  }

  @Override
  public int valueOffset() {
    return entered().valueOffset();
  }

  @Override
  public int valueLength() {
    return entered().valueLength();
  }

  @Override
  public void close() {
    leave();
  }

  private int firstNotBefore(byte[] key, int offset, int length) {
    return offset == 0
        ? version.firstNotBefore(metas, key, length)
        : version.firstNotBefore(metas, Arrays.copyOfRange(key, offset, offset + length), length);
  }

  private boolean nextTable() {
    while (enter(at + 1)) {
      if (entered().seekToFirst()) {
        return true;
      }
    }
    return false;
  }

  private boolean previousTable() {
    while (enter(at - 1)) {
      if (entered().seekToLast()) {
        return true;
      }
    }
    return false;
  }

  /** Makes table {@code index} the current one; false, and none is, when there is no such table. */
  private boolean enter(int index) {
    if (index == at && current != null) {
      return true;
    }
    leave();
    if (index < 0 || index >= tables.length) {
      return false;
    }
    at = index;
    current = tables[index].cursor(context);
    return true;
  }

  private EntryCursor entered() {
    EntryCursor cursor = current;
    if (cursor == null) {
      throw new IllegalStateException("the cursor is not at an entry");
    }
    return cursor;
  }

  private void leave() {
    EntryCursor cursor = current;
    if (cursor != null) {
      current = null;
      cursor.close();
    }
  }
}
