package dev.varve.server.command.admin;

import dev.varve.server.engine.Backups;
import dev.varve.server.engine.Engine;
import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
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

  private static final long NONE = -1;

  private final Engine engine;
  private final @Nullable Backups backups;
  private final Executor worker;
  private final LongSupplier clock;
  private final AtomicBoolean running = new AtomicBoolean();
  private volatile boolean isToldOfNoBackup;
  private volatile long lastSaveMillis;
  private volatile boolean lastFailed;

  /** When the save in the background began that is under way, or {@link #NONE}. */
  private volatile long inBackgroundSinceMillis = NONE;

  private volatile long lastInBackgroundSeconds = NONE;
  private final AtomicLong saves = new AtomicLong();

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
    inBackgroundSinceMillis = clock.getAsLong();
    worker.execute(
        () -> {
          try {
            write();
          } catch (IOException | RuntimeException failure) {
            LOG.error("background save failed: {}", failure.toString());
          } finally {
            lastInBackgroundSeconds = inBackgroundSeconds();
            inBackgroundSinceMillis = NONE;
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
      } else if (!isToldOfNoBackup) {
        isToldOfNoBackup = true;
        LOG.info("SAVE and BGSAVE write tables; no backup is made, as backup-dir is empty");
      }
      lastSaveMillis = clock.getAsLong();
      saves.incrementAndGet();
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

  /** How long the save in the background has been under way, in seconds; -1 if none is. */
  long inBackgroundSeconds() {
    long since = inBackgroundSinceMillis;
    return since == NONE ? NONE : Math.max(0, clock.getAsLong() - since) / 1000;
  }

  /** How long the last save in the background took, in seconds; -1 if there was none. */
  long lastInBackgroundSeconds() {
    return lastInBackgroundSeconds;
  }

  /** How many saves have been done since the start. */
  long saves() {
    return saves.get();
  }

  /** When the last save ended, in ms since 1970; at first, when the server started. */
  long lastSaveMillis() {
    return lastSaveMillis;
  }
}
