package dev.varve.server.command.run;

import dev.varve.codec.AccessTimes;
import dev.varve.codec.Effects;
import dev.varve.codec.Transaction;
import dev.varve.codec.string.Strings;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.CommandFlag;
import dev.varve.server.command.CommandFunction;
import dev.varve.server.command.CommandStatistics;
import dev.varve.server.command.Session;
import dev.varve.server.command.Wait;
import dev.varve.server.command.listen.LaterMessages;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import dev.varve.server.script.FunctionLibraries;
import dev.varve.server.script.LoadedLibraries;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The context of one executor's commands, and what else is known of the run.
 *
 * <p>Used by the thread of the executor, or of the one that a script's interpreter lends itself to.
 */
final class RunContext implements CommandContext {
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
  private boolean hasRunScript;
  private int linesLogged;
  private boolean isErrorCounted;
  private boolean hasOwnNumbers;
  private long numbersPosition;
  private final WallTimes wallTimes = new WallTimes(Instant::now);

  RunContext(CommandExecutor executor, RespEncoder reply) {
    this.executor = executor;
    this.reply = reply;
  }

  void begin(Session itsSession, Command itsCommand, @Nullable Transaction itsTransaction) {
    reset(itsSession, itsCommand, itsTransaction);
    wallTimes.begin(itsSession.nextRun().times());
  }

  /** Begins the same once more: it is told the same. */
  void beginAgain(Session itsSession, Command itsCommand, Transaction itsTransaction) {
    reset(itsSession, itsCommand, itsTransaction);
    wallTimes.rewind();
  }

  /** The command is over: the next one may be long in coming, and what this wrote be large. */
  void end() {
    transaction = null;
    hasRunScript = false;
  }

  private void reset(Session itsSession, Command itsCommand, @Nullable Transaction itsTransaction) {
    session = itsSession;
    command = itsCommand;
    transaction = itsTransaction;
    wait = null;
    isScriptWriting = false;
    hasRunScript = false;
    linesLogged = 0;
    changedLibraries = null;
    if (!messages.isEmpty()) {
      messages = new LaterMessages();
    }
    isQueued = false;
    isInScript = false;
    isErrorCounted = false;
    hasOwnNumbers = itsSession.nextRun().seed() != 0;
    numbersPosition = itsSession.nextRun().seed();
  }

  @Override
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

  @Override
  public void sendLater(long bytes, Runnable message) {
    messages.add(transaction == null ? 0 : transaction.events().size(), bytes, message);
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

  /** A script begins; returns whether it is the first of the run. */
  boolean scriptBegins() {
    boolean isFirst = !hasRunScript;
    hasRunScript = true;
    return isFirst;
  }

  /** Whether the line that a script logs now counts, and was not logged by an earlier run. */
  boolean logsAnew() {
    return !isTrial() && session().nextRun().logsAnew(++linesLogged);
  }

  /** Whether a script has begun since the run has. */
  boolean hasRunScript() {
    return hasRunScript;
  }

  @Override
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

  /** Runs the function of the command that this is of: what that writes is its effect. */
  void call(CommandFunction function, Args args) {
    Transaction its = transaction;
    Command what = command();
    if (its == null || !its.effects().areWanted() || !isEffect(what)) {
      function.run(this, args);
      return;
    }
    Effects effects = its.effects();
    int before = its.operations();
    int inDatabase = database();
    effects.begin();
    function.run(this, args);
    effects.end(inDatabase, args.list(0, args.count()), its.operations() != before);
  }

  /** Whether it writes itself, and not by what it calls: PFCOUNT reads, and keeps what it found. */
  private static boolean isEffect(Command what) {
    return what.is(CommandFlag.WRITE)
        || (what.is(CommandFlag.READONLY) && what.is(CommandFlag.MAY_REPLICATE));
  }

  void command(Command itsCommand) {
    command = itsCommand;
  }

  @Override
  public Session session() {
    return here(session);
  }

  @Override
  public Command command() {
    return here(command);
  }

  @Override
  public Transaction transaction() {
    return here(transaction);
  }

  @Override
  public boolean hasData() {
    return transaction != null;
  }

  @Override
  public RespEncoder reply() {
    return reply;
  }

  @Override
  public int stringBytesMax() {
    return session().isMaster() ? Strings.BYTES_MAX_EVER : executor.keyspace().stringBytesMax();
  }

  @Override
  public AccessTimes accessTimes() {
    return executor.keyspace().accessTimes();
  }

  @Override
  public boolean isTrial() {
    return executor.isTrial();
  }

  @Override
  public boolean mayWait() {
    return !isQueued;
  }

  @Override
  public Wait waitFor(
      List<byte[]> keys,
      long timeoutMillis,
      Consumer<RespEncoder> onTimeout,
      Wait.Attempt attempt) {
    Wait its = new Wait(session(), keys, timeoutMillis, onTimeout, attempt);
    wait = its;
    return its;
  }

  @Override
  public FunctionLibraries libraries() {
    return changedLibraries == null ? executor.keyspace().libraries() : changedLibraries;
  }

  @Override
  public void libraries(FunctionLibraries changed) {
    changedLibraries = changed;
  }

  /**
   * The libraries that there are now that the transaction is applied; null if that is as before.
   */
  @Nullable FunctionLibraries changedLibraries() {
    return changedLibraries;
  }

  @Override
  public LoadedLibraries loadedLibraries() {
    return executor.scripts().libraries();
  }

  @Override
  public void loadScript(String digest, byte[] source) {
    executor.scripts().load(digest, source);
  }

  @Override
  public void runScript(
      String digest, byte[][] keys, byte[][] arguments, boolean onlyReads, Args request) {
    executor.scripts().run(this, digest, keys, arguments, onlyReads, request);
  }

  @Override
  public void callFunction(
      FunctionLibraries.Found found,
      byte[][] keys,
      byte[][] arguments,
      boolean onlyReads,
      Args request) {
    executor.scripts().call(this, found, keys, arguments, onlyReads, request);
  }

  @Override
  public void callsScript(Args args) {
    executor.observer().scriptCalled(session(), command(), args);
  }

  @Override
  public void runQueued(Command queued, Args args) {
    executor.runQueued(queued, args);
  }

  @Override
  public CommandStatistics statisticsInside() {
    return executor.observer().statisticsInside();
  }

  /** What runs this command. */
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
