package dev.varve.server.command.run;

import dev.varve.codec.DueFieldsLimit;
import dev.varve.codec.DueFieldsSignal;
import dev.varve.codec.Transaction;
import dev.varve.server.command.Command;
import dev.varve.server.command.Session;

/**
 * The due fields that the commands of one executor come across where there are many: a run that
 * meets them ends, some are deleted, and it runs again.
 *
 * <p>Used by the thread of the executor.
 */
final class DueFieldDeletions {
  /** To delete so many takes a millisecond or two. */
  private static final int FIELDS_MAX = 256;

  private final Role role;
  private final Keyspace keyspace;

  /** Where fields were deleted last, and how many commits were lost by then. */
  private DueFieldsLimit limit;

  private long lostCommits;

  DueFieldDeletions(Role role, Keyspace keyspace) {
    this.role = role;
    this.keyspace = keyspace;
    this.limit = new DueFieldsLimit(FIELDS_MAX, keyspace::mayReadsWrite);
  }

  /** The run of {@code transaction} may end by {@link DueFieldsSignal}. */
  void limit(Transaction transaction) {
    if (lostCommits != keyspace.lostCommits()) {
      // What was deleted may be there again.
      limit = limit.fromStart();
    }
    transaction.limitDueFields(limit);
  }

  /**
   * Deletes some of the fields that a run has met; a worker has them brought to memory. Throws
   * {@link dev.varve.lsm.entry.ColdBlockSignal} where that has to come first.
   *
   * @param transaction has nothing in it yet
   * @return what is to become of the request
   */
  Outcome delete(Session session, Command command, Transaction transaction, DueFieldsSignal due) {
    if (role == Role.READER) {
      return Outcome.TO_KEYSPACE;
    }
    byte[] place = transaction.deleteDueFields(due.database(), due.key(), FIELDS_MAX);
    if (role == Role.WORKER) {
      return Outcome.TRIED;
    }
    // EXEC has begun: its watch is over for what it does itself.
    session.watch().ignoreChanges(command.isExec());
    try {
      keyspace.apply(transaction);
    } finally {
      session.watch().ignoreChanges(false);
    }
    limit = limit.from(place);
    lostCommits = keyspace.lostCommits();
    return Outcome.AGAIN;
  }
}
