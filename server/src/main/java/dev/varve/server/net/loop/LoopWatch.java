package dev.varve.server.net.loop;

import dev.varve.wal.ProcessorWait;
import io.vertx.core.VertxOptions;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.internal.threadchecker.BlockedThreadEvent;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells when an event loop is busy with one task for longer than it should be, with Vert.x's
 * checker of blocked threads, and whether that was its own doing.
 *
 * <p>It sees what runs between {@link WatchedLoop#enter} and {@link WatchedLoop#leave}. A loop that
 * the machine gives no processor looks like one that waits; where the system tells them apart, so
 * does {@link #blockedItself}. Figures: any thread.
 */
public final class LoopWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LoopWatch.class);

  /** How often it looks while one task goes on: two sightings so close are of the same task. */
  private final long limitNanos;

  /** When the task began that a thread was last seen in too long. The checker's thread. */
  private final Map<Thread, Long> seen = new HashMap<>();

  private final Map<Thread, WatchedLoop> loops = new ConcurrentHashMap<>();
  private volatile long blocked;
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

  /** The event loop of a verticle. Any thread. */
  WatchedLoop watch(ContextInternal context) {
    return watch(context, ProcessorWait::ofThisThread);
  }

  /**
   * The event loop of a verticle. Any thread.
   *
   * @param wait is asked on the loop
   */
  WatchedLoop watch(ContextInternal context, Supplier<@Nullable ProcessorWait> wait) {
    WatchedLoop loop = new WatchedLoop(context, limitNanos);
    loop.eventLoop()
        .execute(
            () -> {
              loop.begins();
              loop.waits(wait.get());
              loops.put(Thread.currentThread(), loop);
            });
    return loop;
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
  private void sighted(BlockedThreadEvent event) {
    long began = System.nanoTime() - event.duration();
    longestMillis = Math.max(longestMillis, TimeUnit.NANOSECONDS.toMillis(event.duration()));
    Long before = seen.put(event.thread(), began);
    if (before != null && Math.abs(before - began) < limitNanos) {
      return;
    }
    WatchedLoop loop = loops.get(event.thread());
    if (loop != null) {
      loop.sighted(began);
    }
    blocked++;
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
  public long blocked() {
    return blocked;
  }

  /** Those of event loops that did so as {@link WatchedLoop#blockedItself} says. */
  public long blockedItself() {
    return loops.values().stream().mapToLong(WatchedLoop::blockedItself).sum();
  }

  /** How long the longest of them was seen to take. */
  public long longestMillis() {
    return longestMillis;
  }

  /** Watches no more. */
  @Override
  public void close() {
    loops.values().forEach(WatchedLoop::close);
  }
}
