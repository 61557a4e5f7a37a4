package dev.varve.server.command.run;

import dev.varve.codec.DataException;
import dev.varve.codec.Databases;
import dev.varve.codec.Transaction;
import dev.varve.codec.WantedEvents;
import dev.varve.codec.store.Store;
import dev.varve.codec.store.StoreBatch;
import dev.varve.server.command.Command;
import dev.varve.server.command.QueuedCommands;
import dev.varve.server.command.Session;
import dev.varve.server.command.listen.LaterMessages;
import dev.varve.server.command.listen.TransactionReads;
import dev.varve.server.resp.Args;
import dev.varve.server.script.FunctionLibraries;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The script or other command that takes long to write, if there is one: it runs on a worker with a
 * lease on the right to write, so that the keyspace loop can serve everybody who reads, and tell
 * everybody else that a script runs.
 *
 * <p>Keyspace loop, except where a method says any thread.
 */
public final class LongRun {
  /*
   * A script or another command that has held the keyspace loop for long-write-threshold is unwound
   * as if a block were cold (all that it wrote is in its transaction), and begins again on a worker.
   * As nobody writes until it ends, it finds what it found, and what it wrote is applied in one
   * piece. Meanwhile whoever would write waits; from busy-reply-threshold on of a script everybody is
   * told BUSY, as in Redis. Who takes t on the loop so ends after 2 t at most; who names so much that
   * it is plain beforehand goes to a worker at once.
   */
  private static final long SCRIPT_MILLIS_MAX = 100;

  /** A command of so many words takes some milliseconds. */
  private static final int WORDS_LONG = 16 << 10;

  /** And so does an EXEC of so many commands. */
  private static final int COMMANDS_LONG = 8 << 10;

  /** So many writes take some milliseconds to apply. */
  private static final int WRITES_BESIDE = 1 << 14;

  /** Nobody is ever told that it runs. */
  public static final long NEVER_BUSY = -1;

  public static final DataException BUSY_SCRIPT =
      new DataException(
          "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN"
              + " NOSAVE.");
  public static final DataException BUSY_FUNCTION =
      new DataException(
          "BUSY Redis is busy running a script. You can only call FUNCTION KILL or SHUTDOWN"
              + " NOSAVE.");

  private enum State {
    NONE,
    /** Whoever would write waits. */
    RUNS,
    /** Whoever wants anything is told so. */
    BUSY
  }

  /**
   * What a worker needs to run it as the keyspace loop would.
   *
   * @param store reads, and gives the sequence numbers that its batch will have
   * @param scripts the interpreters of the keyspace loop, which does not use them meanwhile; null
   *     where no script runs
   * @param wantedEvents what those want to know who are told what it does
   * @param busy what others are told when that has gone on for long; null: nothing, ever
   */
  public record Lease(
      Store store,
      Databases databases,
      @Nullable ScriptRunner scripts,
      WantedEvents wantedEvents,
      @Nullable DataException busy) {}

  /**
   * What came of it.
   *
   * @param transaction to be applied; null if it failed so that nothing of it counts
   * @param libraries those that there are then; null if that is as before
   * @param reads what it read for a client that caches
   * @param messages what it sends
   * @param afterwards to be run once that is applied
   */
  public record Finished(
      Command command,
      @Nullable Transaction transaction,
      @Nullable FunctionLibraries libraries,
      TransactionReads reads,
      LaterMessages messages,
      List<Runnable> afterwards) {}

  private final Queue<Runnable> waiting = new ArrayDeque<>();
  private @Nullable Lease lease;
  private @Nullable Session session;
  private Executor loop = Runnable::run;
  private volatile State state = State.NONE;
  private volatile @Nullable DataException busy;
  private volatile long scriptNanosMax = Long.MAX_VALUE;
  private volatile long trialNanosMax = Long.MAX_VALUE;
  private volatile long writeNanosMax = Long.MAX_VALUE;
  private volatile int writesBeside = WRITES_BESIDE;
  private volatile long busyMillis;
  private final AtomicLong writes = new AtomicLong();

