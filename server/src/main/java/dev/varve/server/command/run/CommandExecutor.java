package dev.varve.server.command.run;

import dev.varve.codec.DataException;
import dev.varve.codec.store.StoreView;
import dev.varve.lsm.entry.ColdBlock;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandFlag;
import dev.varve.server.command.CommandFunction;
import dev.varve.server.command.CommandStatistics;
import dev.varve.server.command.CommandTable;
import dev.varve.server.command.LongRunSignal;
import dev.varve.server.command.MasterFeed;
import dev.varve.server.command.Session;
import dev.varve.server.command.Wait;
import dev.varve.server.command.listen.ChangeListeners;
import dev.varve.server.command.observe.CommandObserver;
import dev.varve.server.engine.Engine;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.ReplySink;
import dev.varve.server.resp.RespEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs requests: finds the command, checks what Redis checks before it runs one, gives it the data,
 * and applies what it wrote. It knows no sockets; whoever owns the connection acts on the {@link
 * Outcome}.
 *
 * <p>One per thread that runs commands, used by that thread only.
 */
public final class CommandExecutor {
  private static final byte[] QUEUED = "+QUEUED\r\n".getBytes(StandardCharsets.US_ASCII);

  private final Role role;
  private final CommandTable table;
  private final Keyspace keyspace;
  private final ChangeListeners listeners;
  private final Engine engine;
  private final RespEncoder reply;
  private final LongSupplier clock;
  private final CommandObserver observer;
  private final RunContext context;
  private final Denials denials;
  private final Admission admission;
  private final LeasedRun leased = new LeasedRun();
  private final RememberedReads reads;
  private final DataRuns runs;
  private final LongRuns longRuns;
  private final @Nullable LookAhead lookAhead;
  private @Nullable ScriptRunner scripts;

  /** Whether the error that is replied now may be none at another time. */
  private boolean mayPass;

  /**
   * @param reply where replies go, in the order of the requests
   * @param clock ms since 1970
   * @param replyRoom bytes that are left for what all clients leave unread
   */
  public CommandExecutor(
      Role role,
      CommandTable table,
      Keyspace keyspace,
      RespEncoder reply,
      LongSupplier clock,
      LongSupplier replyRoom) {
    this.role = role;
    this.table = table;
    this.keyspace = keyspace;
    this.listeners = keyspace.listeners();
    this.engine = keyspace.engine();
    this.reply = reply;
    this.clock = clock;
    this.context = new RunContext(this, reply);
    this.observer = new CommandObserver(keyspace.activity(), reply, clock);
    this.denials = new Denials(keyspace.activity().accessLog(), clock);
    this.admission = new Admission(keyspace, denials);
    this.lookAhead = role == Role.WRITER ? new LookAhead(table, keyspace) : null;
    this.reads = new RememberedReads(role, listeners.tracking(), context, leased);
    RunEnd end = new RunEnd(role, keyspace, statistics(), context, leased, reads);
    this.runs =
        new DataRuns(role, keyspace, this, context, observer, clock, replyRoom, leased, end, reads);
    this.longRuns = new LongRuns(keyspace, this, runs, leased, end);
  }

  /** What ran here. */
  public CommandStatistics statistics() {
    return observer.statistics();
  }

  /** What takes too long for the keyspace loop. */
  public LongRuns longRuns() {
    return longRuns;
  }

  /** Where replies go. */
  public RespEncoder reply() {
    return reply;
  }

  /** How many of the requests that come next it is worth to show to {@link #lookAhead} at once. */
  public static final int LOOK_AHEAD = Engine.FORESEEN_MAX;

  /** Fewer requests of one client are worth a look only together with those of others. */
  public static final int PIPELINE_MIN = 4;

  /**
   * Says what a client's next requests are, so that what they will need is at hand. Changes
   * nothing.
   */
  public void lookAhead(Session session, Collection<Object> requests) {
    if (lookAhead != null && requests.size() >= PIPELINE_MIN) {
      lookAhead.look(session, requests);
    }
  }

