package dev.varve.compaction;

import dev.varve.lsm.version.TableMeta;
import dev.varve.lsm.version.Version;
import java.util.List;
import java.util.function.Consumer;

/** Which tables may hold entries of a dead range that are still to be dropped. Pure. */
final class RangeTables {

  private RangeTables() {}

  /**
   * Visits every table that meets the range and was not written when the range was already dead.
   * Costs a binary search per deeper level.
   */
  static void forEach(Version version, DeadRange range, Consumer<TableMeta> visitor) {
    for (TableMeta table : version.level(0)) {
      if (version.order().compare(table.largestKey(), range.start()) >= 0) {
        visitIfConcerned(version, range, table, visitor);
      }
    }
    for (int level = 1; level < Version.LEVELS; level++) {
      List<TableMeta> tables = version.level(level);
      int at = version.firstNotBefore(level, range.start(), range.start().length);
      while (at < tables.size() && startsBeforeEnd(version, range, tables.get(at))) {
        visitIfConcerned(version, range, tables.get(at), visitor);
        at++;
      }
    }
  }

  /** Whether every entry of the table is dead. */
  static boolean isWhole(Version version, DeadRange range, TableMeta table) {
    return version.order().compare(range.start(), table.smallestKey()) <= 0
        && version.order().compare(table.largestKey(), range.endExclusive()) < 0
        && table.largestSequence() <= range.deathSequence();
  }

  private static void visitIfConcerned(
      Version version, DeadRange range, TableMeta table, Consumer<TableMeta> visitor) {
    boolean writtenLater =
        table.deadThrough() >= range.deathSequence()
            || table.smallestSequence() > range.deathSequence();
    if (!writtenLater && startsBeforeEnd(version, range, table)) {
      visitor.accept(table);
    }
  }

  private static boolean startsBeforeEnd(Version version, DeadRange range, TableMeta table) {
    return version.order().compare(table.smallestKey(), range.endExclusive()) < 0;
  }
}
