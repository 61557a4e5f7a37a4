package dev.varve.server.net.lead;

import dev.varve.server.command.lead.Leading;
import dev.varve.server.command.observe.Pause;
import dev.varve.server.command.run.Keyspace;
import dev.varve.server.config.ReplicationParameters;
import dev.varve.server.config.Settings;
import dev.varve.server.net.loop.Timers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds what clients write, and waits until those who follow have all that was written, so that
 * they go on where they are with the next process, or one of them takes over; not longer than
 * {@code shutdown-timeout}.
 *
 * <p>Keyspace loop, but for what says any thread.
 */
final class FinalSync implements Leading.Ending {
  private static final Logger LOG = LoggerFactory.getLogger(FinalSync.class);

  private static final long LOOK_MILLIS = 5;
  private static final long NONE = 0;

  private final Settings settings;
  private final Leading leading;
  private final Pause pause;
  private final LongPredicate isFollowed;
  private final Executor loop;
  private final Timers timers;
  private final LongSupplier clock;

  /** Who wait for its end. */
  private final List<Waiting> waiting = new ArrayList<>();

  private record Waiting(Runnable then, Runnable aborted) {}

  private boolean isSkipped;

  /** Whether the process ends, which nobody can keep it from. */
  private boolean isForGood;

  private long endOffset;

  /** Until when, in ms since 1970; {@link #NONE} if this server does not end. */
  private volatile long deadlineMillis = NONE;

  /**
   * @param isFollowed whether all who say how far they are have all up to an offset
   * @param loop runs a task on the keyspace loop
   * @param clock ms since 1970
   */
  FinalSync(
      Settings settings,
      Keyspace keyspace,
      LongPredicate isFollowed,
      Executor loop,
      Timers timers,
      LongSupplier clock) {
    this.settings = settings;
    this.leading = keyspace.leading();
    this.pause = keyspace.activity().pause();
    this.isFollowed = isFollowed;
    this.loop = loop;
    this.timers = timers;
    this.clock = clock;
  }

  /** Whether this server is about to end. */
  boolean isOn() {
    return deadlineMillis != NONE;
  }

  @Override
  public void skip() {
    isSkipped = true;
  }

  @Override
  public void begin(Runnable then, Runnable aborted) {
    if (isSkipped || leading.replicas().isEmpty()) {
      then.run();
      return;
    }
    waiting.add(new Waiting(then, aborted));
    if (waiting.size() > 1) {
      return;
    }
    long nowMillis = clock.getAsLong();
    if (!isOn()) {
      long seconds = settings.number(ReplicationParameters.SHUTDOWN_TIMEOUT);
      deadlineMillis = nowMillis + TimeUnit.SECONDS.toMillis(seconds);
      long endMillis = nowMillis + Pause.FOREVER_MILLIS;
      pause.begin(Pause.Cause.SHUTDOWN, Pause.Kind.WRITES, endMillis, nowMillis);
      leading.failover().abort("the server stops");
    }
    endOffset = leading.stream().written();
    leading.askHowFar();
    watch();
  }

  /**
   * The process is ending, by a signal for example: it does so once they have all, or have taken
   * too long, and no client ends that. A JVM that has begun to shut down cannot go on serving, so
   * that an {@link #abort} would cut short what those who follow still get.
   */
  void beginForGood(Runnable then) {
    isForGood = true;
    begin(then, () -> {});
  }

  private void watch() {
    look();
    if (!waiting.isEmpty()) {
      timers.after(LOOK_MILLIS, () -> loop.execute(this::watch));
    }
  }

  private void look() {
    if (waiting.isEmpty()) {
      return;
    }
    boolean isAllThere = isFollowed.test(endOffset);
    if (isAllThere || clock.getAsLong() >= deadlineMillis) {
      if (!isAllThere) {
        LOG.warn("not all replicas have what was written last");
      }
      take().forEach(its -> its.then.run());
    }
  }

  private List<Waiting> take() {
    List<Waiting> its = List.copyOf(waiting);
    waiting.clear();
    return its;
  }

  @Override
  public boolean abort() {
    if (waiting.isEmpty() || isForGood) {
      return false;
    }
    LOG.warn("the server does not stop: a client has ended that");
    deadlineMillis = NONE;
    pause.end(Pause.Cause.SHUTDOWN);
    take().forEach(its -> its.aborted.run());
    return true;
  }

  @Override
  public long millisLeft() {
    long deadline = deadlineMillis;
    return deadline == NONE ? 0 : Math.max(0, deadline - clock.getAsLong());
  }
}
