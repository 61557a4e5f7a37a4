package dev.varve.server.command.run;

import dev.varve.server.command.Command;
import dev.varve.server.command.CommandFlag;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.Session;
import dev.varve.server.command.listen.Tracking;
import dev.varve.server.command.listen.TransactionReads;
import dev.varve.server.resp.Args;

/**
 * What one executor's runs have read for clients that cache it (CLIENT TRACKING): a command by
 * itself, and those within a transaction or a script, of which it counts what changed before and
 * after.
 *
 * <p>Used by the thread of the executor.
 */
final class RememberedReads {
  private final Role role;
  private final Tracking tracking;
  private final RunContext context;
  private final LeasedRun leased;
  private TransactionReads within = new TransactionReads();

  RememberedReads(Role role, Tracking tracking, RunContext context, LeasedRun leased) {
    this.role = role;
    this.tracking = tracking;
    this.context = context;
    this.leased = leased;
  }

  /** A command has been run by itself. */
  void ran(Session session, Command command, Args args) {
    if (isRead(command) && isRemembered(session)) {
      leased.afterApplied(() -> tracking.read(session, command, args));
    }
  }

  /** A command has been run within the transaction or the script that runs. */
  void ranWithin(Session session, Command command, Args args) {
    if (isRead(command) && isRemembered(session) && context.hasData()) {
      within.add(session, command, args, context.transaction());
    }
  }

  /** A script within the transaction or by itself has read something, and declares its keys. */
  void declaredWithin(Session session, Command command, Args args) {
    if (isRemembered(session) && context.hasData()) {
      within.addDeclared(session, command, args, context.transaction());
    }
  }

  /** Of a script what counts is the commands that it calls. */
  private static boolean isRead(Command command) {
    return command.is(CommandFlag.READONLY) && command.group() != CommandGroup.SCRIPTING;
  }

  private boolean isRemembered(Session session) {
    return (role == Role.WRITER || leased.hasLease()) && session.tracking().remembersThis();
  }

  /** What was read within the run so far; a new account begins. */
  TransactionReads take() {
    TransactionReads its = within;
    if (!its.isEmpty()) {
      within = new TransactionReads();
    }
    return its;
  }
}
