package dev.varve.compaction;

import dev.varve.lsm.version.TableMeta;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Picks from the levels between 0 and the deepest: the table that is cheapest to move down. */
final class LevelPicker {
  /** A level that should be empty by now is due, but not urgent. */
  private static final double DRAIN_SCORE = 1.25;

  private final CompactionOptions options;

  LevelPicker(CompactionOptions options) {
    this.options = options;
  }

  /** The best pick of the level that is most over its target, or null if none is. */
  @Nullable Candidate pick(Shape shape) {
    Candidate best = null;
    for (int level = 1; level < LevelTargets.DEEPEST; level++) {
      double score = score(shape, level);
      if (score >= 1 && (best == null || score > best.score())) {
        Plan plan = cheapest(shape, level);
        best = plan == null ? best : new Candidate(score, plan);
      }
    }
    return best;
  }

  private static double score(Shape shape, int level) {
    long bytes = shape.version.levelBytes(level);
    for (Plan plan : shape.input.running()) {
      for (PlacedTable placed : plan.inputs()) {
        if (placed.level() == level && plan.outputLevel() > level) {
          bytes -= placed.table().fileBytes();
        }
      }
    }
    long target = shape.targets.targetBytes(level);
    if (bytes <= 0) {
      return 0;
    }
    return target == 0 ? DRAIN_SCORE : (double) bytes / target;
  }

  private @Nullable Plan cheapest(Shape shape, int level) {
    Plan best = null;
    double bestCost = Double.MAX_VALUE;
    for (TableMeta table : inRound(shape, level)) {
      if (shape.isBusy(table)) {
        continue;
      }
      List<TableMeta> below = shape.overlap(List.of(table), level + 1);
      List<TableMeta> all = new ArrayList<>(below);
      all.add(table);
      double cost =
          (double) Math.max(0, Shape.fileBytes(all) - shape.deadBytes(all))
              / Math.max(1, table.fileBytes());
      if (cost < bestCost) {
        Plan plan = plan(shape, level, table, below);
        if (plan != null) {
          best = plan;
          bestCost = cost;
        }
      }
    }
    return best;
  }

  /** The level's tables, beginning after the last pick. */
  private static List<TableMeta> inRound(Shape shape, int level) {
    List<TableMeta> tables = shape.version.level(level);
    byte[] last = shape.input.cursors().lastKey(level);
    if (last == null) {
      return tables;
    }
    int split = shape.version.firstNotBefore(level, last, last.length);
    if (split < tables.size() && shape.order.compare(tables.get(split).smallestKey(), last) <= 0) {
      split++;
    }
    List<TableMeta> round = new ArrayList<>(tables.subList(split, tables.size()));
    round.addAll(tables.subList(0, split));
    return round;
  }

  private @Nullable Plan plan(Shape shape, int level, TableMeta table, List<TableMeta> below) {
    Plan plan;
    if (below.isEmpty() && !Reclaim.isWorthRewriting(shape, table, options)) {
      List<PlacedTable> only = Shape.placed(List.of(table), level, below, level + 1);
      plan = new Plan.Move(Reason.LEVEL_SIZE, only, level + 1);
    } else {
      List<TableMeta> upper = extended(shape, level, table, below);
      plan =
          new Plan.Merge(
              Reason.LEVEL_SIZE, Shape.placed(upper, level, below, level + 1), level + 1);
    }
    return shape.canRun(plan) ? plan : null;
  }

  /** Neighbours that add nothing to what is rewritten below come along for free. */
  private List<TableMeta> extended(Shape shape, int level, TableMeta table, List<TableMeta> below) {
    if (below.isEmpty()) {
      return List.of(table);
    }
    byte[] from = shape.smallestKey(below);
    byte[] to = shape.largestKey(below);
    long bytes = Shape.fileBytes(below) + table.fileBytes();
    List<TableMeta> upper = new ArrayList<>();
    for (TableMeta neighbour : shape.version.overlapping(level, from, to)) {
      boolean inside =
          shape.order.compare(neighbour.smallestKey(), from) >= 0
              && shape.order.compare(neighbour.largestKey(), to) <= 0;
      boolean fits = bytes + neighbour.fileBytes() <= options.passBytesMax();
      if (neighbour.equals(table)) {
        upper.add(table);
      } else if (inside && fits && !shape.isBusy(neighbour)) {
        upper.add(neighbour);
        bytes += neighbour.fileBytes();
      }
    }
    return upper;
  }
}
