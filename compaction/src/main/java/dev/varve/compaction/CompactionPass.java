package dev.varve.compaction;

import dev.varve.lsm.entry.DeadEntryRule;
import dev.varve.lsm.version.VersionEdit;
import java.io.IOException;
import java.util.function.BooleanSupplier;

/**
 * Runs a plan: from tables in one version to an installed edit. Safe for use by several threads,
 * one plan each; waits for the disk.
 */
final class CompactionPass {
  private final TableStore store;
  private final DeadEntryRule rule;
  private final CompactionOptions options;
  private final Pacer pacer;
  private final BooleanSupplier cancelled;

  /**
   * @param rule what may be dropped although nothing hides it
   * @param cancelled asked between entries; once true, passes end and leave nothing behind
   */
  public CompactionPass(
      TableStore store,
      DeadEntryRule rule,
      CompactionOptions options,
      Pacer pacer,
      BooleanSupplier cancelled) {
    this.store = store;
    this.rule = rule;
    this.options = options;
    this.pacer = pacer;
    this.cancelled = cancelled;
  }

  /**
   * Runs the plan, which must fit the store's current version and no other that runs. Being
   * cancelled or overtaken is not an error: the result says so.
   *
   * @param overtaken asked between entries; once true, a merge ends as if cancelled
   * @throws IOException when a table cannot be read (a {@link dev.varve.wal.CorruptionException} if
   *     it is damaged) or the outcome not be written; nothing has changed then, and what was
   *     written is deleted unless it may be in force after a restart
   */
  public PassResult run(Plan plan, BooleanSupplier overtaken) throws IOException {
    return switch (Kind.of(plan)) {
      case MOVE -> {
        VersionEdit edit = new VersionEdit();
        for (PlacedTable placed : plan.inputs()) {
          edit.delete(placed.level(), placed.table().number());
          edit.add(plan.outputLevel(), placed.table());
        }
        store.install(edit);
        yield PassResult.moved(plan);
      }
      case DELETE -> {
        store.install(deletions(plan));
        yield PassResult.deleted(plan);
      }
      case MERGE -> {
        BooleanSupplier ends = () -> cancelled.getAsBoolean() || overtaken.getAsBoolean();
        try (MergeRun run = new MergeRun(store, plan, rule, options, pacer, ends)) {
          yield run.writeOutputs() ? run.install(deletions(plan)) : PassResult.cancelled(plan);
        }
      }
    };
  }

  private static VersionEdit deletions(Plan plan) {
    VersionEdit edit = new VersionEdit();
    for (PlacedTable placed : plan.inputs()) {
      edit.delete(placed.level(), placed.table().number());
    }
    return edit;
  }

  private enum Kind {
    MOVE,
    DELETE,
    MERGE;

    static Kind of(Plan plan) {
      return plan instanceof Plan.Move ? MOVE : plan instanceof Plan.Delete ? DELETE : MERGE;
    }
  }
}
