package dev.varve.server.command.run;

import dev.varve.codec.DataException;
import dev.varve.codec.Databases;
import dev.varve.codec.DueFieldsSignal;
import dev.varve.codec.Transaction;
import dev.varve.codec.store.Store;
import dev.varve.codec.store.StoreView;
import dev.varve.lsm.entry.ColdBlock;
import dev.varve.lsm.entry.ColdBlockSignal;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandFlag;
import dev.varve.server.command.CommandFunction;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.LongRunSignal;
import dev.varve.server.command.NextRun;
import dev.varve.server.command.Session;
import dev.varve.server.command.Wait;
import dev.varve.server.command.listen.ChangeListeners;
import dev.varve.server.command.observe.CommandObserver;
import dev.varve.server.engine.Engine;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.ReplyCutShortException;
import dev.varve.server.resp.RespEncoder;
import dev.varve.server.script.ScriptDroppedException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The runs of one executor's commands on data: each is given a view and a transaction, and what it
 * wrote is applied when it has come to its end.
 *
 * <p>Used by the thread of the executor.
 */
final class DataRuns {
  private final Role role;
  private final Keyspace keyspace;
  private final ChangeListeners listeners;
  private final Engine engine;
  private final Store store;
  private final CommandExecutor executor;
  private final RespEncoder reply;
  private final RunContext context;
  private final CommandObserver observer;
  private final LongSupplier clock;
  private final FrozenRandom random = new FrozenRandom(0);
  private final LeasedRun leased;
  private final RunEnd end;
  private final RememberedReads reads;
  private final DueFieldDeletions dueFields;
  private final RunLimits limits;
  private @Nullable StoreView broughtView;
  private @Nullable ColdBlock coldBlock;

  private boolean isTrial;
  private boolean isRehearsal;

  /** Whether the last rehearsal came to its end. */
  private boolean isRehearsed;

  DataRuns(
      Role role,
      Keyspace keyspace,
      CommandExecutor executor,
      RunContext context,
      CommandObserver observer,
      LongSupplier clock,
      LongSupplier replyRoom,
      LeasedRun leased,
      RunEnd end,
      RememberedReads reads) {
    this.role = role;
    this.keyspace = keyspace;
    this.listeners = keyspace.listeners();
    this.engine = keyspace.engine();
    this.store = role == Role.WORKER ? new WorkerStore(engine) : engine.store();
    this.executor = executor;
    this.reply = executor.reply();
    this.context = context;
    this.observer = observer;
    this.clock = clock;
    this.leased = leased;
    this.end = end;
    this.reads = reads;
    this.dueFields = new DueFieldDeletions(role, keyspace);
    this.limits = new RunLimits(role, reply, replyRoom, keyspace);
  }

  /**
   * A request as it comes here.
   *
   * @param function what to do for it
   * @param replyMark where its reply begins
   */
  private record Request(
      Session session, Command command, CommandFunction function, Args args, int replyMark) {}

  /**
   * One run of a request.
   *
   * @param view what it sees
   * @param databases which fit that
   * @param seed what is random in it comes from that
   * @param nowMillis the time that it has
   * @param before what its client was when it began
   * @param isFirst whether it is not another attempt to serve a client that waits
   * @param fromNanos when it began
   */
  private record Run(
      Request request,
      StoreView view,
      Databases databases,
      long seed,
      long nowMillis,
      Session.State before,
      boolean isFirst,
      long fromNanos) {
    Session session() {
      return request.session;
    }

    Command command() {
      return request.command;
    }

    Args args() {
      return request.args;
    }

    int replyMark() {
      return request.replyMark;
    }
  }

  /** Runs a command, as far as that is possible here. */
  Outcome run(
      Session session, Command command, CommandFunction function, Args args, int replyMark) {
    Request request = new Request(session, command, function, args, replyMark);
    if (role != Role.WRITER) {
      return runOnce(request);
    }
    if (session.watch().isEndWanted()) {
      // Of an EXEC that failed, perhaps on a worker.
      listeners.watches().remove(session.watch());
    }
    if (!isReadAnywhere(session, command) && executor.longRuns().isLong(session, command, args)) {
      return executor.longRuns().lend(session, LongRunSignal.OF_WRITE);
    }
    if (Admission.actsAtOnce(session, command)) {
      Outcome rehearsed = rehearse(request);
      if (!isRehearsed) {
        return rehearsed;
      }
    }
    return runOnce(request);
  }

