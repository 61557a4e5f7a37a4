package dev.varve.server.net.follow;

import dev.varve.codec.Keys;
import dev.varve.codec.MasterPosition;
import dev.varve.codec.Transaction;
import dev.varve.codec.dump.RdbImport;
import dev.varve.codec.store.StoreView;
import dev.varve.lsm.entry.ColdBlockSignal;
import dev.varve.server.command.run.Keyspace;
import dev.varve.server.engine.Engine;
import dev.varve.server.net.loop.ServerLoop;
import dev.varve.server.script.FunctionLibraries;
import dev.varve.server.script.StoredLibraries;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Puts all data of a master in the place of what is here: a worker reads it, and hands it in groups
 * to the keyspace loop, which writes them between what else it has to do.
 *
 * <p>Used by that worker, but for what says otherwise.
 */
final class FullLoad implements RdbImport.Target {
  /** What one group has. While the loop writes it, the next is read. */
  private static final int GROUP_CHANGES_MAX = 256;

  private static final long GROUP_BYTES_MAX = 256 << 10;

  /** How long the loop writes before it sees to its sockets. */
  private static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /** How often it is looked whether writes that are stopped may go on. */
  private static final int STOPPED_MILLIS = 5;

  private MasterPosition position;
  private final Keyspace keyspace;
  private final ServerLoop loop;
  private final Executor published;
  private final BooleanSupplier isAllCommitted;
  private final long nowMillis;
  private List<RdbImport.Change> gathered = new ArrayList<>();
  private long gatheredBytes;

  /** Of the keyspace loop. */
  private boolean isCancelled;

  /** The group that the loop writes, or has written; null before the first. */
  private @Nullable Group written;

  /**
   * @param position where the master is with what is loaded
   * @param loop the keyspace loop
   * @param published runs a task of that loop once readers see all that has been written
   * @param isAllCommitted whether no commit has failed since it began
   * @param clock ms since 1970
   */
  FullLoad(
      MasterPosition position,
      Keyspace keyspace,
      ServerLoop loop,
      Executor published,
      BooleanSupplier isAllCommitted,
      LongSupplier clock) {
    this.position = position;
    this.keyspace = keyspace;
    this.loop = loop;
    this.published = published;
    this.isAllCommitted = isAllCommitted;
    this.nowMillis = clock.getAsLong();
  }

  /**
   * Loads all of {@code dump}. What was here is gone as soon as it is known to be one.
   *
   * @param length how many bytes it has, or {@link RdbImport#TO_ITS_END}
   * @throws IOException where it is none, cannot be read to its end, or not be written: from when
   *     on something was gone, clients are told that data is being loaded
   */
  RdbImport.Summary run(InputStream dump, long length) throws IOException {
    RdbImport reading = new RdbImport(dump, length, keyspace.databaseCount());
    write(makeRoom());
    finish();
    RdbImport.Summary summary = reading.run(this);
    takeLibraries();
    // What the master has written since is asked for from here on, by a later process too.
    write(
        new Step(
            0,
            transaction -> position.store(transaction.batch(), keyspace.engine().store()),
            this::allIsHere));
    finish();
    return summary;
  }

  /**
   * All has come and is stored: from right here on it stays, also where a client ends the following
   * before the worker has said so. What is deleted then is a part. Keyspace loop.
   */
  private void allIsHere() {
    if (isAllCommitted.getAsBoolean()) {
      keyspace.following().loading(false);
    }
  }

  /** A change of the server's own, before, among or behind those of the dump. */
  private record Step(long bytes, Consumer<Transaction> work, Runnable then)
      implements RdbImport.Change {

    @Override
    public void run(Transaction transaction) {
      work.accept(transaction);
    }

    @Override
    public void applied() {
      then.run();
    }
  }

  /** From now on it writes nothing more. Keyspace loop. */
  void cancel() {
    isCancelled = true;
  }

  /** Keyspace loop. */
  boolean isCancelled() {
    return isCancelled;
  }

  /** Where the master is with what is loaded. After that. */
  MasterPosition position() {
    return position;
  }

  /** Deletes what there is of a master's data when the rest is not to come. Keyspace loop. */
  static void drop(Keyspace keyspace, long nowMillis) {
    keyspace.run(
        nowMillis,
        transaction -> {
          flush(keyspace, transaction);
          MasterPosition.clear(transaction.batch(), keyspace.engine().store());
        });
    keyspace.libraries(FunctionLibraries.NONE);
    keyspace.following().loading(false);
  }

  /** What was here leaves, and a later process knows that not all that comes is here. */
  private Step makeRoom() {
    return new Step(
        0,
        transaction -> {
          flush(keyspace, transaction);
          MasterPosition.storePart(transaction.batch(), keyspace.engine().store());
        },
        () -> {
          keyspace.libraries(FunctionLibraries.NONE);
          keyspace.following().loading(true);
          // What others follow here is not what was there.
          keyspace.leading().stream().end();
        });
  }

  private static void flush(Keyspace keyspace, Transaction transaction) {
    Keys.flushAll(transaction);
    StoredLibraries.deleteAll(transaction, keyspace.libraries());
  }

