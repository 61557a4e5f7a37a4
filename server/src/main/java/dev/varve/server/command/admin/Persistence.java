package dev.varve.server.command.admin;

import dev.varve.server.engine.Backups;
import dev.varve.server.engine.Engine;
import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * SAVE and BGSAVE: everything into tables, and synced; then a backup, where those are wanted.
 *
 * <p>Any thread.
 */
public final class Persistence {
  private static final Logger LOG = LoggerFactory.getLogger(Persistence.class);

  private final Engine engine;
  private final @Nullable Backups backups;
  private final Executor worker;
  private final LongSupplier clock;
  private final AtomicBoolean running = new AtomicBoolean();
  private volatile long lastSaveMillis;
  private volatile boolean lastFailed;

  /**
   * @param backups makes them, or null if none are wanted
   * @param worker runs a background save
   * @param clock ms since 1970
   */
  public Persistence(
      Engine engine, @Nullable Backups backups, Executor worker, LongSupplier clock) {
    this.engine = engine;
    this.backups = backups;
    this.worker = worker;
    this.clock = clock;
    this.lastSaveMillis = clock.getAsLong();
  }

  /** Begins a save on a worker; false if one is under way. */
  boolean startInBackground() {
    if (!running.compareAndSet(false, true)) {
      return false;
    }
    worker.execute(
        () -> {
          try {
            write();
          } catch (IOException | RuntimeException failure) {
            LOG.error("background save failed: {}", failure.toString());
          } finally {
            running.set(false);
          }
        });
    return true;
  }

  /** Saves; false if a save is under way. Worker. */
  boolean save() throws IOException {
    if (!running.compareAndSet(false, true)) {
      return false;
    }
    try {
      write();
    } finally {
      running.set(false);
    }
    return true;
  }

  private void write() throws IOException {
    boolean isDone = false;
    try {
      flush();
      if (backups != null) {
        backups.make();
      }
      lastSaveMillis = clock.getAsLong();
      isDone = true;
    } finally {
      lastFailed = !isDone;
    }
  }

  /**
   * A backup can do without: then more of it is log. A full disk must not keep anybody from one.
   */
  private void flush() throws IOException {
    try {
      engine.flush();
    } catch (IOException failure) {
      if (backups == null) {
        throw failure;
      }
      LOG.warn("the backup begins without a flush: {}", failure.getMessage());
    }
  }

  boolean isRunning() {
    return running.get();
  }

  /** Whether the last save that has ended failed. */
  boolean hasLastFailed() {
    return lastFailed;
  }

  /** When the last save ended, in ms since 1970; at first, when the server started. */
  long lastSaveMillis() {
    return lastSaveMillis;
  }
}
