package dev.varve.server.command;

import dev.varve.codec.DataException;
import dev.varve.codec.Databases;
import dev.varve.codec.Transaction;
import dev.varve.codec.store.Store;
import dev.varve.codec.store.StoreView;
import dev.varve.lsm.entry.ColdBlockSignal;
import dev.varve.lsm.entry.ReadFailure;
import dev.varve.server.engine.Engine;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.ReplyTooLargeException;
import dev.varve.server.resp.RespEncoder;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs requests: finds the command, checks what Redis checks before it runs one, gives it the data,
 * and applies what it wrote. It knows no sockets; whoever owns the connection acts on the {@link
 * Outcome}.
 *
 * <p>One per thread that runs commands, used by that thread only.
 */
public final class CommandExecutor {
  private static final Logger LOG = LoggerFactory.getLogger(CommandExecutor.class);

  /** Which thread this executor serves. */
  public enum Role {
    /** A loop that is not the keyspace loop: reads what is published. */
    READER,
    /** The keyspace loop: reads and writes everything. */
    WRITER,
    /**
     * A worker: may wait for the disk. A command that only reads is finished here; for one that
     * belongs on the keyspace loop this run is a trial, whose reply and writes are thrown away.
     */
    WORKER
  }

  /** What became of a request. Only after DONE has anything happened. */
  public enum Outcome {
    /** It ran: its reply is written, unless the client wants none. */
    DONE,
    /** It must run on the keyspace loop. */
    TO_KEYSPACE,
    /** It must run on a worker, and that run is the real one. */
    TO_WORKER,
    /**
     * It needs what is not in memory: a worker has to run it. From a worker: that was a trial, now
     * the keyspace loop can run it; see {@link CommandExecutor#takeWarmView}.
     */
    COLD,
    /** Writes have to wait: {@code Engine.writeDelayMillis()} says how long. */
    DELAYED,
    /** Clients are paused: {@code Activity.pause()} says when it is over. */
    PAUSED,
    /** The client waits for keys: {@code Session.waiting()} says how long. */
    BLOCKED
  }

  private static final byte[] QUEUED = "+QUEUED\r\n".getBytes(StandardCharsets.US_ASCII);

  private final Role role;
  private final CommandTable table;
  private final Keyspace keyspace;
  private final Engine engine;
  private final Store store;
  private final RespEncoder reply;
  private final LongSupplier clock;
  private final CommandObserver observer;
  private final FrozenRandom random = new FrozenRandom(0);
  private final CommandContext context;
  private final Admission admission;
  private @Nullable StoreView warmView;
  private @Nullable ScriptRunner scripts;

  /**
   * @param reply where replies go, in the order of the requests
   * @param clock ms since 1970
   */
  public CommandExecutor(
      Role role, CommandTable table, Keyspace keyspace, RespEncoder reply, LongSupplier clock) {
    this.role = role;
    this.table = table;
    this.keyspace = keyspace;
    this.engine = keyspace.engine();
    this.store = role == Role.WORKER ? new TrialStore(engine) : engine.store();
    this.reply = reply;
    this.clock = clock;
    this.context = new CommandContext(this, reply);
    this.observer = new CommandObserver(keyspace.activity(), reply, clock);
    this.admission = new Admission(engine, keyspace.activity().pause());
  }

  /** What ran here. */
  public CommandStatistics statistics() {
    return observer.statistics();
  }

  /** Where replies go. */
  public RespEncoder reply() {
    return reply;
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
    int begin = reply.mark();
    Command command = find(args);
    Wait wait = session.waiting();
    if (wait != null && command != null) {
      return resume(session, wait, command, args, begin);
    }
    if (command == null) {
      session.breakQueue();
      reply.error(CommandErrors.unknown(table, args));
      return done(session, begin);
    }
    DataException refusal = admission.refusal(session, command, args);
    if (refusal != null) {
      return refuse(session, command, refusal, begin);
    }
    if (role != Role.WORKER && admission.isPaused(session, command, clock.getAsLong())) {
      return Outcome.PAUSED;
    }
    if (session.isQueueing() && !command.isRunInsideMulti()) {
      session.enqueue(command, args);
      reply.raw(QUEUED);
      return done(session, begin);
    }
    if (role != Role.WORKER && command.place() == Command.Place.WORKER) {
      return Outcome.TO_WORKER;
    }
    if (isForKeyspaceLoop(session, command)) {
      if (role == Role.READER) {
        return Outcome.TO_KEYSPACE;
      }
      if (role == Role.WRITER && mustWait(session, command, hasWaited)) {
        return Outcome.DELAYED;
      }
    }
    return command.hasData()
        ? runOnData(session, command, command.function(), args, begin)
        : runAlone(session, command, args, begin);
  }

