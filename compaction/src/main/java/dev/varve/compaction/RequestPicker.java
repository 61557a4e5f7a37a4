package dev.varve.compaction;

import dev.varve.lsm.version.TableMeta;
import dev.varve.lsm.version.Version;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The next step of a {@link RangeRequest}: level by level downwards, then dead weight in place. */
final class RequestPicker {
  private final CompactionOptions options;
  private final LevelZeroPicker levelZero;

  RequestPicker(CompactionOptions options, LevelZeroPicker levelZero) {
    this.options = options;
    this.levelZero = levelZero;
  }

  /** Whether nothing is left to do for the request, not even by a plan that runs. */
  static boolean isDone(Version version, TableGarbage garbage, RangeRequest request) {
    for (int level = 0; level < Version.LEVELS; level++) {
      if (!concerned(version, garbage, level, request).isEmpty()) {
        return false;
      }
    }
    return true;
  }

  /** The next step that can run now, or null. */
  @Nullable Plan pick(Shape shape, RangeRequest request) {
    for (int level = 0; level < Version.LEVELS; level++) {
      List<TableMeta> concerned = concerned(shape.version, shape.input.garbage(), level, request);
      if (!concerned.isEmpty()) {
        return step(shape, level, concerned);
      }
    }
    return null;
  }

  private @Nullable Plan step(Shape shape, int level, List<TableMeta> concerned) {
    if (level == 0) {
      for (List<TableMeta> group : levelZero.groups(shape)) {
        if (group.stream().anyMatch(concerned::contains)) {
          Plan plan = levelZero.mergeDown(shape, group, Reason.REQUESTED);
          if (plan != null) {
            return plan;
          }
        }
      }
      return null;
    }
    for (TableMeta table : concerned) {
      Plan plan = level == LevelTargets.DEEPEST ? inPlace(table, level) : down(shape, level, table);
      if (shape.canRun(plan)) {
        return plan;
      }
    }
    return null;
  }

  private static Plan inPlace(TableMeta table, int level) {
    return new Plan.Merge(
        Reason.REQUESTED, Shape.placed(List.of(table), level, List.of(), level), level);
  }

  private Plan down(Shape shape, int level, TableMeta table) {
    List<TableMeta> upper = new ArrayList<>(List.of(table));
    List<TableMeta> below = shape.overlap(upper, level + 1);
    List<TableMeta> all = shape.version.level(level);
    for (int at = all.indexOf(table) + 1; at < all.size(); at++) {
      List<TableMeta> more = new ArrayList<>(upper);
      more.add(all.get(at));
      List<TableMeta> moreBelow = shape.overlap(more, level + 1);
      if (below.isEmpty()
          || shape.isBusy(all.get(at))
          || Shape.fileBytes(more) + Shape.fileBytes(moreBelow) > options.passBytesMax()) {
        break;
      }
      upper = more;
      below = moreBelow;
    }
    List<PlacedTable> inputs = Shape.placed(upper, level, below, level + 1);
    return below.isEmpty() && !Reclaim.isWorthRewriting(shape, table, options)
        ? new Plan.Move(Reason.REQUESTED, inputs, level + 1)
        : new Plan.Merge(Reason.REQUESTED, inputs, level + 1);
  }

  private static List<TableMeta> concerned(
      Version version, TableGarbage garbage, int level, RangeRequest request) {
    List<TableMeta> concerned = new ArrayList<>();
    for (TableMeta table : version.level(level)) {
      byte[] from = request.from();
      byte[] to = request.to();
      boolean inRange =
          (from == null || version.order().compare(table.largestKey(), from) >= 0)
              && (to == null || version.order().compare(table.smallestKey(), to) <= 0);
      if (inRange && hasWork(level, table, garbage, request)) {
        concerned.add(table);
      }
    }
    return concerned;
  }

  private static boolean hasWork(
      int level, TableMeta table, TableGarbage garbage, RangeRequest request) {
    if (table.smallestSequence() > request.sequence()) {
      return false;
    }
    return level < LevelTargets.DEEPEST
        || (table.deadThrough() < request.sequence()
            && (table.tombstones() > 0 || garbage.deadBytes(table) > 0));
  }
}
