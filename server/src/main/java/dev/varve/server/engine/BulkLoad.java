package dev.varve.server.engine;

import dev.varve.codec.Databases;
import dev.varve.codec.PackedLimits;
import dev.varve.codec.Transaction;
import dev.varve.codec.store.StoreView;
import dev.varve.lsm.entry.ColdBlockSignal;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Fills an engine that no server uses: one thread writes, as fast as the disk takes it, and what
 * goes on beside the writes has threads of its own.
 *
 * <p>All methods are called by the one thread that writes, which may block.
 */
public final class BulkLoad implements Closeable {
  /** What is handed to the log in one piece. */
  private static final long COMMIT_BYTES = 256 << 10;

  private static final long LOOK_MILLIS = 5;
  private static final long IDLE_NANOS = 100_000_000;

  private final Engine engine;
  private final PackedLimits packedLimits;
  private final long nowMillis;
  private final Databases databases;
  private final SplittableRandom random = new SplittableRandom();
  private final List<Thread> threads = new ArrayList<>();
  private long writtenBytes;
  private volatile boolean isOver;

  /** Why work beside the writes has ended. */
  private volatile @Nullable IOException failure;

  /**
   * @param engine is closed by this
   * @param databaseCount how many database numbers there are
   * @param nowMillis what the time is for all of it, in ms since 1970: what expires while it is
   *     written is written all the same
   */
  public BulkLoad(Engine engine, PackedLimits packedLimits, int databaseCount, long nowMillis) {
    this.engine = engine;
    this.packedLimits = packedLimits;
    this.nowMillis = nowMillis;
    try (StoreView view = engine.blockingView()) {
      this.databases = Databases.load(view, databaseCount);
    }
    for (BackgroundWork work : engine.backgroundWork()) {
      threads.add(new Thread(() -> goOn(work), "varve-" + work.name()));
    }
    engine.onBackgroundWork(work -> threads.forEach(LockSupport::unpark));
    threads.forEach(Thread::start);
  }

  private void goOn(BackgroundWork work) {
    try {
      while (!isOver) {
        if (!work.runOnce()) {
          LockSupport.parkNanos(IDLE_NANOS);
        }
      }
    } catch (IOException problem) {
      failure = problem;
    } catch (RuntimeException | OutOfMemoryError problem) {
      failure = new IOException(work.name() + " failed: " + problem, problem);
    }
  }

  /** Runs a change, which sees those before it; a second time if it met what is not in memory. */
  public void write(Consumer<Transaction> change) throws IOException {
    try (StoreView view = engine.store().writerView()) {
      apply(view, change);
    } catch (ColdBlockSignal cold) {
      commit();
      try (StoreView view = engine.blockingView()) {
        apply(view, change);
      }
      commit();
    }
    if (writtenBytes >= COMMIT_BYTES) {
      commit();
      waitForRoom();
    }
  }

  private void apply(StoreView view, Consumer<Transaction> change) {
    Transaction transaction =
        new Transaction(engine.store(), view, databases, packedLimits, nowMillis, random, false);
    change.accept(transaction);
    if (!transaction.batch().isEmpty()) {
      writtenBytes += transaction.batch().bytesMax();
      engine.store().write(transaction.batch());
    }
  }

  private void commit() throws IOException {
    engine.publish(engine.commit(true));
    engine.upkeep();
    writtenBytes = 0;
  }

  private void waitForRoom() throws IOException {
    int delay = engine.writeDelayMillis();
    while (delay == Engine.WRITES_STOPPED) {
      pause(LOOK_MILLIS);
      delay = engine.writeDelayMillis();
    }
    if (delay > 0) {
      pause(delay);
    }
    requireWork();
  }

  private void requireWork() throws IOException {
    IOException ended = failure;
    if (ended != null) {
      throw ended;
    }
  }

  private void pause(long millis) throws IOException {
    requireWork();
    engine.upkeep();
    try {
      Thread.sleep(millis);
    } catch (InterruptedException interrupt) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while loading", interrupt);
    }
  }

  /** Puts all of it into tables, durably. */
  public void finish() throws IOException {
    commit();
    IOException[] problem = new IOException[1];
    Thread flush =
        new Thread(
            () -> {
              try {
                engine.flush();
              } catch (IOException refused) {
                problem[0] = refused;
              }
            },
            "varve-last-flush");
    flush.start();
    while (flush.isAlive()) {
      pause(LOOK_MILLIS);
    }
    if (problem[0] != null) {
      throw problem[0];
    }
  }

  @Override
  public void close() throws IOException {
    isOver = true;
    engine.endBackgroundWork();
    for (Thread thread : threads) {
      LockSupport.unpark(thread);
      join(thread);
    }
    engine.close();
  }

  private static void join(Thread thread) throws IOException {
    try {
      thread.join();
    } catch (InterruptedException interrupt) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while it ended", interrupt);
    }
  }
}
