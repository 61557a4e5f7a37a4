package dev.varve.server.net;

import io.vertx.core.VertxOptions;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.internal.threadchecker.BlockedThreadEvent;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells when an event loop is busy with one task for longer than it should be, with Vert.x's
 * checker of blocked threads, and whether that was its own doing.
 *
 * <p>It sees what runs between {@link ServerLoop#enter} and {@link ServerLoop#leave}. A loop that
 * the machine gives no processor looks like one that waits; where the system tells them apart, so
 * does {@link #blockedItself}. Figures: any thread.
 */
final class LoopWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LoopWatch.class);

  /**
   * What a loop has waited is noted so often in the time of the limit: so exact is what is told.
   */
  private static final int NOTES_IN_LIMIT = 5;

  /** How often it looks while one task goes on: two sightings so close are of the same task. */
  private final long limitNanos;

  private final Map<Thread, Loop> loops = new ConcurrentHashMap<>();
  private final AtomicLong blocked = new AtomicLong();
  private final AtomicLong blockedItself = new AtomicLong();
  private volatile long longestMillis;

  private LoopWatch(long limitMillis) {
    this.limitNanos = TimeUnit.MILLISECONDS.toNanos(limitMillis);
  }

  /** Sets the limit in the options of a Vert.x that is still to be made. */
  static VertxOptions limit(VertxOptions options, long limitMillis) {
    return options
        .setMaxEventLoopExecuteTime(limitMillis)
        .setMaxEventLoopExecuteTimeUnit(TimeUnit.MILLISECONDS)
        .setBlockedThreadCheckInterval(limitMillis)
        .setBlockedThreadCheckIntervalUnit(TimeUnit.MILLISECONDS);
  }

  /** Watches the loops of a Vert.x with such options. */
  static LoopWatch of(VertxInternal vertx, long limitMillis) {
    LoopWatch watch = new LoopWatch(limitMillis);
    vertx.blockedThreadChecker().setThreadBlockedHandler(watch::sighted);
    return watch;
  }

  /** The loop that asks, and says from now on when its tasks begin and end. */
  Loop thisLoop() {
    return thisLoop(ProcessorWait.ofThisThread());
  }

  /**
   * @param wait of this loop, or null where the system does not tell
   */
  Loop thisLoop(@Nullable ProcessorWait wait) {
    Loop loop = new Loop(wait);
    loops.put(Thread.currentThread(), loop);
    return loop;
  }

  private void sighted(BlockedThreadEvent event) {
    long began = System.nanoTime() - event.duration();
    longestMillis = Math.max(longestMillis, TimeUnit.NANOSECONDS.toMillis(event.duration()));
    Loop loop = loops.computeIfAbsent(event.thread(), other -> new Loop(null));
    if (!loop.sighted(began)) {
      return;
    }
    if (LOG.isWarnEnabled()) {
      StringBuilder stack = new StringBuilder();
      for (StackTraceElement frame : event.thread().getStackTrace()) {
        stack.append("\n\tat ").append(frame);
      }
      LOG.warn(
          "{} has been busy with one task for {} ms:{}",
          event.thread().getName(),
          TimeUnit.NANOSECONDS.toMillis(event.duration()),
          stack);
    }
  }

  /** Tasks that took longer than the limit. */
  long blocked() {
    return blocked.get();
  }

  /**
   * Those of them that did so even without what their loop waited for a processor; all of them
   * where the system does not tell.
   */
  long blockedItself() {
    return blockedItself.get();
  }

  /** How long the longest of them was seen to take. */
  long longestMillis() {
    return longestMillis;
  }

  /** Watches no more. */
  @Override
  public void close() {
    loops.values().forEach(Loop::close);
  }

  /** What is known of one loop. */
  final class Loop {
    private final @Nullable ProcessorWait wait;

    /** When the task began that it was last seen too long in. The checker's thread. */
    private long lastBegan;

    /** The same of the task that it is in, or 0. */
    private volatile long sightedBegan;

    private Loop(@Nullable ProcessorWait wait) {
      this.wait = wait;
    }

    /** Counts it, and returns true, if that is another task than at the last sighting. */
    private boolean sighted(long began) {
      long before = lastBegan;
      lastBegan = began;
      if (before != 0 && Math.abs(before - began) < limitNanos) {
        return false;
      }
      blocked.incrementAndGet();
      sightedBegan = began;
      return true;
    }

    /** A task begins, which is no part of another one. Its thread. */
    void began() {
      if (wait != null) {
        wait.noteAfter(limitNanos / NOTES_IN_LIMIT);
      }
    }

    /** A task is over. Its thread. */
    void ended() {
      if (sightedBegan != 0) {
        long began = sightedBegan;
        sightedBegan = 0;
        if (wait == null || wait.ownNanosSince(began) >= limitNanos) {
          blockedItself.incrementAndGet();
        }
      }
    }

    private void close() {
      if (wait != null) {
        wait.close();
      }
    }
  }
}
