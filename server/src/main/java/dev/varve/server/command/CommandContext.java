package dev.varve.server.command;

import dev.varve.codec.Transaction;
import dev.varve.server.resp.RespEncoder;
import org.jspecify.annotations.Nullable;

/**
 * What a command is given besides its arguments: who asks, the data, and where the reply goes.
 *
 * <p>Belongs to one thread at a time, and is used again for the next command: a function keeps no
 * reference to it.
 */
public final class CommandContext {
  private final CommandExecutor executor;
  private final RespEncoder reply;
  private @Nullable Session session;
  private @Nullable Transaction transaction;
  private @Nullable Command command;

  CommandContext(CommandExecutor executor, RespEncoder reply) {
    this.executor = executor;
    this.reply = reply;
  }

  void begin(Session itsSession, Command itsCommand, @Nullable Transaction itsTransaction) {
    session = itsSession;
    command = itsCommand;
    transaction = itsTransaction;
  }

  void command(Command itsCommand) {
    command = itsCommand;
  }

  /** The client that asks. */
  public Session session() {
    return here(session);
  }

  /** The command that runs. */
  public Command command() {
    return here(command);
  }

  /**
   * The data, as this command may read and write it. Only commands flagged write or readonly have
   * it, and the transaction commands.
   */
  public Transaction transaction() {
    return here(transaction);
  }

  /** The number of the client's database. */
  public int database() {
    return session().database();
  }

  /** Where the reply goes: exactly one, complete or not at all. */
  public RespEncoder reply() {
    return reply;
  }

  /**
   * The command's time in ms since 1970. It does not change while it runs, nor when it runs again.
   */
  public long nowMillis() {
    return transaction().nowMillis();
  }

  /**
   * Whether this run only finds out what the command will read, and is thrown away: what is not in
   * the transaction must stay as it is.
   */
  public boolean isTrial() {
    return executor.isTrial();
  }

  CommandExecutor executor() {
    return executor;
  }

  private static <T> T here(@Nullable T part) {
    if (part == null) {
      throw new IllegalStateException("this command has no such thing: check its flags");
    }
    return part;
  }
}
