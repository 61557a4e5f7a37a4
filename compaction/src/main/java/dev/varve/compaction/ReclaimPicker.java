package dev.varve.compaction;

import dev.varve.lsm.version.TableMeta;
import dev.varve.lsm.version.Version;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Picks for the sake of space: tables with dead entries, and tombstones above much they hide. */
final class ReclaimPicker {
  private final CompactionOptions options;
  private final LevelZeroPicker levelZero;

  ReclaimPicker(CompactionOptions options, LevelZeroPicker levelZero) {
    this.options = options;
    this.levelZero = levelZero;
  }

  /** All tables that are wholly dead, or null: this costs nothing, so it always comes first. */
  @Nullable Plan pickDeletion(Shape shape) {
    List<PlacedTable> dead = new ArrayList<>();
    for (int level = 0; level < Version.LEVELS; level++) {
      for (TableMeta table : shape.version.level(level)) {
        if (shape.input.garbage().in(table).whole() && !shape.isBusy(table)) {
          dead.add(new PlacedTable(level, table));
        }
      }
    }
    return dead.isEmpty() ? null : new Plan.Delete(Reason.DEAD_TABLES, dead);
  }

  /** The pass that pays best among those that pay, or null. */
  @Nullable Candidate pick(Shape shape) {
    Candidate best = null;
    for (int level = 0; level < Version.LEVELS; level++) {
      for (TableMeta table : shape.version.level(level)) {
        if (!shape.isBusy(table)) {
          best = Candidate.better(best, deadEntries(shape, level, table));
          if (level > 0) {
            best = Candidate.better(best, tombstones(shape, level, table));
          }
        }
      }
    }
    for (List<TableMeta> group : levelZero.groups(shape)) {
      best = Candidate.better(best, tombstonesOfLevelZero(shape, group));
    }
    return best;
  }

  private @Nullable Candidate deadEntries(Shape shape, int level, TableMeta table) {
    TableGarbage.InTable garbage = shape.input.garbage().in(table);
    double share = (double) shape.input.garbage().deadBytes(table) / fileBytes(List.of(table));
    double required =
        Reclaim.requiredShare(table, garbage.oldestAgeMillis(), shape.input.quiet(), options);
    if (share < required) {
      return null;
    }
    return rewrite(shape, level, table, Reason.DEAD_ENTRIES, share / required);
  }

  /** Rewrites one table where it stands. */
  private static @Nullable Candidate rewrite(
      Shape shape, int level, TableMeta table, Reason reason, double score) {
    Plan plan =
        new Plan.Merge(reason, Shape.placed(List.of(table), level, List.of(), level), level);
    return shape.canRun(plan) ? new Candidate(score, plan) : null;
  }

  private @Nullable Candidate tombstones(Shape shape, int level, TableMeta table) {
    List<TableMeta> upper = List.of(table);
    if (!hasTombstonesToDrop(shape, upper)) {
      return null;
    }
    if (!shape.isAnythingBelow(upper, level)) {
      double share = (double) table.tombstones() / table.entries();
      double required = Reclaim.requiredShare(table, 0, shape.input.quiet(), options);
      return share < required
          ? null
          : rewrite(shape, level, table, Reason.TOMBSTONES, share / required);
    }
    List<TableMeta> below = shape.overlap(upper, level + 1);
    double score = sinkingScore(shape, upper, below);
    if (score < 1) {
      return null;
    }
    List<PlacedTable> inputs = Shape.placed(upper, level, below, level + 1);
    Plan plan =
        below.isEmpty()
            ? new Plan.Move(Reason.TOMBSTONES, inputs, level + 1)
            : new Plan.Merge(Reason.TOMBSTONES, inputs, level + 1);
    return shape.canRun(plan) ? new Candidate(score, plan) : null;
  }

  private @Nullable Candidate tombstonesOfLevelZero(Shape shape, List<TableMeta> group) {
    if (!hasTombstonesToDrop(shape, group)) {
      return null;
    }
    List<TableMeta> below = shape.overlap(group, shape.targets.baseLevel());
    double score = sinkingScore(shape, group, below);
    Plan plan = score < 1 ? null : levelZero.mergeDown(shape, group, Reason.TOMBSTONES);
    return plan == null ? null : new Candidate(score, plan);
  }

  /** Tombstones above the horizon cannot be dropped yet: a rewrite would change nothing. */
  private static boolean hasTombstonesToDrop(Shape shape, List<TableMeta> tables) {
    for (TableMeta table : tables) {
      if (table.tombstones() > 0 && table.largestSequence() <= shape.input.horizon()) {
        return true;
      }
    }
    return false;
  }

  /**
   * What merging tombstones with what lies below would drop, over what must be dropped to pay. Each
   * tombstone is taken to hide one entry of average size and is small itself.
   */
  private double sinkingScore(Shape shape, List<TableMeta> upper, List<TableMeta> below) {
    long tombstones = 0;
    double ownBytes = 0;
    for (TableMeta table : upper) {
      tombstones += table.tombstones();
      ownBytes += tombstoneBytes(table);
    }
    long belowEntries = 0;
    for (TableMeta table : below) {
      belowEntries += table.entries();
    }
    double belowBytes = below.isEmpty() ? 0 : fileBytes(below);
    double hidden =
        belowEntries == 0 ? 0 : belowBytes * Math.min(tombstones, belowEntries) / belowEntries;
    double share = (hidden + ownBytes) / (fileBytes(upper) + belowBytes);
    double required = shape.input.quiet() ? options.reclaimShareQuiet() : options.reclaimShare();
    return share / required;
  }

  /** A tombstone has no value: about a quarter of an entry. */
  private static double tombstoneBytes(TableMeta table) {
    double share = (double) table.tombstones() / Math.max(1, table.entries());
    return table.fileBytes() * share / (4 - 3 * share);
  }

  private static double fileBytes(List<TableMeta> tables) {
    return Math.max(1, Shape.fileBytes(tables));
  }
}