  /**
   * Tries a transaction without what must run once only, until nothing of it is cold: what runs
   * right after it meets the same.
   */
  private Outcome rehearse(Request request) {
    NextRun next = request.session.nextRun();
    if (next.seed() == 0) {
      // Scripts draw the same in the rehearsal as in the run.
      next.seed(newSeed());
    }
    isRehearsal = true;
    isRehearsed = false;
    try {
      return runOnce(request);
    } finally {
      isRehearsal = false;
    }
  }

  private Outcome runOnce(Request request) {
    LongRun.Lease lease = leased.lease();
    Databases databases = lease == null ? databases() : lease.databases();
    if (databases == null) {
      return role == Role.WORKER && executor.isForKeyspaceLoop(request.session, request.command)
          ? Outcome.TRIED
          : Outcome.TO_KEYSPACE;
    }
    StoreView view = openView(request.session, request.command);
    boolean keepsView = lease != null;
    try {
      if (lease == null && databases() != databases) {
        // The mapping changed while the view was opened: the keyspace loop knows which is right.
        return Outcome.TO_KEYSPACE;
      }
      Outcome outcome = runOn(view, databases, request);
      keepsView |= outcome == Outcome.TRIED;
      return outcome;
    } finally {
      isTrial = false;
      if (lease == null) {
        executor.keepScripts();
      }
      context.end();
      if (keepsView) {
        broughtView = view;
        // What it has read is in memory, what was made of that is not: the run that counts is
        // elsewhere.
        view.needNothing();
      } else {
        view.close();
      }
    }
  }

  private @Nullable Databases databases() {
    return role == Role.WRITER ? keyspace.viewDatabases() : keyspace.publishedDatabases();
  }

  private StoreView openView(Session session, Command command) {
    return switch (role) {
      case READER -> store.view();
      case WRITER -> store.writerView();
      case WORKER -> workerView(session, command);
    };
  }

  private StoreView workerView(Session session, Command command) {
    if (leased.lease() != null) {
      return engine.leasedView();
    }
    return isReadAnywhere(session, command)
        ? engine.passingView(limits.pause())
        : engine.blockingView();
  }

  private Outcome runOn(StoreView view, Databases databases, Request request) {
    coldBlock = null;
    Run run = begin(view, databases, request);
    Outcome outcome;
    try {
      call(run);
      outcome = cameToItsEnd(run);
    } catch (ColdBlockSignal cold) {
      coldBlock = readsAhead(run.command()) ? null : cold.block();
      return unwound(run);
    } catch (DueFieldsSignal due) {
      outcome = metDueFields(run, due);
    } catch (LongReadSignal tooLong) {
      unwound(run);
      keyspace.longReads().left();
      return Outcome.TO_STREAM;
    } catch (LongRunSignal tooLong) {
      return tookTooLong(run, tooLong);
    } catch (DataException refused) {
      outcome = refused(run, refused);
    } catch (ReplyCutShortException cut) {
      throw cut;
    } catch (RuntimeException | StackOverflowError | OutOfMemoryError failure) {
      run.session().state(run.before);
      outcome = failed(run, failure);
    }
    return outcome == Outcome.DONE ? done(run) : outcome;
  }

