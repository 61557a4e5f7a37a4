package dev.varve.server.net.loop;

import dev.varve.lsm.entry.ColdBlock;
import dev.varve.server.command.run.CommandExecutor;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import io.netty.channel.EventLoop;
import io.vertx.core.internal.ContextInternal;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One event loop with what running commands on it needs; all connections that it runs share it.
 *
 * <p>Used on that event loop, except what runs tasks.
 */
public final class ServerLoop implements Executor {

  /** Room to look at bytes from sockets. */
  private static final int SCRATCH_BYTES = 64 * 1024;

  private static final long SELECTOR_STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final WatchedLoop loop;
  private final CommandExecutor executor;
  private final @Nullable ColdLoads loads;
  private final byte[] scratch = new byte[SCRATCH_BYTES];
  private final Arrivals arrivals;

  /**
   * @param loads brings what is not in memory, if the loop can do that
   */
  ServerLoop(WatchedLoop loop, CommandExecutor executor, @Nullable ColdLoads loads) {
    this.loop = loop;
    this.executor = executor;
    this.loads = loads;
    this.arrivals = new Arrivals(eventLoop(), this::watch, executor::lookAhead);
  }

  public CommandExecutor executor() {
    return executor;
  }

  /**
   * Brings into memory what the request lacks that has just ended by COLD.
   *
   * @param behind requests to bring for too, which will run in {@code database}
   * @param then is told whether it is there; where not, a worker has to run the request
   */
  public void bring(int database, List<Args> behind, BlockReceiver then) {
    ColdBlock missing = executor.takeColdBlock();
    if (missing == null || loads == null) {
      then.receive(false);
    } else {
      loads.load(missing, database, behind, then);
    }
  }

  /** Where connections wait for the end of the look at the sockets. */
  public Arrivals arrivals() {
    return arrivals;
  }

  public RespEncoder reply() {
    return executor.reply();
  }

  public byte[] scratch() {
    return scratch;
  }

  public EventLoop eventLoop() {
    return loop.eventLoop();
  }

  /** The {@link Thread#getId} of the loop. Any thread. */
  public long threadId() {
    return loop.threadId();
  }

  /** Runs {@code task} on this loop, after what it has to do now. Any thread. */
  @Override
  public void execute(Runnable task) {
    eventLoop().execute(watched(task));
  }

  /**
   * Runs {@code task} on this loop after its next look at its sockets. Any thread.
   *
   * <p>What is executed joins a queue that the loop empties for up to a second before it looks at
   * its sockets; what is scheduled joins it only after that look.
   */
  public void executeAfterSockets(Runnable task) {
    schedule(task, 0);
  }

  /**
   * Runs {@code task} on this loop after at most that long. Any thread.
   *
   * <p>The JDK's selector waits for whole milliseconds: where that is too long, the task runs after
   * the next look at the sockets.
   */
  public void executeWithin(Runnable task, long nanos) {
    schedule(task, loop.hasRing() || nanos >= SELECTOR_STEP_NANOS ? nanos : 0);
  }

  private void schedule(Runnable task, long nanos) {
    eventLoop().schedule(watched(task), nanos, TimeUnit.NANOSECONDS);
  }

  private Runnable watched(Runnable task) {
    return () -> watch(task);
  }

  private void watch(Runnable task) {
    ContextInternal before = enter();
    try {
      // Here, and not there: what runs most is inlined.
      task.run();
    } catch (OutOfMemoryError noMemory) {
      throw LostTask.endedBy(noMemory);
    } finally {
      leave(before);
    }
  }

  /** From here on {@link LoopWatch} counts the time. To be given back to {@link #leave}. */
  public ContextInternal enter() {
    return loop.enter();
  }

  /** The task is over. */
  public void leave(ContextInternal before) {
    loop.leave(before);
  }
}