  /** The same for several clients, whose requests come one after the other. */
  public void lookAhead(Collection<? extends Upcoming> clients) {
    if (lookAhead != null && clients.size() > 1) {
      lookAhead.look(clients);
    }
  }

  /**
   * From here on requests come one right after the other: each counts as begun when the one before
   * it ended, which spares a look at the clock.
   */
  public void burstBegins() {
    observer.burstBegins();
  }

  /** The last of them has run. */
  public void burstEnds() {
    observer.burstEnds();
  }

  /**
   * Runs one request, as far as that is possible here.
   *
   * @param hasWaited whether it has had its delay already, so that only a full stop holds it
   */
  public Outcome execute(Session session, Args args, boolean hasWaited) {
    reply.protocol(session.protocol());
    if (role != Role.WRITER) {
      return run(session, args, hasWaited);
    }
    session.beginRun();
    try {
      return run(session, args, hasWaited);
    } finally {
      session.endRun(reply);
    }
  }

  private Outcome run(Session session, Args args, boolean hasWaited) {
    int replyMark = reply.mark();
    Command command = find(args);
    session.asked(command);
    Wait wait = session.waiting();
    if (wait != null && command != null) {
      if (role == Role.WRITER && admission.isHeld(session, command)) {
        return Outcome.BEHIND_LONG;
      }
      return resume(session, wait, command, args, replyMark);
    }
    if (command == null && CrossProtocol.isHttp(args)) {
      CrossProtocol.refuse(session);
      return done(session, replyMark);
    }
    if (command == null) {
      session.queue().breakUp();
      reply.error(CommandErrors.unknown(table, args));
      return done(session, replyMark);
    }
    DataException refusal = admission.refusal(session, command, args);
    if (refusal != null) {
      return refuse(session, command, refusal, replyMark);
    }
    if (role != Role.WORKER && admission.isPaused(session, command, args, clock)) {
      return Outcome.PAUSED;
    }
    if (session.queue().isOpen() && !command.isRunInsideMulti()) {
      session.queue().add(command, args);
      reply.raw(QUEUED);
      return done(session, replyMark);
    }
    if (role != Role.WORKER && command.place() == Command.Place.WORKER) {
      return Outcome.TO_WORKER;
    }
    Command its = session.tracking().remembersReads() ? command : command.running(args);
    if (isForKeyspaceLoop(session, its)) {
      if (role == Role.READER) {
        return Outcome.TO_KEYSPACE;
      }
      if (role == Role.WRITER) {
        if (admission.isHeld(session, its)) {
          return Outcome.BEHIND_LONG;
        }
        if (listeners.blocked().served().areBefore(session, its, args)) {
          return Outcome.BEHIND_WAITER;
        }
        LongRunSignal signal = session.nextRun().takeLong();
        if (signal != null) {
          return longRuns.lend(session, signal);
        }
        if (mustWait(session, its, hasWaited)) {
          return Outcome.DELAYED;
        }
      }
    }
    return its.hasData()
        ? runs.run(session, its, its.function(), args, replyMark)
        : runAlone(session, its, args, replyMark);
  }

  /**
   * Runs a request that reads for long, or whose reply is too long to be made whole: all of it
   * leaves by {@code sink}, and none is left here. Nothing has left unless that is DONE. Worker.
   *
   * @throws dev.varve.server.resp.ReplyCutShortException when only a part of it has left
   */
  public Outcome stream(Session session, Args args, ReplySink sink) {
    reply.clear(0);
    reply.stream(sink);
    try {
      Outcome outcome = execute(session, args, true);
      if (outcome == Outcome.DONE) {
        reply.endStream();
      }
      return outcome;
    } finally {
      reply.clear(0);
    }
  }

