package dev.varve.server.command;

import dev.varve.codec.AccessTimes;
import dev.varve.codec.Transaction;
import dev.varve.server.resp.RespEncoder;
import dev.varve.server.script.FunctionLibraries;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
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
  private @Nullable Wait wait;
  private @Nullable FunctionLibraries changedLibraries;
  private LaterMessages messages = new LaterMessages();
  private boolean isQueued;
  private boolean isInScript;
  private boolean isScriptWriting;
  private boolean isErrorCounted;
  private boolean hasOwnNumbers;
  private long numbersPosition;
  private final WallTimes wallTimes = new WallTimes(Instant::now);

  CommandContext(CommandExecutor executor, RespEncoder reply) {
    this.executor = executor;
    this.reply = reply;
  }

  void begin(Session itsSession, Command itsCommand, @Nullable Transaction itsTransaction) {
    reset(itsSession, itsCommand, itsTransaction);
    wallTimes.begin(itsSession.retryTimes());
  }

  /** Begins the same once more: it is told the same. */
  void beginAgain(Session itsSession, Command itsCommand, Transaction itsTransaction) {
    reset(itsSession, itsCommand, itsTransaction);
    wallTimes.rewind();
  }

  /** The command is over: the next one may be long in coming, and what this wrote be large. */
  void end() {
    transaction = null;
  }

  private void reset(Session itsSession, Command itsCommand, @Nullable Transaction itsTransaction) {
    session = itsSession;
    command = itsCommand;
    transaction = itsTransaction;
    wait = null;
    isScriptWriting = false;
    changedLibraries = null;
    if (!messages.isEmpty()) {
      messages = new LaterMessages();
    }
    isQueued = false;
    isInScript = false;
    isErrorCounted = false;
    hasOwnNumbers = itsSession.retrySeed() != 0;
    numbersPosition = itsSession.retrySeed();
  }

  /**
   * What time it is now, for commands that tell it: unlike {@link #nowMillis} it goes on while a
   * script or a transaction runs, as Redis's does.
   */
  public Instant wallTime() {
    return reply.isStreaming() ? wallTimes.next() : wallTimes.nextOfMany();
  }

  /** The times that it was told so far, the first of them. */
  List<Instant> toldTimes() {
    return wallTimes.told();
  }

  /**
   * Whether the scripts of this run take other numbers for random than those that follow on the
   * last script's: an earlier run has taken some, perhaps on another thread, and this one needs the
   * same to find what was read for that.
   */
  boolean hasOwnNumbers() {
    return hasOwnNumbers;
  }

  /** Where these numbers are. */
  long numbersPosition() {
    return numbersPosition;
  }

  void numbersPosition(long position) {
    numbersPosition = position;
  }

  /** A command of a transaction runs, or no longer. */
  void queued(boolean runs) {
    isQueued = runs;
  }

  /**
   * Sends a message when the transaction has come to its end, between what happened to keys before
   * and after: what is sent cannot be taken back when a block turns out to be cold and all runs
   * again.
   */
  public void sendLater(Runnable message) {
    messages.add(transaction == null ? 0 : transaction.events().size(), message);
  }

  /** These messages, for whoever takes them. */
  LaterMessages takeMessages() {
    LaterMessages taken = messages;
    if (taken.isEmpty()) {
      return LaterMessages.NONE;
    }
    messages = new LaterMessages();
    return taken;
  }

  /** A command of a script runs, or no longer. */
  void inScript(boolean runs) {
    isInScript = runs;
  }

  /** A script calls a command that writes. */
  void scriptWrites() {
    isScriptWriting = true;
  }

  /** Whether a script has called a command that writes, since the run began. */
  boolean isScriptWriting() {
    return isScriptWriting;
  }

  /** Whether a script calls the command. */
  public boolean isInScript() {
    return isInScript;
  }

  /** The error that is the reply was counted where it came from, in a script. */
  void errorIsCounted() {
    isErrorCounted = true;
  }

  /** Whether it was; asked once for each command. */
  boolean takeErrorCounted() {
    boolean its = isErrorCounted;
    isErrorCounted = false;
    return its;
  }

  /** What the command that ran wants to wait for, or null. */
  @Nullable Wait takeWait() {
    Wait its = wait;
    wait = null;
    return its;
  }

  /** The client goes on waiting. */
  void waitOn(Wait itsWait) {
    wait = itsWait;
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

  /** Whether there is data: a command without flags for it meets some inside MULTI and scripts. */
  public boolean hasData() {
    return transaction != null;
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

  /** When keys were last used. */
  public AccessTimes accessTimes() {
    return keyspace().accessTimes();
  }

  /**
   * Whether this run only finds out what the command will read, and is thrown away: what is not in
   * the transaction must stay as it is.
   */
  public boolean isTrial() {
    return executor.isTrial();
  }

  /** Whether the client may be made to wait; inside MULTI it is not. */
  public boolean mayWait() {
    return !isQueued;
  }

  /**
   * Makes the client wait, in the place of a reply: the last that a function does. Whenever
   * something happens to one of {@code keys} in its database, {@code attempt} may serve it: after
   * the command or transaction that did it, in the order of these changes, and at each key in the
   * order in which clients came. Only a command that runs on the keyspace loop may do this.
   *
   * @param keys may be empty
   * @param timeoutMillis {@link Wait#FOREVER} for no limit; see {@link Arguments#timeoutMillis}
   * @param onTimeout writes the reply when the time is over
   * @param attempt keeps what it needs from this run, such as the last id of a stream
   */
  public Wait waitFor(
      List<byte[]> keys,
      long timeoutMillis,
      Consumer<RespEncoder> onTimeout,
      Wait.Attempt attempt) {
    Wait its = new Wait(session(), keys, timeoutMillis, onTimeout, attempt);
    wait = its;
    return its;
  }

  /** The libraries of functions, as this transaction has them. */
  public FunctionLibraries libraries() {
    return changedLibraries == null ? keyspace().libraries() : changedLibraries;
  }

  /** Changes which libraries there are, once the transaction is applied. */
  public void libraries(FunctionLibraries changed) {
    changedLibraries = changed;
  }

  /**
   * The libraries that there are now that the transaction is applied; null if that is as before.
   */
  @Nullable FunctionLibraries changedLibraries() {
    return changedLibraries;
  }

  /** The data behind the transaction, and who waits for it to change. */
  public Keyspace keyspace() {
    return executor.keyspace();
  }

  /** What runs scripts and functions. */
  public ScriptRunner scripts() {
    return executor.scripts();
  }

  /** What runs this command, and runs others for it. */
  public CommandExecutor executor() {
    return executor;
  }

  private static <T> T here(@Nullable T part) {
    if (part == null) {
      throw new IllegalStateException("this command has no such thing: check its flags");
    }
    return part;
  }
}
