package dev.varve.server.command;

import dev.varve.codec.DataException;
import dev.varve.server.engine.Engine;
import dev.varve.server.resp.Args;
import org.jspecify.annotations.Nullable;

/**
 * What Redis checks before it runs a command.
 *
 * <p>Used by the thread that has the session.
 */
final class Admission {
  private static final DataException NO_AUTH = new DataException("NOAUTH Authentication required.");
  private static final DataException NO_MULTI =
      new DataException("ERR Command not allowed inside a transaction");

  private final Engine engine;
  private final Pause pause;

  Admission(Engine engine, Pause pause) {
    this.engine = engine;
    this.pause = pause;
  }

  /** Whether a command changes data, or EXEC would. */
  static boolean writes(Session session, Command command) {
    return command.is(CommandFlag.WRITE) || (command.isExec() && session.isWriteQueued());
  }

  /** A script says only on its way whether it writes. */
  static boolean mayWrite(Command command) {
    return command.group() == CommandGroup.SCRIPTING && command.is(CommandFlag.MAY_REPLICATE);
  }

  /** Why the request is refused, or null. */
  @Nullable DataException refusal(Session session, Command command, Args args) {
    if (!command.allows(args.count())) {
      return Arguments.wrongNumber(command);
    }
    if (!session.isAuthenticated() && !command.is(CommandFlag.NO_AUTH)) {
      return NO_AUTH;
    }
    if (writes(session, command)) {
      String writeRefusal = engine.writeRefusal();
      if (writeRefusal != null) {
        return new DataException(writeRefusal);
      }
    }
    if (session.isSubscriber() && session.protocol() == 2 && !command.isForSubscribers()) {
      return new DataException(
          "ERR Can't execute '"
              + command.fullName()
              + "': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in"
              + " this context");
    }
    return session.isQueueing() && command.is(CommandFlag.NO_MULTI) ? NO_MULTI : null;
  }

  /** Whether the request has to wait until a pause is over. */
  boolean isPaused(Session session, Command command, long nowMillis) {
    boolean writes = writes(session, command) || command.is(CommandFlag.MAY_REPLICATE);
    return pause.holds(writes, nowMillis);
  }
}