  /** Tries again to serve a client that waits. */
  private Outcome resume(Session session, Wait wait, Command command, Args args, int replyMark) {
    if (role == Role.WRITER) {
      Consumer<RespEncoder> release = wait.release();
      String writeRefusal = engine.writeRefusal();
      if (release != null) {
        endWait(session, wait, release);
        return Outcome.DONE;
      }
      if (writeRefusal != null && command.is(CommandFlag.WRITE)) {
        endWait(session, wait, its -> its.error(writeRefusal));
        return Outcome.DONE;
      }
    }
    CommandFunction attempt =
        (its, ignored) -> {
          if (!wait.attempt(its)) {
            context.waitOn(wait);
          }
        };
    Outcome outcome = runs.run(session, command, attempt, args, replyMark);
    // Where a trial has failed, the keyspace loop ends the wait when it has the reply.
    if (outcome == Outcome.DONE && role == Role.WRITER) {
      listeners.forgetWait(session);
    }
    return outcome;
  }

  /**
   * Ends the wait of a client with what {@code what} replies, or with what it was released with.
   */
  public void endWait(Session session, Wait wait, Consumer<RespEncoder> what) {
    assert session.waiting() == wait;
    Consumer<RespEncoder> release = wait.release();
    reply.protocol(session.protocol());
    int replyMark = reply.mark();
    listeners.forgetWait(session);
    (release == null ? what : release).accept(reply);
    done(session, replyMark);
  }

  /** The command of a request, a subcommand where it is one; null where there is none. */
  @Nullable Command find(Args args) {
    return table.find(args, 0);
  }

  private Outcome refuse(Session session, Command command, DataException refusal, int replyMark) {
    if (command.isExec()) {
      // As in Redis, what was watched is over with it, also where there was no MULTI.
      if (role != Role.WRITER) {
        return role == Role.READER ? Outcome.TO_KEYSPACE : Outcome.TRIED;
      }
      session.queue().end();
      listeners.watches().remove(session.watch());
      reply.error(CommandErrors.execAborted(refusal));
    } else {
      session.queue().breakUp();
      reply.error(refusal.error());
    }
    statistics().refused(command);
    return done(session, replyMark);
  }

  boolean isForKeyspaceLoop(Session session, Command command) {
    return command.is(CommandFlag.WRITE)
        || command.place() == Command.Place.KEYSPACE_LOOP
        || (command.is(CommandFlag.READONLY)
            && (session.tracking().remembersReads()
                || listeners.notifications().areMissesWanted()));
  }

  private boolean mustWait(Session session, Command command, boolean hasWaited) {
    if (!Admission.writes(session, command) && !Admission.mayWrite(command)) {
      return false;
    }
    int delayMillis = keyspace.writeDelayMillis();
    return delayMillis > 0 && (!hasWaited || delayMillis == Engine.WRITES_STOPPED);
  }

  /** Runs a command that needs no data, so that nothing can be missing for it. */
  private Outcome runAlone(Session session, Command command, Args args, int replyMark) {
    context.begin(session, command, null);
    long nowMillis = clock.getAsLong();
    session.touched(nowMillis);
    long fromNanos = observer.begin();
    try {
      command.function().run(context, args);
    } catch (DataException refused) {
      reply.rollback(replyMark);
      reply.error(refused.errorBytes());
    } catch (RuntimeException | StackOverflowError | OutOfMemoryError failure) {
      failed(command, failure, replyMark);
    }
    observer.ran(session, command, args, fromNanos, replyMark);
    return done(session, replyMark);
  }

  void failed(Command command, Throwable failure, int replyMark) {
    mayPass = CommandErrors.mayPass(failure);
    String error = CommandErrors.failed(command, failure);
    reply.rollback(replyMark);
    reply.error(error);
  }

  /** After the command ran: counts its error, and takes its reply back if the client wants none. */
  Outcome done(Session session, int replyMark) {
    statistics().replied(reply, replyMark, context.takeErrorCounted());
    session.nextRun().forget();
    session.servedBefore(null);
    if (session.tracking().isCachingSaid() && !session.queue().isOpen() && !session.askedClient()) {
      session.tracking().forgetCaching();
    }
    MasterFeed master = session.master();
    if (master != null && CommandStatistics.errorCode(reply, replyMark) != null) {
      tell(master, firstLine(replyMark));
    }
    mayPass = false;
    if (!session.takeReplySent()) {
      reply.rollback(replyMark);
    }
    return Outcome.DONE;
  }