  /**
   * From now on scripts, and other commands that write, leave the keyspace loop when they take
   * long; before, they never do. Any thread.
   *
   * @param itsBusyMillis after how long of a script clients are told of it; 0: never
   * @param writeMillis how long one may hold the loop; 0: as long as it likes, scripts {@link
   *     #SCRIPT_MILLIS_MAX}
   */
  public void thresholds(long itsBusyMillis, long writeMillis) {
    busyMillis = itsBusyMillis;
    long trialMillis =
        itsBusyMillis > 0 ? Math.min(SCRIPT_MILLIS_MAX, itsBusyMillis) : SCRIPT_MILLIS_MAX;
    long scriptMillis = writeMillis > 0 ? Math.min(trialMillis, writeMillis) : trialMillis;
    trialNanosMax = TimeUnit.MILLISECONDS.toNanos(trialMillis);
    scriptNanosMax = TimeUnit.MILLISECONDS.toNanos(scriptMillis);
    writeNanosMax = writeMillis > 0 ? TimeUnit.MILLISECONDS.toNanos(writeMillis) : Long.MAX_VALUE;
  }

  /** From now on they leave as soon as it is looked how long they take: for tests. */
  public void writesLeaveAtFirstLook() {
    writeNanosMax = 0;
  }

  /**
   * From now on they leave when they have taken so many steps, and are applied elsewhere: for
   * tests.
   */
  public void writesLeaveAfterSteps(int count) {
    writeNanosMax = RunTime.steps(count);
    writesBeside = 1;
  }

  /** Names who runs tasks on the keyspace loop. Before the first command. */
  public void loop(Executor executor) {
    loop = executor;
  }

  /** Runs a part of it on the keyspace loop; what it throws is thrown here. Its worker. */
  <T extends @Nullable Object> T onKeyspaceLoop(Supplier<T> part) {
    try {
      return CompletableFuture.supplyAsync(part, loop).join();
    } catch (CompletionException failed) {
      throw failed.getCause() instanceof RuntimeException cause ? cause : failed;
    }
  }

  /**
   * How long a script may hold a thread that it does not have for itself, in ns. A worker may wait
   * for a disk, where others had better not wait for that.
   */
  long scriptNanosMax(boolean isOnWorker) {
    return isOnWorker ? trialNanosMax : scriptNanosMax;
  }

  /** The same for a command that writes and is no script, in ns. Any thread. */
  long writeNanosMax() {
    return writeNanosMax;
  }

  /** Whether a write will take long, as is plain before it runs. Any thread. */
  boolean isLong(Args args, QueuedCommands queue) {
    return writeNanosMax != Long.MAX_VALUE
        && (args.count() >= WORDS_LONG || queue.count() >= COMMANDS_LONG);
  }

  /** Whether what it wrote is better applied beside the keyspace loop too. */
  boolean isAppliedBeside(StoreBatch batch) {
    return batch.writeCount() >= writesBeside;
  }

  /** How many of those have left the keyspace loop. Any thread. */
  public long writes() {
    return writes.get();
  }

  /** It has the lease from here on. */
  void begin(Session whose, Lease its) {
    session = whose;
    lease = its;
    busy = its.busy();
    state = State.RUNS;
    if (its.scripts() == null) {
      writes.incrementAndGet();
    }
  }

  /** Whether there is one. Any thread. */
  public boolean isRunning() {
    return state != State.NONE;
  }

  /** Whether there is one, and it is a script. Keyspace loop. */
  boolean isOfScript() {
    Lease its = lease;
    return its != null && its.scripts() != null;
  }

  /** Whether there is one, and this client has asked for it. */
  public boolean isOf(Session client) {
    return session == client;
  }

  /** The lease that is out, or null. */
  public @Nullable Lease lease() {
    return lease;
  }

  /** What is left until clients are to be told, or {@link #NEVER_BUSY}. */
  public long millisUntilBusy() {
    long heldMillis = TimeUnit.NANOSECONDS.toMillis(scriptNanosMax);
    return busyMillis == 0 || busy == null ? NEVER_BUSY : Math.max(0, busyMillis - heldMillis);
  }

  /** Clients are told from now on, if it is still this one that runs. */
  public void becomeBusy(Lease its) {
    if (lease == its) {
      state = State.BUSY;
      release();
    }
  }

  /** What clients are told, or null while they are not. Any thread. */
  public @Nullable DataException busy() {
    return state == State.BUSY ? busy : null;
  }

  /** Runs {@code task} when it is over, or when clients are told that it is not. */
  public void await(Runnable task) {
    waiting.add(task);
  }

  /**
   * Whether there is one: then {@code task} is given to {@code executor} as soon as that may have
   * changed.
   */
  public boolean defers(Executor executor, Runnable task) {
    if (!isRunning()) {
      return false;
    }
    await(() -> executor.execute(task));
    return true;
  }

  /** The lease is given back. */
  void end() {
    lease = null;
    session = null;
    state = State.NONE;
    release();
  }

  private void release() {
    Runnable task = waiting.poll();
    while (task != null) {
      task.run();
      task = waiting.poll();
    }
  }
}
