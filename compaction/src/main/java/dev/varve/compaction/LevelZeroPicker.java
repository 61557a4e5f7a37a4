package dev.varve.compaction;

import dev.varve.lsm.version.TableMeta;
import dev.varve.lsm.version.VersionEdit;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Picks from level 0, whose tables overlap: what must go down together, or is merged in place. */
final class LevelZeroPicker {
  /*
   * What overlaps is a group, and goes down as a whole: a newer table below an older one would be
   * hidden by it. So of a group that a running pass has a table of, or that a pass has failed on,
   * nothing goes down. Other groups do not meet it, and are picked as if it were not there.
   *
   * A block that cannot be read holds its group for ever, and each flush would add a table to it
   * until writers are stopped. So what is newer than all that has failed is merged in place.
   */

  /** Reads pay for runs. But no more tables than so many for each of the runs that are due. */
  private static final int TABLES_PER_RUN = 8;

  private final CompactionOptions options;

  LevelZeroPicker(CompactionOptions options) {
    this.options = options;
  }

  /** How much level 0 asks for a merge: 1 is due. */
  double score(Shape shape) {
    return score(shape.version.level(0), shape.version.levelZeroRuns().size());
  }

  private double score(List<TableMeta> tables, int runs) {
    return Math.max((double) runs / options.levelZeroTables(), scoreOfAll(tables));
  }

  /** How much they ask for one whatever lies over what. */
  private double scoreOfAll(List<TableMeta> tables) {
    return Math.max(
        (double) tables.size() / (TABLES_PER_RUN * options.levelZeroTables()),
        (double) Shape.fileBytes(tables) / options.levelZeroBytes());
  }

  /** What to do about level 0 if it is due, or null. */
  @Nullable Candidate pick(Shape shape) {
    if (score(shape) < 1) {
      return null;
    }
    Candidate ofIdle = pickOfIdle(shape);
    return ofIdle != null ? ofIdle : pickOfNewer(shape);
  }

  private @Nullable Candidate pickOfIdle(Shape shape) {
    List<List<TableMeta>> groups = idleGroups(shape);
    List<TableMeta> tables = tables(groups);
    double score = score(tables, shape.version.runs(tables).size());
    if (score < 1) {
      return null;
    }
    Plan plan = moves(shape, groups);
    List<List<TableMeta>> due = scoreOfAll(tables) >= 1 ? groups : ofManyRuns(shape, groups);
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

  private @Nullable Candidate pickOfNewer(Shape shape) {
    Candidate best = null;
    for (List<TableMeta> newer : ofManyRuns(shape, newerThanFailed(shape))) {
      Plan plan = mergeOfSmall(newer);
      if (plan != null) {
        double score = score(newer, shape.version.runs(newer).size());
        best = Candidate.better(best, new Candidate(score, plan));
      }
    }
    return best;
  }

  /** Of each group that only waits because a pass has failed on it: what is newer than all that. */
  private List<List<TableMeta>> newerThanFailed(Shape shape) {
    List<List<TableMeta>> newer = groups(shape);
    newer.removeIf(shape::isAnyRunning);
    for (List<TableMeta> group : newer) {
      int first = 0;
      while (first < group.size() && !shape.isBusy(group.get(first))) {
        first++;
      }
      group.subList(first, group.size()).clear();
    }
    return newer;
  }

  /** Merges level 0 down before it is due, or null if it holds too little to matter. */
  @Nullable Plan pickQuiet(Shape shape) {
    List<List<TableMeta>> groups = idleGroups(shape);
    long baseBytes = shape.version.levelBytes(shape.targets.baseLevel());
    if (groups.isEmpty()
        || Shape.fileBytes(tables(groups)) < options.upperShareQuiet() * baseBytes) {
      return null;
    }
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

  private List<List<TableMeta>> ofManyRuns(Shape shape, List<List<TableMeta>> groups) {
    List<List<TableMeta>> due = new ArrayList<>(groups);
    due.removeIf(group -> shape.version.runs(group).size() < options.levelZeroTables());
    return due;
  }

  /** The groups that no pass is at, and none has failed on of late. */
  private List<List<TableMeta>> idleGroups(Shape shape) {
    List<List<TableMeta>> idle = groups(shape);
    idle.removeIf(shape::isAnyBusy);
    return idle;
  }

  private static List<TableMeta> tables(List<List<TableMeta>> groups) {
    return groups.stream().flatMap(List::stream).toList();
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

  /**
   * Tables that meet no other and nothing at the base level can go there as they are: all, or what
   * one edit takes.
   */
  private @Nullable Plan moves(Shape shape, List<List<TableMeta>> groups) {
    int base = shape.targets.baseLevel();
    List<TableMeta> movable = new ArrayList<>();
    long borderBytes = 0;
    for (List<TableMeta> group : groups) {
      if (borderBytes < VersionEdit.BORDER_BYTES_WANTED
          && group.size() == 1
          && shape.overlap(group, base).isEmpty()
          && shape.canRun(move(group, base))
          && !Reclaim.isWorthRewriting(shape, group.get(0), options)) {
        movable.addAll(group);
        borderBytes += group.get(0).borderBytes();
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
