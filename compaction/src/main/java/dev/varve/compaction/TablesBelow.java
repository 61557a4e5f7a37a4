package dev.varve.compaction;

import dev.varve.lsm.entry.KeyComparator;
import dev.varve.lsm.entry.KeysBelow;
import dev.varve.lsm.version.TableMeta;
import dev.varve.lsm.version.Version;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The tables that hold older entries than a plan's inputs, and their filters. For one thread. */
final class TablesBelow implements KeysBelow {
  private final TableStore store;
  private final KeyComparator order;
  private final List<TableMeta> olderOfLevelZero = new ArrayList<>();
  private final Version version;
  private final int firstLevel;
  private final Set<Long> inputs = new HashSet<>();

  TablesBelow(TableStore store, Version version, Plan plan) {
    this.store = store;
    this.order = version.order();
    this.version = version;
    this.firstLevel = Math.max(1, plan.topLevel());
    long newestInput = 0;
    for (PlacedTable placed : plan.inputs()) {
      inputs.add(placed.table().number());
      newestInput = Math.max(newestInput, placed.table().largestSequence());
    }
    if (plan.topLevel() == 0) {
      for (TableMeta table : version.level(0)) {
        if (!inputs.contains(table.number()) && table.smallestSequence() <= newestInput) {
          olderOfLevelZero.add(table);
        }
      }
    }
  }

  @Override
  public boolean mayHold(byte[] key, int keyLength) {
    for (TableMeta table : olderOfLevelZero) {
      byte[] largest = table.largestKey();
      if (isFrom(table, key, keyLength)
          && order.compare(largest, 0, largest.length, key, 0, keyLength) >= 0
          && store.mayHold(table, key, keyLength)) {
        return true;
      }
    }
    for (int level = firstLevel; level < Version.LEVELS; level++) {
      List<TableMeta> tables = version.level(level);
      int at = version.firstNotBefore(level, key, keyLength);
      if (at < tables.size()) {
        TableMeta table = tables.get(at);
        if (isFrom(table, key, keyLength)
            && !inputs.contains(table.number())
            && store.mayHold(table, key, keyLength)) {
          return true;
        }
      }
    }
    return false;
  }

  private boolean isFrom(TableMeta table, byte[] key, int keyLength) {
    byte[] smallest = table.smallestKey();
    return order.compare(smallest, 0, smallest.length, key, 0, keyLength) <= 0;
  }
}