  private void onLoop(Runnable task) throws IOException {
    awaited(CompletableFuture.runAsync(task, loop));
  }

  private static <T> T awaited(CompletableFuture<T> future) throws IOException {
    try {
      return future.join();
    } catch (CompletionException failed) {
      throw new IOException(why(failed.getCause()), failed);
    }
  }

  private static @Nullable String why(@Nullable Throwable failure) {
    Throwable its = failure instanceof UncheckedIOException ? failure.getCause() : failure;
    return its instanceof IOException ? its.getMessage() : String.valueOf(its);
  }

  /** Those that the dump had can be called from now on. */
  private void takeLibraries() throws IOException {
    CompletableFuture<Boolean> isPublished = new CompletableFuture<>();
    loop.execute(
        () -> published.execute(() -> isPublished.complete(keyspace.engine().showsUnpublished())));
    if (!awaited(isPublished)) {
      // Else they would be missing until the next start.
      throw new IOException("what it has sent could not be committed");
    }
    FunctionLibraries libraries;
    try (StoreView view = keyspace.engine().blockingView()) {
      libraries = StoredLibraries.load(view);
    }
    onLoop(
        () -> {
          if (!isCancelled) {
            keyspace.libraries(libraries);
          }
        });
  }

  @Override
  public void write(RdbImport.Change change) throws IOException {
    gathered.add(change);
    gatheredBytes += change.bytes();
    if (gathered.size() == GROUP_CHANGES_MAX || gatheredBytes >= GROUP_BYTES_MAX) {
      handOver();
    }
  }

  @Override
  public void streamGoesOnIn(int database) {
    position = new MasterPosition(position.history(), position.offset(), database);
  }

  @Override
  public void library(byte[] code) throws IOException {
    // It can be called when all is there.
    write(new Step(code.length, transaction -> StoredLibraries.put(transaction, code), () -> {}));
  }

  @Override
  public void finish() throws IOException {
    handOver();
    awaitWritten();
  }

  private void handOver() throws IOException {
    awaitWritten();
    written = new Group(gathered);
    written.begin();
    gathered = new ArrayList<>();
    gatheredBytes = 0;
  }

  private void awaitWritten() throws IOException {
    Group its = written;
    while (its != null && !awaited(its.outcome)) {
      bring(its.next());
      its.begin();
    }
  }

  /** Reads what a change reads, so that the loop finds it in memory. */
  private void bring(RdbImport.Change change) {
    try (StoreView view = keyspace.engine().blockingView()) {
      carryOut(change, keyspace.looking(view, keyspace.databases(), nowMillis));
    }
  }

  private static void carryOut(RdbImport.Change change, Transaction transaction) {
    // As in Redis, a master says itself what has expired.
    transaction.expireNothing();
    change.run(transaction);
  }

  /** Changes that are written one after the other. On the keyspace loop. */
  private final class Group implements Runnable {
    private final List<RdbImport.Change> changes;
    private int done;

    /** Whether it has had its delay already. */
    private boolean hasWaited;

    /** Whether all are written; if not, the next one needs what is not in memory. */
    private CompletableFuture<Boolean> outcome = new CompletableFuture<>();

    Group(List<RdbImport.Change> changes) {
      this.changes = changes;
    }

    /** Begins, or goes on. On the worker. */
    void begin() {
      outcome = new CompletableFuture<>();
      loop.execute(this);
    }

    RdbImport.Change next() {
      return changes.get(done);
    }

    @Override
    public void run() {
      try {
        if (!isHeldUp()) {
          hasWaited = false;
          write();
        }
      } catch (ColdBlockSignal cold) {
        outcome.complete(false);
      } catch (IOException | RuntimeException | OutOfMemoryError failure) {
        outcome.completeExceptionally(failure);
      }
    }

    /** Whether it goes on later. */
    private boolean isHeldUp() throws IOException {
      if (isCancelled) {
        throw new IOException("it is not wanted any more");
      }
      String refusal = keyspace.engine().writeRefusal();
      if (refusal != null) {
        throw new IOException(refusal);
      }
      if (keyspace.longRun().defers(loop, this)) {
        return true;
      }
      int delayMillis = keyspace.engine().writeDelayMillis();
      boolean isStopped = delayMillis == Engine.WRITES_STOPPED;
      if (!isStopped && (delayMillis == 0 || hasWaited)) {
        return false;
      }
      hasWaited = true;
      loop.executeWithin(
          this, TimeUnit.MILLISECONDS.toNanos(isStopped ? STOPPED_MILLIS : delayMillis));
      return true;
    }

    private void write() {
      long beganNanos = System.nanoTime();
      while (done < changes.size()) {
        RdbImport.Change change = changes.get(done);
        keyspace.run(nowMillis, transaction -> carryOut(change, transaction));
        change.applied();
        done++;
        if (System.nanoTime() - beganNanos > SLICE_NANOS && done < changes.size()) {
          loop.executeAfterSockets(this);
          return;
        }
      }
      outcome.complete(true);
    }
  }
}
