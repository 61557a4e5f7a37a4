package dev.varve.server.command.run;

import dev.varve.codec.DataException;
import dev.varve.codec.Transaction;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandFlag;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.LongRunSignal;
import dev.varve.server.command.Session;
import dev.varve.server.engine.Engine;
import dev.varve.server.engine.WriteFailure;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import dev.varve.server.script.ScriptRuns;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Scripts, and other commands that write, which take too long for the keyspace loop: lent from
 * there ({@link #lend}), run by the executor of a worker ({@link #run}), and finished on the
 * keyspace loop ({@link #finish}); see {@link LongRun}.
 *
 * <p>One for each executor, used by its thread.
 */
public final class LongRuns {
  private final Keyspace keyspace;
  private final CommandExecutor executor;
  private final DataRuns runs;
  private final LeasedRun leased;
  private final RunEnd end;
  private final RespEncoder reply;

  LongRuns(
      Keyspace keyspace, CommandExecutor executor, DataRuns runs, LeasedRun leased, RunEnd end) {
    this.keyspace = keyspace;
    this.executor = executor;
    this.runs = runs;
    this.leased = leased;
    this.end = end;
    this.reply = executor.reply();
  }

  /** Whether a command has to run on a worker, as is plain before it runs. */
  boolean isLong(Session session, Command command, Args args) {
    return keyspace.longRun().isLong(args, session.queue()) && mayLeave(session, command);
  }

  /** Whether the script that runs for {@code session} may be unwound to run on a worker. */
  boolean mayLeave(Session session) {
    return !leased.hasLease() && !session.queue().isAny((queued, args) -> !needsDataAlone(queued));
  }

  /**
   * Whether {@code command}, which the keyspace loop has to run, and which is and has no script,
   * may be unwound to run on a worker when it takes long: not one that serves a client which has
   * waited, or would have it wait.
   */
  boolean mayLeave(Session session, Command command) {
    return (command.isExec() || (isReadOrWrite(command) && !mayWait(command)))
        && session.waiting() == null
        && !session.queue().isAny((queued, args) -> !isReadOrWrite(queued));
  }

  /** Whether its client may have to wait, which only the keyspace loop knows how to do. */
  private static boolean mayWait(Command command) {
    return command.is(CommandFlag.BLOCKING) || command.place() == Command.Place.KEYSPACE_LOOP;
  }

  private static boolean isReadOrWrite(Command command) {
    return command.group() != CommandGroup.SCRIPTING && needsDataAlone(command);
  }

  /** Whether a command can be run elsewhere than on the keyspace loop. */
  private static boolean needsDataAlone(Command command) {
    return command.is(CommandFlag.WRITE)
        || command.is(CommandFlag.READONLY)
        || Admission.mayWrite(command);
  }

  /**
   * Lets a worker run what takes long, once none does and no client is to be served before.
   * Keyspace loop.
   */
  Outcome lend(Session session, LongRunSignal signal) {
    if (keyspace.longRun().isRunning()) {
      session.nextRun().isLong(signal);
      return Outcome.BEHIND_LONG;
    }
    if (keyspace.listeners().blocked().served().areBefore(session)) {
      session.nextRun().isLong(signal);
      return Outcome.BEHIND_WAITER;
    }
    Engine engine = keyspace.engine();
    ScriptRuns.Run script = signal.run();
    if (script != null) {
      keyspace.scriptRuns().unwound(script);
    }
    keyspace
        .longRun()
        .begin(
            session,
            new LongRun.Lease(
                new WorkerStore(engine, engine.store().nextSequence()),
                keyspace.databases(),
                script == null ? null : executor.scripts(),
                keyspace.listeners().wantedEvents(),
                busy(script)));
    return Outcome.LONG;
  }

  /** What others are told while a script runs; nothing beside other commands. */
  private static @Nullable DataException busy(ScriptRuns.@Nullable Run script) {
    if (script == null) {
      return null;
    }
    return script.isFunction() ? LongRun.BUSY_FUNCTION : LongRun.BUSY_SCRIPT;
  }

  /**
   * Runs a request that takes long: what it wrote is to be handed to {@link #finish} on the
   * keyspace loop, with the reply. Its view is kept as that of a trial is. Worker.
   *
   * @return null if it lacks what is not in memory: nothing has come of it, and the right to write
   *     is to be {@linkplain #giveBack given back}
   */
  public LongRun.@Nullable Finished run(Session session, Args args, LongRun.Lease lease) {
    Command command = executor.find(args);
    if (command == null) {
      throw new IllegalStateException("no command: " + args.text(0));
    }
    reply.protocol(session.protocol());
    leased.begin(lease);
    boolean isCold = false;
    try {
      if (keyspace.engine().publishedSequence() + 1 < lease.store().nextSequence()) {
        throw new WriteFailure(new IOException("what was written before could not be"));
      }
      isCold = runs.run(session, command, command.function(), args, reply.mark()) == Outcome.TRIED;
    } catch (RuntimeException | StackOverflowError | OutOfMemoryError failure) {
      ScriptRunner scripts = lease.scripts();
      if (scripts != null) {
        scripts.undo();
      }
      runs.failed(session, command, failure, 0);
      executor.cameToNothing(session, 0);
    }
    LongRun.Finished its = leased.end(command);
    return isCold ? null : its;
  }

  /** It lacks what is not in memory: others write until that was brought. Keyspace loop. */
  public void giveBack() {
    keyspace.engine().takeBack();
    keyspace.longRun().end();
    keyspace.scriptRuns().noneUnwound();
  }

  /**
   * What a worker has to do between {@link #run} and {@link #finish}, or null. Throws where memory
   * has run out; then there is none. Keyspace loop.
   *
   * @param its null where the run failed and nothing of it counts
   */
  public @Nullable Runnable beside(LongRun.@Nullable Finished its) {
    Transaction transaction = its == null ? null : its.transaction();
    return transaction == null ? null : keyspace.beginBeside(transaction);
  }

  /**
   * Applies what was written elsewhere, and replies. Keyspace loop.
   *
   * @param its null where the run failed and nothing of it counts
   */
  public void finish(
      Session session, LongRun.@Nullable Finished its, byte[] itsReply, int replyBytes) {
    int replyMark = reply.mark();
    giveBack();
    session.beginRun();
    try {
      if (its == null) {
        reply.raw(itsReply, replyBytes);
        executor.cameToNothing(session, replyMark);
      } else {
        finish(session, its, itsReply, replyBytes, replyMark);
      }
    } finally {
      session.endRun(reply);
    }
  }

  private void finish(
      Session session, LongRun.Finished its, byte[] itsReply, int replyBytes, int replyMark) {
    try {
      apply(session, its);
      executor.lentScriptsEnd(true);
      reply.raw(itsReply, replyBytes);
    } catch (RuntimeException | StackOverflowError | OutOfMemoryError failure) {
      executor.lentScriptsEnd(false);
      executor.failed(its.command(), failure, replyMark);
      executor.cameToNothing(session, replyMark);
    }
  }

  private void apply(Session session, LongRun.Finished its) {
    Transaction transaction = its.transaction();
    if (transaction != null) {
      end.apply(session, transaction, its.libraries(), its.reads(), its.messages(), true);
      its.afterwards().forEach(Runnable::run);
    }
  }
}
