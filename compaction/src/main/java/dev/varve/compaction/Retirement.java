package dev.varve.compaction;

import dev.varve.lsm.version.Version;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Says which deaths have nothing left on disk or in memory, so that their record can go. For one
 * thread and one search.
 */
final class Retirement {
  /*
   * Three looks at a tree that goes on changing, and their order matters. First which deaths there
   * are: whatever died is older than its death, so it was in a memtable or a table by then. Second
   * what is still in memtables, third what is in tables: what is flushed in between is in the third.
   */
  private final TableStore store;
  private final int max;
  private final List<Death> retirable = new ArrayList<>();
  private long oldestUnflushed;
  private @Nullable Version version;

  private Retirement(TableStore store, int max) {
    this.store = store;
    this.max = max;
  }

  /** The first {@code max} recorded deaths that no table and no memtable can hold an entry of. */
  static List<Death> retirable(TableStore store, GarbageSource source, int max) {
    Retirement search = new Retirement(store, max);
    source.forEach(search::visit);
    return search.retirable;
  }

  private void visit(Death death) {
    Version tables = version;
    if (tables == null) {
      oldestUnflushed = store.oldestUnflushedSequence();
      tables = store.version();
      version = tables;
    }
    if (retirable.size() < max && oldestUnflushed > death.sequence() && !isHeld(tables, death)) {
      retirable.add(death);
    }
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