  /** Tries again to serve a client that waits. */
  private Outcome resume(Session session, Wait wait, Command command, Args args, int begin) {
    String writeRefusal = engine.writeRefusal();
    if (writeRefusal != null && command.is(CommandFlag.WRITE)) {
      endWait(session, wait, its -> its.error(writeRefusal));
      return Outcome.DONE;
    }
    CommandFunction attempt =
        (its, ignored) -> {
          if (!wait.attempt(its)) {
            its.waitOn(wait);
          }
        };
    Outcome outcome = runOnData(session, command, attempt, args, begin);
    if (outcome == Outcome.DONE) {
      keyspace.blocked().end(wait);
      session.waiting(null);
    }
    return outcome;
  }

  /** Ends the wait of a client with what {@code what} replies. */
  public void endWait(Session session, Wait wait, Consumer<RespEncoder> what) {
    reply.protocol(session.protocol());
    int begin = reply.mark();
    keyspace.blocked().end(wait);
    session.waiting(null);
    what.accept(reply);
    done(session, begin);
  }

  /** The command of a request, a subcommand where it is one; null where there is none. */
  @Nullable Command find(Args args) {
    Command command = table.find(args.get(0));
    if (command == null) {
      return null;
    }
    CommandTable subcommands = command.subcommands();
    return subcommands == null || args.count() == 1 ? command : subcommands.find(args.get(1));
  }

  private Outcome refuse(Session session, Command command, DataException refusal, int begin) {
    if (command.isExec() && session.isQueueing()) {
      if (role == Role.READER) {
        return Outcome.TO_KEYSPACE;
      }
      session.endQueue();
      keyspace.watches().remove(session.watch());
      reply.error(CommandErrors.execAborted(refusal));
    } else {
      session.breakQueue();
      reply.error(refusal.error());
    }
    statistics().refused(command);
    return done(session, begin);
  }

  private static boolean isForKeyspaceLoop(Session session, Command command) {
    return command.is(CommandFlag.WRITE)
        || command.place() == Command.Place.KEYSPACE_LOOP
        || (command.is(CommandFlag.READONLY) && session.tracking().remembersReads());
  }

  private boolean mustWait(Session session, Command command, boolean hasWaited) {
    if (!Admission.writes(session, command) && !Admission.mayWrite(command)) {
      return false;
    }
    int delayMillis = engine.writeDelayMillis();
    return delayMillis > 0 && (!hasWaited || delayMillis == Engine.WRITES_STOPPED);
  }

  /** Runs a command that needs no data, so that nothing can be missing for it. */
  private Outcome runAlone(Session session, Command command, Args args, int begin) {
    context.begin(session, command, null);
    long nowMillis = clock.getAsLong();
    session.used(command, nowMillis);
    int database = session.database();
    long fromNanos = System.nanoTime();
    try {
      command.function().run(context, args);
    } catch (DataException refused) {
      reply.rollback(begin);
      reply.error(refused.errorBytes());
    } catch (RuntimeException | StackOverflowError | OutOfMemoryError failure) {
      failed(command, failure, begin);
    }
    observer.ran(session, database, command, args, fromNanos, begin);
    return done(session, begin);
  }

  private Outcome runOnData(
      Session session, Command command, CommandFunction function, Args args, int begin) {
    Databases databases =
        role == Role.WRITER ? keyspace.databases() : keyspace.publishedDatabases();
    if (databases == null) {
      return role == Role.WORKER && isForKeyspaceLoop(session, command)
          ? Outcome.COLD
          : Outcome.TO_KEYSPACE;
    }
    StoreView view = openView();
    boolean keepsView = false;
    try {
      if (role != Role.WRITER && keyspace.publishedDatabases() != databases) {
        // The mapping changed while the view was opened: the keyspace loop knows which is right.
        return Outcome.TO_KEYSPACE;
      }
      Outcome outcome = runOn(view, databases, session, command, function, args, begin);
      keepsView = role == Role.WORKER && outcome == Outcome.COLD;
      return outcome;
    } finally {
      if (keepsView) {
        warmView = view;
      } else {
        view.close();
      }
    }
  }

  private StoreView openView() {
    return switch (role) {
      case READER -> store.view();
      case WRITER -> store.writerView();
      case WORKER -> engine.blockingView();
    };
  }

  private Outcome runOn(
      StoreView view,
      Databases databases,
      Session session,
      Command command,
      CommandFunction function,
      Args args,
      int begin) {
    long seed = session.retrySeed() == 0 ? newSeed() : session.retrySeed();
    random.seed(seed);
    long nowMillis = clock.getAsLong();
    Transaction transaction =
        new Transaction(
            store,
            view,
            databases,
            keyspace.packedLimits(),
            nowMillis,
            random,
            role == Role.WRITER && keyspace.areEventsWanted());
    context.begin(session, command, transaction);
    boolean isTrial = role == Role.WORKER && isForKeyspaceLoop(session, command);
    Session.State before = session.state();
    boolean isFirst = session.waiting() == null;
    long fromNanos = System.nanoTime();
    try {
      function.run(context, args);
      if (isTrial) {
        return unwound(session, before, seed, begin);
      }
      Wait wait = context.takeWait();
      if (wait != null) {
        reply.rollback(begin);
        park(session, wait, command, transaction);
        if (isFirst) {
          observer.blocked(session, before.database(), command, args, fromNanos, begin);
        }
        return Outcome.BLOCKED;
      }
      if (role == Role.WRITER) {
        applied(session, transaction);
        remember(session, command, args);
      }
    } catch (ColdBlockSignal cold) {
      return unwound(session, before, seed, begin);
    } catch (DataException refused) {
      reply.rollback(begin);
      if (isTrial) {
        return unwound(session, before, seed, begin);
      }
      if (role == Role.WRITER) {
        // Nothing but the removal of expired keys it came across.
        applied(session, transaction);
      }
      reply.error(refused.errorBytes());
    } catch (RuntimeException | StackOverflowError | OutOfMemoryError failure) {
      session.state(before);
      failed(command, failure, begin);
    }
    session.retrySeed(0);
    session.used(command, nowMillis);
    if (isFirst) {
      observer.ran(session, before.database(), command, args, fromNanos, begin);
    } else {
      observer.served(session, command, args, fromNanos, begin);
    }
    return done(session, begin);
  }