  private Run begin(StoreView view, Databases databases, Request request) {
    Session session = request.session;
    Command command = request.command;
    long seed = session.nextRun().seed() == 0 ? newSeed() : session.nextRun().seed();
    random.seed(seed);
    long nowMillis = clock.getAsLong();
    Transaction transaction = transaction(view, databases, nowMillis, session, command);
    context.begin(session, command, transaction);
    reads.take();
    isTrial =
        isRehearsal
            || (role == Role.WORKER
                && !leased.hasLease()
                && executor.isForKeyspaceLoop(session, command));
    Session.State before = session.state();
    boolean isFirst = session.waiting() == null;
    long fromNanos = observer.begin();
    if (reply.isStreaming() && (isTrial || !session.isReplyWanted())) {
      reply.discard();
    }
    if (isReadAnywhere(session, command)) {
      limits.beginRead(view, command, request.replyMark);
    } else if (role == Role.WRITER
        && !isRehearsal
        && executor.longRuns().mayLeave(session, command)) {
      limits.beginWrite(transaction);
    }
    return new Run(request, view, databases, seed, nowMillis, before, isFirst, fromNanos);
  }

  private void call(Run run) {
    CommandFunction function = run.request.function;
    try {
      context.call(function, run.args());
      if (reply.mustRunAgain()) {
        // It finds the same: the view, the time and what is random are the same.
        random.seed(run.seed);
        context.beginAgain(run.session(), run.command(), transaction(run));
        reads.take();
        context.call(function, run.args());
      }
    } finally {
      // What comes of it looks at the data too, and would be done again.
      limits.end();
    }
  }

  /** Its command has come to its end; DONE if that is the end of the run as well. */
  private Outcome cameToItsEnd(Run run) {
    Transaction transaction = context.transaction();
    Session session = run.session();
    if (role == Role.WRITER
        && run.isFirst
        && listeners.blocked().served().areBefore(session, transaction)) {
      unwound(run);
      return Outcome.BEHIND_WAITER;
    }
    if (isTrial) {
      isRehearsed = true;
      return unwound(run);
    }
    if (role == Role.READER && mayBeKept(run.command(), run.args(), transaction)) {
      unwound(run);
      return Outcome.TO_KEYSPACE;
    }
    Wait wait = context.takeWait();
    if (wait != null) {
      if (run.isFirst) {
        listeners.blocked().requireRoom(wait);
      }
      reply.rollback(run.replyMark());
      end.parked(session, wait, run.command(), run.args(), transaction);
      if (run.isFirst) {
        observer.blocked(session, run.command(), run.args(), run.fromNanos, run.replyMark());
      }
      return Outcome.BLOCKED;
    }
    end.ended(session, run.command(), run.args(), transaction, run.before);
    return Outcome.DONE;
  }

  private Outcome metDueFields(Run run, DueFieldsSignal due) {
    unwound(run);
    try {
      return dueFields.delete(run.session(), run.command(), transaction(run), due);
    } catch (ColdBlockSignal cold) {
      coldBlock = cold.block();
      return Outcome.COLD;
    } catch (RuntimeException | StackOverflowError | OutOfMemoryError failure) {
      return failed(run, failure);
    }
  }

  private Outcome tookTooLong(Run run, LongRunSignal tooLong) {
    Outcome outcome = unwound(run);
    if (role == Role.WRITER) {
      return executor.longRuns().lend(run.session(), tooLong);
    }
    run.session().nextRun().isLong(tooLong);
    return outcome;
  }

  private Outcome refused(Run run, DataException refused) {
    reply.rollback(run.replyMark());
    if (isTrial) {
      isRehearsed = true;
      return unwound(run);
    }
    // Nothing was written but the removal of expired keys it came across.
    end.ended(run.session(), run.command(), run.args(), context.transaction(), run.before);
    reply.error(refused.errorBytes());
    return Outcome.DONE;
  }

  private Outcome failed(Run run, Throwable failure) {
    executor.undoScripts();
    failed(run.session(), run.command(), failure, run.replyMark());
    return Outcome.DONE;
  }

  /** It has its reply. */
  private Outcome done(Run run) {
    Session session = run.session();
    session.touched(run.nowMillis);
    if (run.isFirst) {
      // As in Redis, the time in which a client reads is not the command's.
      long fromNanos = run.fromNanos + reply.waitedNanos();
      observer.ran(session, run.command(), run.args(), fromNanos, run.replyMark());
    } else {
      observer.served(session, run.command(), run.args(), run.fromNanos, run.replyMark());
    }
    return executor.done(session, run.replyMark());
  }

