package dev.varve.compaction;

import dev.varve.lsm.version.TableMeta;
import java.util.Map;

/**
 * What of each table is estimated to lie in dead ranges. Immutable; a table that it does not know
 * has none.
 *
 * @param tables by table number
 * @param pendingDeaths deaths that are still recorded
 * @param pendingRawBytes bytes that died in them, as far as recorded
 * @param oldestAgeMillis how long ago the oldest of them died, at least; 0 if there is none
 * @param newestDeath the greatest death sequence of them; -1 if there is none
 */
public record TableGarbage(
    Map<Long, InTable> tables,
    long pendingDeaths,
    long pendingRawBytes,
    long oldestAgeMillis,
    long newestDeath) {

  public static final TableGarbage NONE = new TableGarbage(Map.of(), 0, 0, 0, -1);

  /**
   * The garbage in one table.
   *
   * @param deadBytes estimated bytes of the file in dead ranges
   * @param oldestAgeMillis how long ago the oldest of it died, at least
   * @param whole whether every entry of the table is dead
   */
  public record InTable(long deadBytes, long oldestAgeMillis, boolean whole) {
    static final InTable NONE = new InTable(0, 0, false);
  }

  public TableGarbage {
    tables = Map.copyOf(tables);
  }

  /** File bytes of all tables that are estimated dead. */
  public long deadBytes() {
    long sum = 0;
    for (InTable table : tables.values()) {
      sum += table.deadBytes();
    }
    return sum;
  }

  InTable in(TableMeta table) {
    return tables.getOrDefault(table.number(), InTable.NONE);
  }

  /** Dead bytes of the table, at most its size. */
  long deadBytes(TableMeta table) {
    return Math.min(table.fileBytes(), in(table).deadBytes());
  }
}