  private void park(Session session, Wait wait, Command command, Transaction transaction) {
    boolean isNew = session.waiting() != wait;
    boolean isMissing = !isNew && transaction.find(session.database(), wait.causeKey()) == null;
    session.retrySeed(0);
    // Nothing but the removal of expired keys it came across.
    keyspace.apply(transaction);
    if (!isNew) {
      keyspace.blocked().park(wait, isMissing);
    } else {
      session.used(command, transaction.nowMillis());
      session.waiting(wait);
      keyspace.blocked().add(wait);
    }
  }

  /** Remembers what a client reads that caches it. */
  void remember(Session session, Command command, Args args) {
    if (role == Role.WRITER
        && command.is(CommandFlag.READONLY)
        && session.tracking().remembersThis()) {
      keyspace.tracking().read(session, command, args);
    }
  }

  private void applied(Session session, Transaction transaction) {
    keyspace.tracking().actor(session);
    try {
      keyspace.apply(transaction);
    } finally {
      keyspace.tracking().actor(null);
    }
    FunctionLibraries libraries = context.changedLibraries();
    if (libraries != null) {
      keyspace.libraries(libraries);
    }
    if (session.watch().isEndWanted()) {
      keyspace.watches().remove(session.watch());
    }
  }

  private Outcome unwound(Session session, Session.State before, long seed, int begin) {
    reply.rollback(begin);
    observer.unwound();
    session.state(before);
    session.retrySeed(seed);
    return Outcome.COLD;
  }

  private void failed(Command command, Throwable failure, int begin) {
    reply.rollback(begin);
    if (failure instanceof ReplyTooLargeException) {
      reply.error("ERR " + failure.getMessage());
    } else if (failure instanceof ReadFailure) {
      LOG.error("{} failed: {}", command, failure.getMessage());
      reply.error("ERR " + failure.getMessage());
    } else {
      LOG.error("{} failed", command, failure);
      reply.error("ERR internal error in " + command + ": " + failure);
    }
  }

  /** After the command ran: counts it, and takes its reply back if the client wants none. */
  private Outcome done(Session session, int begin) {
    statistics().ran(reply, begin);
    if (!session.isQueueing()) {
      session.tracking().commandRan();
    }
    boolean isSent = session.takeReplyKept();
    switch (session.replyMode()) {
      case ON -> isSent = true;
      case OFF -> {}
      case SKIP_NEXT -> {
        isSent = true;
        session.replyMode(Session.ReplyMode.SKIP);
      }
      case SKIP -> session.replyMode(Session.ReplyMode.ON);
    }
    if (!isSent) {
      reply.rollback(begin);
    }
    return Outcome.DONE;
  }

  private static long newSeed() {
    return ThreadLocalRandom.current().nextLong() | 1;
  }

  /** Runs one command of a transaction, in the context of the one that is running. */
  void runQueued(Command command, Args args) {
    Command outer = context.command();
    int begin = reply.mark();
    context.command(command);
    context.queued(true);
    long fromNanos = System.nanoTime();
    int database = context.session().database();
    try {
      command.function().run(context, args);
      if (!isTrial()) {
        remember(context.session(), command, args);
      }
    } catch (DataException refused) {
      reply.rollback(begin);
      reply.error(refused.errorBytes());
    } finally {
      context.queued(false);
      context.command(outer);
      if (!isTrial()) {
        observer.ranQueued(context.session(), database, command, args, fromNanos, begin);
      }
    }
  }

  /** What runs the scripts of this executor. */
  ScriptRunner scripts() {
    ScriptRunner its = scripts;
    if (its == null) {
      its = new ScriptRunner(this);
      scripts = its;
    }
    return its;
  }

  Keyspace keyspace() {
    return keyspace;
  }

  /** Whether this run will be thrown away: what is not in the transaction must stay as it is. */
  boolean isTrial() {
    return role == Role.WORKER && isForKeyspaceLoop(context.session(), context.command());
  }

  /**
   * The view of the last trial, which keeps in memory what that read: to be closed when the command
   * has run again. Null if there is none.
   */
  public @Nullable StoreView takeWarmView() {
    StoreView view = warmView;
    warmView = null;
    return view;
  }
}
