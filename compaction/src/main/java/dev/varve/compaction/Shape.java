package dev.varve.compaction;

import dev.varve.lsm.entry.KeyComparator;
import dev.varve.lsm.version.TableMeta;
import dev.varve.lsm.version.Version;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Questions that every kind of pick asks of a {@link PickerInput}. For one pick. */
final class Shape {
  final PickerInput input;
  final Version version;
  final KeyComparator order;
  final LevelTargets targets;
  private final Set<Long> running = new HashSet<>();

  Shape(PickerInput input, CompactionOptions options) {
    this.input = input;
    this.version = input.version();
    this.order = version.order();
    this.targets = new LevelTargets(version, options);
    for (Plan plan : input.running()) {
      for (PlacedTable placed : plan.inputs()) {
        running.add(placed.table().number());
      }
    }
  }

  /** Whether a pass is at the table, or has failed on it of late. */
  boolean isBusy(TableMeta table) {
    return running.contains(table.number()) || input.avoided().contains(table.number());
  }

  boolean isAnyBusy(List<TableMeta> tables) {
    for (TableMeta table : tables) {
      if (isBusy(table)) {
        return true;
      }
    }
    return false;
  }

  /** Whether a pass is at one of them. */
  boolean isAnyRunning(List<TableMeta> tables) {
    for (TableMeta table : tables) {
      if (running.contains(table.number())) {
        return true;
      }
    }
    return false;
  }

  /** Tables of {@code level}, 1 or deeper, whose range meets that of {@code tables}. */
  List<TableMeta> overlap(List<TableMeta> tables, int level) {
    return version.overlapping(level, smallestKey(tables), largestKey(tables));
  }

  boolean isAnythingBelow(List<TableMeta> tables, int level) {
    for (int below = level + 1; below < Version.LEVELS; below++) {
      if (!overlap(tables, below).isEmpty()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether the plan can run beside those that run: shares no table with them, and writes to no
   * range of a level that one of them writes to.
   */
  boolean canRun(Plan plan) {
    for (PlacedTable placed : plan.inputs()) {
      if (isBusy(placed.table())) {
        return false;
      }
    }
    if (plan instanceof Plan.Delete || plan.outputLevel() == 0) {
      return true;
    }
    byte[] smallest = plan.smallestKey(order);
    byte[] largest = plan.largestKey(order);
    for (Plan other : input.running()) {
      if (other.outputLevel() == plan.outputLevel()
          && order.compare(other.smallestKey(order), largest) <= 0
          && order.compare(other.largestKey(order), smallest) >= 0) {
        return false;
      }
    }
    return true;
  }

  byte[] smallestKey(List<TableMeta> tables) {
    byte[] smallest = tables.get(0).smallestKey();
    for (TableMeta table : tables) {
      smallest = order.compare(table.smallestKey(), smallest) < 0 ? table.smallestKey() : smallest;
    }
    return smallest;
  }

  byte[] largestKey(List<TableMeta> tables) {
    return largestKey(tables, order);
  }

  static byte[] largestKey(List<TableMeta> tables, KeyComparator order) {
    byte[] largest = tables.get(0).largestKey();
    for (TableMeta table : tables) {
      largest = order.compare(table.largestKey(), largest) > 0 ? table.largestKey() : largest;
    }
    return largest;
  }

  static long fileBytes(List<TableMeta> tables) {
    long sum = 0;
    for (TableMeta table : tables) {
      sum += table.fileBytes();
    }
    return sum;
  }

  long deadBytes(List<TableMeta> tables) {
    long sum = 0;
    for (TableMeta table : tables) {
      sum += input.garbage().deadBytes(table);
    }
    return sum;
  }

  static List<PlacedTable> placed(
      List<TableMeta> upper, int upperLevel, List<TableMeta> lower, int lowerLevel) {
    List<PlacedTable> placed = new ArrayList<>();
    upper.forEach(table -> placed.add(new PlacedTable(upperLevel, table)));
    lower.forEach(table -> placed.add(new PlacedTable(lowerLevel, table)));
    return placed;
  }
}
