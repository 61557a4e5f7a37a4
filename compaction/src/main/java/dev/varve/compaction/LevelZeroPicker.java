package dev.varve.compaction;

import dev.varve.lsm.version.TableMeta;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Picks from level 0, whose tables overlap: what must go down together, or is merged in place. */
final class LevelZeroPicker {
  /** Reads pay for runs. But no more tables than so many for each of the runs that are due. */
  private static final int TABLES_PER_RUN = 8;

  private final CompactionOptions options;

  LevelZeroPicker(CompactionOptions options) {
    this.options = options;
  }

  /** How much level 0 asks for a merge: 1 is due. */
  double score(Shape shape) {
    return Math.max(
        (double) shape.version.levelZeroRuns().size() / options.levelZeroTables(),
        scoreOfAll(shape));
  }

  /** How much it asks for one whatever lies over what. */
  private double scoreOfAll(Shape shape) {
    List<TableMeta> tables = shape.version.level(0);
    return Math.max(
        (double) tables.size() / (TABLES_PER_RUN * options.levelZeroTables()),
        (double) Shape.fileBytes(tables) / options.levelZeroBytes());
  }

  /** What to do about level 0 if it is due, or null. */
  @Nullable Candidate pick(Shape shape) {
    double score = score(shape);
    List<TableMeta> tables = shape.version.level(0);
    if (score < 1 || shape.isAnyBusy(tables)) {
      return null;
    }
    List<List<TableMeta>> groups = groups(shape);
    Plan plan = moves(shape, groups);
    List<List<TableMeta>> due = due(shape, groups);
    if (plan == null) {
      plan = mergeOfMost(shape, due, Reason.LEVEL_ZERO, false);
    }
    for (int i = 0; plan == null && i < due.size(); i++) {
      plan = mergeOfSmall(due.get(i));
    }
    if (plan == null && score >= 2) {
      plan = mergeOfMost(shape, due, Reason.LEVEL_ZERO, true);
    }
    return plan == null ? null : new Candidate(score, plan);
  }

  /** Merges level 0 down before it is due, or null if it holds too little to matter. */
  @Nullable Plan pickQuiet(Shape shape) {
    List<TableMeta> tables = shape.version.level(0);
    long baseBytes = shape.version.levelBytes(shape.targets.baseLevel());
    if (tables.isEmpty()
        || shape.isAnyBusy(tables)
        || Shape.fileBytes(tables) < options.upperShareQuiet() * baseBytes) {
      return null;
    }
    List<List<TableMeta>> groups = groups(shape);
    Plan moves = moves(shape, groups);
    return moves != null ? moves : mergeOfMost(shape, groups, Reason.QUIET, true);
  }

  /** Merges one group of level 0 with all it overlaps at the base level; null if it cannot run. */
  @Nullable Plan mergeDown(Shape shape, List<TableMeta> group, Reason reason) {
    int base = shape.targets.baseLevel();
    Plan plan =
        new Plan.Merge(reason, Shape.placed(group, 0, shape.overlap(group, base), base), base);
    return shape.canRun(plan) ? plan : null;
  }

  /** The groups that level 0 is due for: all of them, or those of many runs. */
  private List<List<TableMeta>> due(Shape shape, List<List<TableMeta>> groups) {
    if (scoreOfAll(shape) >= 1) {
      return groups;
    }
    List<List<TableMeta>> due = new ArrayList<>(groups);
    due.removeIf(group -> shape.version.runs(group).size() < options.levelZeroTables());
    return due;
  }

  /** The tables of level 0 in groups that overlap only among themselves; each newest first. */
  List<List<TableMeta>> groups(Shape shape) {
    List<TableMeta> byKey = new ArrayList<>(shape.version.level(0));
    byKey.sort((a, b) -> shape.order.compare(a.smallestKey(), b.smallestKey()));
    List<List<TableMeta>> groups = new ArrayList<>();
    byte[] reach = {};
    for (TableMeta table : byKey) {
      boolean startsGroup = groups.isEmpty() || shape.order.compare(table.smallestKey(), reach) > 0;
      if (startsGroup) {
        groups.add(new ArrayList<>());
      }
      groups.get(groups.size() - 1).add(table);
      if (startsGroup || shape.order.compare(table.largestKey(), reach) > 0) {
        reach = table.largestKey();
      }
    }
    List<TableMeta> newestFirst = shape.version.level(0);
    for (List<TableMeta> group : groups) {
      group.sort((a, b) -> newestFirst.indexOf(a) - newestFirst.indexOf(b));
    }
    return groups;
  }

  /** All tables that meet no other and nothing at the base level can go there as they are. */
  private @Nullable Plan moves(Shape shape, List<List<TableMeta>> groups) {
    int base = shape.targets.baseLevel();
    List<TableMeta> movable = new ArrayList<>();
    for (List<TableMeta> group : groups) {
      if (group.size() == 1
          && shape.overlap(group, base).isEmpty()
          && shape.canRun(move(group, base))
          && !Reclaim.isWorthRewriting(shape, group.get(0), options)) {
        movable.addAll(group);
      }
    }
    return movable.isEmpty() ? null : move(movable, base);
  }

  private static Plan move(List<TableMeta> tables, int base) {
    return new Plan.Move(Reason.LEVEL_ZERO, Shape.placed(tables, 0, List.of(), base), base);
  }

  /**
   * The merge of the group with the most bytes. Unless {@code atAnyCost}, only if it rewrites less
   * than the fan-out times what it brings.
   */
  private @Nullable Plan mergeOfMost(
      Shape shape, List<List<TableMeta>> groups, Reason reason, boolean atAnyCost) {
    Plan most = null;
    long mostBytes = -1;
    for (List<TableMeta> group : groups) {
      long bytes = Shape.fileBytes(group);
      long below = Shape.fileBytes(shape.overlap(group, shape.targets.baseLevel()));
      if (bytes > mostBytes && (atAnyCost || below <= options.fanout() * bytes)) {
        Plan plan = mergeDown(shape, group, reason);
        if (plan != null) {
          most = plan;
          mostBytes = bytes;
        }
      }
    }
    return most;
  }

  /*
   * Small flushes over much older data: merging each batch down would rewrite all of it for little.
   * So they are merged among themselves first, newest with next newest while sizes are alike, as
   * size-tiered trees do. The run is contiguous in time, so that level 0 stays ordered by age.
   */
  private static @Nullable Plan mergeOfSmall(List<TableMeta> newestFirst) {
    List<TableMeta> run = new ArrayList<>();
    long runBytes = 0;
    for (TableMeta table : newestFirst) {
      if (!run.isEmpty() && table.fileBytes() > 2 * runBytes) {
        break;
      }
      run.add(table);
      runBytes += table.fileBytes();
    }
    return run.size() < 2
        ? null
        : new Plan.Merge(Reason.SMALL_FLUSHES, Shape.placed(run, 0, List.of(), 0), 0);
  }
}
