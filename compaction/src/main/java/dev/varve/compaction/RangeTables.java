package dev.varve.compaction;

import dev.varve.lsm.version.TableMeta;
import dev.varve.lsm.version.Version;
import java.util.List;
import java.util.function.Consumer;

/** Which tables may hold entries of a death that are still to be dropped. Pure. */
final class RangeTables {

  private RangeTables() {}

  /**
   * Visits every table that meets the range and was not written after the death. Costs a binary
   * search per deeper level.
   */
  static void forEach(Version version, Death death, KeyRange range, Consumer<TableMeta> visitor) {
    for (TableMeta table : version.level(0)) {
      if (version.order().compare(table.largestKey(), range.start()) >= 0) {
        visitIfConcerned(version, death, range, table, visitor);
      }
    }
    for (int level = 1; level < Version.LEVELS; level++) {
      List<TableMeta> tables = version.level(level);
      int at = version.firstNotBefore(level, range.start(), range.start().length);
      while (at < tables.size() && startsBeforeEnd(version, range, tables.get(at))) {
        visitIfConcerned(version, death, range, tables.get(at), visitor);
        at++;
      }
    }
  }

  /** Whether every entry of the table is dead. */
  static boolean isWhole(Version version, Death death, KeyRange range, TableMeta table) {
    return version.order().compare(range.start(), table.smallestKey()) <= 0
        && version.order().compare(table.largestKey(), range.endExclusive()) < 0
        && table.largestSequence() <= death.sequence();
  }

  private static void visitIfConcerned(
      Version version, Death death, KeyRange range, TableMeta table, Consumer<TableMeta> visitor) {
    boolean writtenLater =
        table.deadThrough() >= death.sequence() || table.smallestSequence() > death.sequence();
    if (!writtenLater && startsBeforeEnd(version, range, table)) {
      visitor.accept(table);
    }
  }

  private static boolean startsBeforeEnd(Version version, KeyRange range, TableMeta table) {
    return version.order().compare(table.smallestKey(), range.endExclusive()) < 0;
  }
}
