package dev.varve.server.command.run;

import dev.varve.codec.Transaction;
import dev.varve.server.command.Command;
import dev.varve.server.command.listen.LaterMessages;
import dev.varve.server.command.listen.TransactionReads;
import dev.varve.server.script.FunctionLibraries;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an executor of a worker keeps while it runs what takes long to write, for the keyspace loop
 * to finish.
 *
 * <p>Used by the thread of the executor.
 */
final class LeasedRun {
  private LongRun.@Nullable Lease lease;
  private LongRun.@Nullable Finished finished;
  private List<Runnable> afterwards = List.of();

  void begin(LongRun.Lease its) {
    lease = its;
    finished = null;
    afterwards = new ArrayList<>();
  }

  /** The lease that the run has; null where an executor runs on its own. */
  LongRun.@Nullable Lease lease() {
    return lease;
  }

  /** Whether what runs here belongs on the keyspace loop but for taking too long. */
  boolean hasLease() {
    return lease != null;
  }

  /** Does what belongs on the keyspace loop: now, or when what runs here is applied there. */
  void afterApplied(Runnable task) {
    if (lease == null) {
      task.run();
    } else {
      afterwards.add(task);
    }
  }

  /** The command has come to its end, and this is what it wrote. */
  void written(
      Command command,
      Transaction transaction,
      @Nullable FunctionLibraries changedLibraries,
      TransactionReads reads,
      LaterMessages messages) {
    if (lease != null) {
      finished =
          new LongRun.Finished(command, transaction, changedLibraries, reads, messages, afterwards);
    } else {
      messages.sendAll();
    }
  }

  /** Ends it, with what is to be finished; nothing counts if the command did not end well. */
  LongRun.Finished end(Command command) {
    lease = null;
    LongRun.Finished its = finished;
    // The next one may be long in coming, and what this wrote be large.
    finished = null;
    afterwards = List.of();
    return its == null
        ? new LongRun.Finished(
            command, null, null, new TransactionReads(), LaterMessages.NONE, List.of())
        : its;
  }
}
