package dev.varve.lsm;

import dev.varve.lsm.entry.EntryCursor;
import dev.varve.lsm.entry.RunCursor;
import dev.varve.lsm.table.ReadContext;
import dev.varve.lsm.table.TableReader;
import dev.varve.lsm.version.TableMeta;
import dev.varve.lsm.version.Version;
import java.util.List;

/** A reader's walk over the disjoint tables of one run. For one thread. */
final class TableRunCursor extends RunCursor {
  private final Version version;
  private final List<TableMeta> metas;
  private final TableReader[] tables;
  private final ReadContext context;

  /**
   * @param metas the tables, in order
   * @param tables their readers
   */
  TableRunCursor(
      Version version, List<TableMeta> metas, TableReader[] tables, ReadContext context) {
    super(tables.length);
    this.version = version;
    this.metas = metas;
    this.tables = tables;
    this.context = context;
  }

  @Override
  protected EntryCursor open(int table) {
    return tables[table].cursor(context);
  }

  @Override
  protected int firstNotBefore(byte[] key, int offset, int length) {
    return version.firstNotBefore(metas, key, offset, length);
  }
}