  /**
   * Whether a key or field that has expired here may be one that lives on: by a command that ran
   * before it expired, and that readers do not see yet. The keyspace loop knows.
   */
  private static boolean mayBeKept(Command command, Args args, Transaction transaction) {
    // What a read would write is that fields which are due go.
    boolean isAnyExpired =
        !transaction.lookups().expired().isEmpty() || !transaction.batch().isEmpty();
    // A walk over all keys may meet many, and would take long there.
    return isAnyExpired && command.keyIndexes(args).length > 0;
  }

  void failed(Session session, Command command, Throwable failure, int replyMark) {
    if (command.isExec()) {
      session.endTransaction();
    }
    if (failure instanceof OutOfMemoryError) {
      // What it gathered may be what there is no room for; telling of it takes some.
      context.begin(session, command, null);
    }
    if (failure instanceof ScriptDroppedException) {
      // What the client has sent behind it counts on it.
      session.close();
    }
    executor.failed(command, failure, replyMark);
  }

  /** Who pops from a list reads ahead where he may wait, for those who pop next. */
  private static boolean readsAhead(Command command) {
    return command.group() == CommandGroup.LIST && command.is(CommandFlag.WRITE);
  }

  private Transaction transaction(Run run) {
    return transaction(run.view, run.databases, run.nowMillis, run.session(), run.command());
  }

  private Transaction transaction(
      StoreView view, Databases databases, long nowMillis, Session session, Command command) {
    LongRun.Lease lease = leased.lease();
    boolean isListening = role == Role.WRITER && listeners.isAnyListening();
    Transaction transaction =
        new Transaction(
            lease == null ? store : lease.store(),
            view,
            databases,
            keyspace.packedLimits(),
            nowMillis,
            random,
            // Who begins to watch a key while a script has the lease is told of it too.
            lease != null || isListening);
    if (lease != null) {
      transaction.wants(lease.wantedEvents());
    } else if (isListening) {
      transaction.wants(listeners.wantedEvents());
    }
    transaction.noteUsesIn(keyspace.accessTimes());
    if (session.noTouch()) {
      transaction.hideUses(true);
    }
    if (lease != null || role == Role.WRITER) {
      transaction.tellEffects(keyspace.leading().stream().effects());
    }
    if (session.isMaster()) {
      transaction.expireNothing();
    }
    if (command.is(CommandFlag.READONLY)) {
      transaction.promiseReadsOnly();
    }
    if (lease == null && mayRunAgain(session, command)) {
      dueFields.limit(transaction);
    }
    return transaction;
  }

  /** Whether a run may end with a part of what is due deleted, for another one to go on. */
  private boolean mayRunAgain(Session session, Command command) {
    // Who is served what it has waited for is served now.
    boolean isServed = session.waiting() != null;
    // What must run once only has been rehearsed, and is on its way.
    boolean actsNow = role == Role.WRITER && !isRehearsal && Admission.actsAtOnce(session, command);
    return !isServed
        && !actsNow
        && (role != Role.WORKER || executor.isForKeyspaceLoop(session, command));
  }

  /** Whether any thread that reads can give the same answer. */
  private boolean isReadAnywhere(Session session, Command command) {
    return command.is(CommandFlag.READONLY) && !executor.isForKeyspaceLoop(session, command);
  }

  private Outcome unwound(Run run) {
    reply.rollback(run.replyMark());
    executor.undoScripts();
    observer.unwound();
    run.session().state(run.before);
    run.session().nextRun().repeats(run.seed, context.toldTimes());
    return role == Role.WORKER ? Outcome.TRIED : Outcome.COLD;
  }

  private static long newSeed() {
    return ThreadLocalRandom.current().nextLong() | 1;
  }

  /** Whether this run will be thrown away: what is not in the transaction must stay as it is. */
  boolean isTrial() {
    return isTrial;
  }

  @Nullable ColdBlock takeColdBlock() {
    ColdBlock block = coldBlock;
    coldBlock = null;
    return block;
  }

  @Nullable StoreView takeBroughtView() {
    StoreView view = broughtView;
    broughtView = null;
    return view;
  }
}
