package dev.varve.server.net.loop;

import dev.varve.wal.ProcessorWait;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.uring.IoUringIoHandle;
import io.vertx.core.internal.ContextInternal;
import org.jspecify.annotations.Nullable;

/**
 * An event loop that says when its tasks begin and end, so that {@link LoopWatch} sees which of
 * them take too long, and whether that was the loop's own doing.
 *
 * <p>Used on that loop, except where it says otherwise.
 */
final class WatchedLoop {

  /** What it has waited is noted so often in the time of the limit: so exact is what is told. */
  private static final int NOTES_IN_LIMIT = 5;

  private final ContextInternal context;
  private final long limitNanos;
  private volatile @Nullable ProcessorWait wait;

  /** When the task began that was seen to take too long, or 0. */
  private volatile long sightedBegan;

  private volatile long blockedItself;

  /** Of no thread. */
  static final long NO_THREAD = 0;

  private volatile long threadId = NO_THREAD;

  /**
   * @param context of a verticle of its own
   * @param limitNanos what takes longer takes too long
   */
  WatchedLoop(ContextInternal context, long limitNanos) {
    this.context = context;
    this.limitNanos = limitNanos;
  }

  /** Says how long it waits for a processor; null where the system does not tell. */
  void waits(@Nullable ProcessorWait its) {
    wait = its;
  }

  /** Any thread. */
  EventLoop eventLoop() {
    return context.nettyEventLoop();
  }

  /**
   * The {@link Thread#getId} of its thread, or {@link #NO_THREAD} while that begins. Any thread.
   */
  long threadId() {
    return threadId;
  }

  /** Whether it has a ring of the kernel (io_uring) for its sockets. Any thread. */
  boolean hasRing() {
    return eventLoop() instanceof IoEventLoop its && its.isCompatible(IoUringIoHandle.class);
  }

  /** Says that this thread runs it. */
  void begins() {
    threadId = Thread.currentThread().getId();
  }

  /** A task begins. To be given back to {@link #leave}. */
  ContextInternal enter() {
    ContextInternal before = context.beginDispatch();
    ProcessorWait its = wait;
    if (before == null && its != null) {
      its.noteAfter(limitNanos / NOTES_IN_LIMIT);
    }
    return before;
  }

  /** The task is over. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
  void leave(ContextInternal before) {
    context.endDispatch(before);
    if (before == null && sightedBegan != 0) {
      ProcessorWait its = wait;
      if (its == null || its.ownNanosSince(sightedBegan) >= limitNanos) {
        blockedItself++;
      }
      sightedBegan = 0;
    }
  }

  /** The task that began then takes too long. Any thread. */
  void sighted(long beganNanos) {
    sightedBegan = beganNanos;
  }

  /**
   * Tasks that took too long even without what the loop waited for a processor; all that did where
   * the system does not tell. Any thread.
   */
  long blockedItself() {
    return blockedItself;
  }

  /** Notes no more. Any thread. */
  void close() {
    ProcessorWait its = wait;
    if (its != null) {
      its.close();
    }
  }
}
