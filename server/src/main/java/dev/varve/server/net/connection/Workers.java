package dev.varve.server.net.connection;

import dev.varve.codec.store.StoreView;
import dev.varve.server.command.MasterFeed;
import dev.varve.server.command.Session;
import dev.varve.server.command.run.CommandExecutor;
import dev.varve.server.command.run.FirstKeys;
import dev.varve.server.command.run.LongRun;
import dev.varve.server.command.run.Outcome;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs requests that wait, most of them for the disk.
 *
 * <p>Any thread.
 */
public final class Workers {
  private static final Logger LOG = LoggerFactory.getLogger(Workers.class);

  /** What an encoder keeps of its array; a longer reply is given away with it. */
  private static final int ENCODER_BYTES_KEPT = 64 * 1024;

  private static final String INTERNAL_ERROR = "ERR internal error: ";

  /** Made beforehand: there may be no memory for another one. */
  private static final byte[] NO_MEMORY =
      "-ERR out of memory\r\n".getBytes(StandardCharsets.US_ASCII);

  /**
   * What came of a run.
   *
   * @param reply begins with what to send
   * @param replyBytes how long that is; 0 if the run was a trial
   * @param broughtView keeps in memory what a trial read, until it is closed; null after a real run
   * @param finished of what takes long to write, to be finished on the keyspace loop
   */
  record Result(
      Outcome outcome,
      byte[] reply,
      int replyBytes,
      @Nullable StoreView broughtView,
      LongRun.@Nullable Finished finished) {}

  /** Takes the result, on the worker. */
  interface Receiver {
    void receive(Result result);
  }

  private final Executor pool;
  private final Executor aside;
  private final Function<RespEncoder, CommandExecutor> executors;
  private final FirstKeys firstKeys;
  private final Queue<CommandExecutor> idle = new ConcurrentLinkedQueue<>();

  /**
   * @param pool threads that may wait for the disk
   * @param aside threads that may wait for something else
   * @param executors makes executors in the role of a worker
   * @param firstKeys brings what requests behind will look up first
   */
  public Workers(
      Executor pool,
      Executor aside,
      Function<RespEncoder, CommandExecutor> executors,
      FirstKeys firstKeys) {
    this.pool = pool;
    this.aside = aside;
    this.executors = executors;
    this.firstKeys = firstKeys;
  }

  /**
   * Runs one request, and meanwhile reads ahead for those behind it, all at a time: a pipeline of
   * misses costs about as long as one. The session belongs to the worker until {@code receiver} is
   * called, which is when all of that is done: whoever is woken for each of them alone sends each
   * reply alone.
   *
   * @param database the number that the requests behind will run in
   */
  void run(Session session, Args args, int database, List<Args> behind, Receiver receiver) {
    List<Args> wanted = behind.stream().filter(firstKeys::hasKey).toList();
    if (wanted.isEmpty()) {
      pool.execute(() -> receiver.receive(run(session, args)));
      return;
    }
    Joint joint = new Joint(1 + wanted.size(), receiver);
    pool.execute(() -> joint.ran(run(session, args)));
    for (Args each : wanted) {
      pool.execute(
          () -> {
            try {
              firstKeys.bring(database, each);
            } finally {
              joint.done();
            }
          });
    }
  }

  /**
   * Runs a request that waits for something else than the disk, or takes long: an administrator's,
   * who is not to wait for a disk that does not come back.
   */
  void runAside(Session session, Args args, Receiver receiver) {
    aside.execute(() -> receiver.receive(run(session, args)));
  }

  /** Hands on the result of a run once what was done beside it is done too. */
  private static final class Joint {
    private final AtomicInteger left;
    private final Receiver receiver;
    private volatile @Nullable Result result;

    Joint(int parts, Receiver receiver) {
      this.left = new AtomicInteger(parts);
      this.receiver = receiver;
    }

    void ran(Result its) {
      result = its;
      done();
    }

    void done() {
      if (left.decrementAndGet() == 0) {
        receiver.receive(Objects.requireNonNull(result));
      }
    }
  }

  /** Runs what takes long to write; the session belongs to the worker meanwhile. */
  void runLong(Session session, Args args, LongRun.Lease lease, Receiver receiver) {
    pool.execute(() -> receiver.receive(runLong(session, args, lease)));
  }

  /** Runs {@code task}, and then {@code then}, whatever came of it. */
  void runBeside(Runnable task, Runnable then) {
    pool.execute(
        () -> {
          try {
            task.run();
          } finally {
            then.run();
          }
        });
  }

  private Result run(Session session, Args args) {
    try {
      CommandExecutor executor = take();
      Outcome outcome;
      try {
        outcome = executor.execute(session, args, true);
      } catch (RuntimeException | StackOverflowError failure) {
        LOG.error("{} failed on a worker", args.text(0), failure);
        executor.reply().clear(0);
        executor.reply().error(INTERNAL_ERROR + failure);
        outcome = Outcome.DONE;
      }
      return give(executor, outcome, null);
    } catch (RuntimeException | StackOverflowError | OutOfMemoryError failure) {
      return failed(session, args, failure);
    }
  }

  private Result runLong(Session session, Args args, LongRun.Lease lease) {
    try {
      CommandExecutor executor = take();
      LongRun.Finished finished = executor.longRuns().run(session, args, lease);
      return give(executor, finished == null ? Outcome.COLD : Outcome.DONE, finished);
    } catch (RuntimeException | StackOverflowError | OutOfMemoryError failure) {
      // Its lease has to come back, or nobody writes any more.
      return failed(session, args, failure);
    }
  }

  /** Whoever waits for the result is answered, whatever has happened; the executor is let go. */
  private static Result failed(Session session, Args args, Throwable failure) {
    if (session.queue().isOpen()) {
      // Of all that is sent in a transaction only EXEC comes here.
      session.endTransaction();
    }
    MasterFeed master = session.master();
    if (master != null) {
      master.notCarriedOut(failure.toString());
    }
    if (failure instanceof OutOfMemoryError) {
      // Where that was says little, and to tell more takes memory.
      LOG.error("a worker has failed: {}", failure.toString());
      return answer(NO_MEMORY);
    }
    LOG.error("{} failed on a worker", args.text(0), failure);
    RespEncoder reply = new RespEncoder();
    reply.error(INTERNAL_ERROR + failure);
    return answer(reply.toByteArray());
  }

  private static Result answer(byte[] reply) {
    return new Result(Outcome.DONE, reply, reply.length, null, null);
  }

  private CommandExecutor take() {
    CommandExecutor executor = idle.poll();
    return executor == null ? executors.apply(new RespEncoder()) : executor;
  }

  private Result give(
      CommandExecutor executor, Outcome outcome, LongRun.@Nullable Finished finished) {
    RespEncoder encoder = executor.reply();
    int replyBytes = encoder.length();
    byte[] reply = replyBytes <= ENCODER_BYTES_KEPT ? encoder.toByteArray() : encoder.detach();
    encoder.clear(ENCODER_BYTES_KEPT);
    StoreView broughtView = executor.takeBroughtView();
    idle.add(executor);
    return new Result(outcome, reply, replyBytes, broughtView, finished);
  }
}