  private void tell(MasterFeed master, String error) {
    if (mayPass) {
      master.notCarriedOut(error);
    } else {
      master.failed(error);
    }
  }

  /** What takes long was not run, or could not be applied: the error is its reply. */
  void cameToNothing(Session session, int replyMark) {
    MasterFeed master = session.master();
    if (master != null) {
      master.notCarriedOut(firstLine(replyMark));
    }
    mayPass = false;
    if (!session.isReplyWanted()) {
      reply.rollback(replyMark);
    }
  }

  private String firstLine(int replyMark) {
    int end = replyMark;
    while (reply.byteAt(end) != '\r') {
      end++;
    }
    return new String(reply.array(), replyMark, end - replyMark, StandardCharsets.UTF_8);
  }

  /** Runs one command of a transaction, in the context of the one that is running. */
  void runQueued(Command command, Args args) {
    if (isTrial() && Admission.actsAtOnce(command) && !command.isRehearsed()) {
      return;
    }
    DataException denied = denials.ofQueued(context.session(), command, args, isTrial());
    if (denied != null) {
      reply.error(denied.error());
      return;
    }
    Command outer = context.command();
    int replyMark = reply.mark();
    context.command(command);
    context.queued(true);
    long fromNanos = System.nanoTime();
    try {
      context.call(command.function(), args);
      rememberRead(command, args);
    } catch (DataException refused) {
      reply.rollback(replyMark);
      reply.error(refused.errorBytes());
      rememberRead(command, args);
    } finally {
      context.queued(false);
      context.command(outer);
      if (!isTrial()) {
        observer.ranQueued(
            context.session(), command, args, fromNanos, replyMark, context.takeErrorCounted());
      }
    }
  }

  private void rememberRead(Command command, Args args) {
    if (!isTrial()) {
      rememberWithin(context.session(), command, args);
    }
  }

  /** What runs the scripts of this executor. */
  ScriptRunner scripts() {
    LongRun.Lease lease = leased.lease();
    if (lease != null) {
      return Objects.requireNonNull(lease.scripts());
    }
    ScriptRunner its = scripts;
    if (its == null) {
      its = new ScriptRunner(keyspace, role);
      scripts = its;
    }
    return its;
  }

  /**
   * The run comes to nothing, or another one follows: what its scripts have changed of their
   * libraries is made what it was.
   */
  void undoScripts() {
    if (context.hasRunScript()) {
      scripts().undo();
    }
  }

  /** The run counts. */
  void keepScripts() {
    if (context.hasRunScript()) {
      scripts().keep();
    }
  }

  /** The run for which another thread had the scripts of this executor counts, or does not. */
  void lentScriptsEnd(boolean counts) {
    ScriptRunner its = scripts;
    if (its != null && counts) {
      its.keep();
    } else if (its != null) {
      its.undo();
    }
  }

  Keyspace keyspace() {
    return keyspace;
  }

  /** Whether this run will be thrown away: what is not in the transaction must stay as it is. */
  boolean isTrial() {
    return runs.isTrial();
  }

  /** What users may not do. */
  Denials denials() {
    return denials;
  }

  /** What is told of each command. */
  CommandObserver observer() {
    return observer;
  }

  /** Whether what runs here runs beside the keyspace loop. */
  boolean isOnWorker() {
    return role == Role.WORKER;
  }

  /** Remembers what a client that caches has read within a transaction or a script. */
  void rememberWithin(Session session, Command command, Args args) {
    reads.ranWithin(session, command, args);
  }

  /** Remembers the keys of a script that reads. */
  void rememberDeclared(Session session, Args script) {
    Command command = find(script);
    if (command != null) {
      reads.declaredWithin(session, command, script);
    }
  }

  /**
   * The block that the last request lacked which ended by {@link Outcome#COLD}; null if a worker
   * had better run it.
   */
  public @Nullable ColdBlock takeColdBlock() {
    return runs.takeColdBlock();
  }

  /**
   * The view of the last trial, which keeps in memory what that read: to be closed when the command
   * has run again. Null if there is none.
   */
  public @Nullable StoreView takeBroughtView() {
    return runs.takeBroughtView();
  }
}
