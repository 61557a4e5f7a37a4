package dev.varve.server.command.run;

import dev.varve.codec.DataException;
import dev.varve.server.command.Command;
import dev.varve.server.command.Rights.Denial;
import dev.varve.server.command.Session;
import dev.varve.server.command.access.ByteText;
import dev.varve.server.command.observe.AccessLog;
import dev.varve.server.resp.Args;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Holds requests against what the client's user may do, and says with Redis's words what is denied.
 * ACL LOG has it then.
 *
 * <p>Used by the thread that has the session.
 */
final class Denials {
  private static final String CHANGED =
      "NOPERM ACLs rules changed between the moment the transaction was accumulated and the EXEC"
          + " call. This command is no longer allowed for the following reason: ";

  private final AccessLog log;
  private final LongSupplier clock;

  Denials(AccessLog log, LongSupplier clock) {
    this.log = log;
    this.clock = clock;
  }

  /** Why a request of a client is denied, or null. */
  @Nullable DataException ofRequest(Session session, Command command, Args args) {
    Denial denial = denial(session, command, args);
    if (denial == null) {
      return null;
    }
    note(session, denial, command, args, session.queue().isOpen() ? "multi" : "toplevel");
    return new DataException(
        "NOPERM this user has no permissions to "
            + switch (denial.what()) {
              case COMMAND -> "run the '" + command.fullName() + "' command";
              case KEY -> "access one of the keys used as arguments";
              case CHANNEL -> "access one of the channels used as arguments";
            });
  }

  /** The same of one that was allowed when it was queued, and runs now. */
  @Nullable DataException ofQueued(Session session, Command command, Args args, boolean isTrial) {
    Denial denial = denial(session, command, args);
    if (denial == null) {
      return null;
    }
    if (!isTrial) {
      note(session, denial, command, args, "multi");
    }
    return new DataException(
        CHANGED
            + switch (denial.what()) {
              case COMMAND -> "no permission to execute the command or subcommand";
              case KEY -> "no permission to touch the specified keys";
              case CHANNEL ->
                  "no permission to access one of the channels used as arguments to the"
                      + " command";
            });
  }

  /** The same of one that a script calls, as text of an error. */
  @Nullable String ofCall(Session session, Command command, Args args, boolean isTrial) {
    Denial denial = denial(session, command, args);
    if (denial == null) {
      return null;
    }
    if (!isTrial) {
      note(session, denial, command, args, "lua");
    }
    return "The user executing the script can't "
        + switch (denial.what()) {
          case COMMAND -> "run this command or subcommand";
          case KEY -> "access at least one of the keys mentioned in the command arguments";
          case CHANNEL -> "publish to the channel mentioned in the command";
        };
  }

  private static @Nullable Denial denial(Session session, Command command, Args args) {
    return session.rights().areUnlimited() ? null : session.rights().denial(command, args);
  }

  private void note(Session session, Denial denial, Command command, Args args, String context) {
    String object = denial.part() == 0 ? command.fullName() : ByteText.of(args.get(denial.part()));
    AccessLog.Attempt attempt =
        new AccessLog.Attempt(denial.what().reason(), context, object, session.rights().userName());
    log.refused(session, attempt, clock.getAsLong());
  }
}
