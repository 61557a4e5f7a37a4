package dev.varve.server.command.run;

import dev.varve.codec.KeyLookups;
import dev.varve.codec.Transaction;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandFlag;
import dev.varve.server.command.CommandStatistics;
import dev.varve.server.command.MasterFeed;
import dev.varve.server.command.QueuedCommands;
import dev.varve.server.command.Session;
import dev.varve.server.command.Wait;
import dev.varve.server.command.listen.ChangeListeners;
import dev.varve.server.command.listen.LaterMessages;
import dev.varve.server.command.listen.TransactionReads;
import dev.varve.server.resp.Args;
import dev.varve.server.script.FunctionLibraries;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a command that has come to its end: what it looked up is counted, what it wrote
 * is applied, or kept where it has a lease until the keyspace loop finishes it, and a client that
 * has to wait is parked.
 *
 * <p>Used by the thread of the executor.
 */
final class RunEnd {
  private final Role role;
  private final Keyspace keyspace;
  private final ChangeListeners listeners;
  private final CommandStatistics statistics;
  private final RunContext context;
  private final LeasedRun leased;
  private final RememberedReads reads;

  RunEnd(
      Role role,
      Keyspace keyspace,
      CommandStatistics statistics,
      RunContext context,
      LeasedRun leased,
      RememberedReads reads) {
    this.role = role;
    this.keyspace = keyspace;
    this.listeners = keyspace.listeners();
    this.statistics = statistics;
    this.context = context;
    this.leased = leased;
    this.reads = reads;
  }

  /**
   * It has been run.
   *
   * @param before what its client was when it began
   */
  void ended(
      Session session, Command command, Args args, Transaction transaction, Session.State before) {
    looked(transaction);
    boolean isApplied = role == Role.WRITER || leased.hasLease();
    MasterFeed master = session.master();
    if (master != null && isApplied && !transaction.batch().isEmpty()) {
      master.writes(args, transaction.batch());
    }
    if (role == Role.WRITER) {
      boolean isWritten =
          transaction.batch().isEmpty()
              || master != null
              || keyspace.mayReadsWrite()
              || !isOfReads(command, before.queue().list());
      apply(
          session,
          transaction,
          context.changedLibraries(),
          reads.take(),
          context.takeMessages(),
          isWritten);
    } else {
      leased.written(
          context.command(),
          transaction,
          context.changedLibraries(),
          reads.take(),
          context.takeMessages());
    }
    reads.ran(session, command, args);
  }

  /** Whether all that a command gathered can be is that fields which are due go. */
  private boolean isOfReads(Command command, @Nullable List<QueuedCommands.Queued> queue) {
    if (command.isExec() && queue != null) {
      return queue.stream().allMatch(queued -> isOfReads(queued.command(), null));
    }
    return !command.is(CommandFlag.WRITE)
        && !(Admission.mayWrite(command) && context.isScriptWriting());
  }

  private void looked(Transaction transaction) {
    KeyLookups lookups = transaction.lookups();
    statistics.looked(lookups.hits(), lookups.misses());
    if (!lookups.expired().isEmpty()) {
      keyspace.expiredMet(lookups.expired());
    }
  }

  /** It has to wait, or to go on waiting. */
  void parked(Session session, Wait wait, Command command, Args args, Transaction transaction) {
    looked(transaction);
    boolean isNew = session.waiting() != wait;
    boolean isMissing = !isNew && transaction.peek(session.database(), wait.causeKey()) == null;
    session.nextRun().forget();
    // Nothing but the removal of expired keys it came across.
    keyspace.apply(transaction);
    if (!isNew) {
      listeners.blocked().park(wait, isMissing);
      return;
    }
    session.touched(transaction.nowMillis());
    session.servedBefore(null);
    session.waiting(wait);
    listeners.blocked().add(wait);
    wait.parked();
    reads.ran(session, command, args);
  }

  /**
   * Applies what a command wrote, and does what comes with it. Keyspace loop.
   *
   * @param libraries those that there are then; null if that is as before
   * @param within what it read for a client that caches
   * @param messages what it sends
   * @param isWritten whether what it has gathered is to be written
   */
  void apply(
      Session session,
      Transaction transaction,
      @Nullable FunctionLibraries libraries,
      TransactionReads within,
      LaterMessages messages,
      boolean isWritten) {
    listeners.notifications().between(messages);
    try {
      keyspace.apply(session, transaction, within, isWritten);
    } finally {
      listeners.notifications().between(LaterMessages.NONE);
    }
    if (libraries != null) {
      keyspace.libraries(libraries);
    }
    if (session.watch().isEndWanted()) {
      listeners.watches().remove(session.watch());
    }
    messages.sendAll();
  }
}
