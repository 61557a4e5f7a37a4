package dev.varve.compaction;

import dev.varve.lsm.version.Version;
import java.util.ArrayList;
import java.util.List;

/**
 * Says which deaths have nothing left on disk or in memory, so that their record can go. For one
 * thread and one search.
 */
final class Retirement {
  /*
   * Three looks at a tree that goes on changing, and their order matters. First which deaths there
   * are: whatever died is older than its death, so it was in a memtable or a table by then. Second
   * what is still in memtables, third what is in tables: what is flushed in between is in the third.
   *
   * The death itself need not be flushed: it is in the log before the deletion of its record.
   */
  private static final int DEATHS_AT_A_TIME = 1024;

  private final TableStore store;
  private final int max;
  private final List<Death> inNoMemtable = new ArrayList<>();
  private final List<Death> retirable = new ArrayList<>();

  private Retirement(TableStore store, int max) {
    this.store = store;
    this.max = max;
  }

  /** The first {@code max} recorded deaths that no table and no memtable can hold an entry of. */
  static List<Death> retirable(TableStore store, GarbageSource source, int max) {
    Retirement search = new Retirement(store, max);
    source.forEach(search::visit);
    search.lookInTables();
    return search.retirable;
  }

  private void visit(Death death) {
    if (retirable.size() == max || isInMemory(death)) {
      return;
    }
    inNoMemtable.add(death);
    if (inNoMemtable.size() == DEATHS_AT_A_TIME) {
      lookInTables();
    }
  }

  private boolean isInMemory(Death death) {
    if (store.oldestUnflushedSequence() > death.sequence()) {
      return false;
    }
    for (KeyRange range : death.ranges()) {
      if (store.isInMemory(range)) {
        return true;
      }
    }
    return false;
  }

  private void lookInTables() {
    Version tables = store.version();
    for (Death death : inNoMemtable) {
      if (retirable.size() < max && !isHeld(tables, death)) {
        retirable.add(death);
      }
    }
    inNoMemtable.clear();
  }

  private boolean isHeld(Version tables, Death death) {
    boolean[] held = {false};
    for (KeyRange range : death.ranges()) {
      RangeTables.forEach(
          tables,
          death,
          range,
          table ->
              held[0] |= store.approximateBytes(table, range.start(), range.endExclusive()) > 0);
    }
    return held[0];
  }
}
