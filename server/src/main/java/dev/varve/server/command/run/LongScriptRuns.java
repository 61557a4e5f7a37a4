package dev.varve.server.command.run;

import dev.varve.codec.Transaction;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandFlag;
import dev.varve.server.command.Session;
import dev.varve.server.engine.Engine;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import dev.varve.server.script.LongScriptSignal;
import org.jspecify.annotations.Nullable;

/**
 * Scripts that take too long for the keyspace loop: lent from there ({@link #lend}), run by the
 * executor of a worker ({@link #run}), and finished on the keyspace loop ({@link #finish}); see
 * {@link LongScript}.
 *
 * <p>Used by the thread of the executor.
 */
final class LongScriptRuns {
  private final Keyspace keyspace;
  private final CommandExecutor executor;
  private final DataRuns runs;
  private final LeasedRun leased;
  private final RespEncoder reply;

  LongScriptRuns(Keyspace keyspace, CommandExecutor executor, DataRuns runs, LeasedRun leased) {
    this.keyspace = keyspace;
    this.executor = executor;
    this.runs = runs;
    this.leased = leased;
    this.reply = executor.reply();
  }

  /** Whether the script that runs for {@code session} may be unwound to run on a worker. */
  boolean mayLeave(Session session) {
    return !leased.hasLease() && !session.queue().isAny((queued, args) -> !needsDataAlone(queued));
  }

  /** Whether a command can be run elsewhere than on the keyspace loop. */
  private static boolean needsDataAlone(Command command) {
    return command.is(CommandFlag.WRITE)
        || command.is(CommandFlag.READONLY)
        || Admission.mayWrite(command);
  }

  /** Lets a worker run a script that takes long. Keyspace loop. */
  Outcome lend(LongScriptSignal signal) {
    Engine engine = keyspace.engine();
    keyspace.scriptRuns().unwound(signal.run());
    keyspace
        .longScript()
        .begin(
            new LongScript.Lease(
                new WorkerStore(engine, engine.store().nextSequence()),
                keyspace.databases(),
                executor.scripts(),
                signal.run().isFunction()));
    return Outcome.LONG;
  }

  /** Runs a command whose script takes long. Worker. */
  LongScript.Finished run(Session session, Command command, Args args, LongScript.Lease lease) {
    leased.begin(lease);
    try {
      if (keyspace.engine().publishedSequence() + 1 < lease.store().nextSequence()) {
        throw new IllegalStateException("what came before the script was not committed");
      }
      runs.run(session, command, command.function(), args, reply.mark());
    } catch (RuntimeException | StackOverflowError | OutOfMemoryError failure) {
      executor.failed(command, failure, 0);
    }
    return leased.end(command);
  }

  /**
   * Applies what a script wrote that ran elsewhere, and replies. Keyspace loop.
   *
   * @param its null where the run failed and nothing of it counts
   */
  void finish(Session session, LongScript.@Nullable Finished its, byte[] itsReply, int replyBytes) {
    int replyMark = reply.mark();
    keyspace.longScript().end();
    keyspace.scriptRuns().noneUnwound();
    session.beginRun();
    try {
      if (its != null) {
        apply(session, its);
      }
      reply.raw(itsReply, replyBytes);
    } catch (RuntimeException | StackOverflowError | OutOfMemoryError failure) {
      if (its == null) {
        throw failure;
      }
      executor.failed(its.command(), failure, replyMark);
    } finally {
      session.endRun(reply);
    }
  }

  private void apply(Session session, LongScript.Finished its) {
    Transaction transaction = its.transaction();
    if (transaction != null) {
      runs.apply(session, transaction, its.libraries(), its.reads(), its.messages(), true);
      its.afterwards().forEach(Runnable::run);
    }
  }
}
