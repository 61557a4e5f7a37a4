package dev.varve.compaction;

import dev.varve.lsm.entry.EntryCursor;
import dev.varve.lsm.entry.ReadFailure;
import dev.varve.lsm.entry.RunCursor;
import dev.varve.lsm.table.PassReads;
import dev.varve.lsm.version.TableMeta;
import dev.varve.lsm.version.Version;
import java.io.IOException;
import java.util.List;

/** A pass's walk over its disjoint tables of one level. For one thread. */
final class PassRunCursor extends RunCursor {
  private final TableStore store;
  private final Version version;
  private final List<TableMeta> tables;
  private final PassReads reads;

  /**
   * @param tables in the order of their keys
   */
  PassRunCursor(TableStore store, Version version, List<TableMeta> tables, PassReads reads) {
    super(tables.size());
    this.store = store;
    this.version = version;
    this.tables = List.copyOf(tables);
    this.reads = reads;
  }

  @Override
  protected EntryCursor open(int table) {
    try {
      return store.openForPass(tables.get(table), reads);
    } catch (IOException e) {
      throw new ReadFailure(e);
    }
  }

  @Override
  protected int firstNotBefore(byte[] key, int offset, int length) {
    return version.firstNotBefore(tables, key, offset, length);
  }
}
