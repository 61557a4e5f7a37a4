package dev.varve.server.net.lead;

import dev.varve.server.command.lead.Failover;
import dev.varve.server.command.lead.Leading;
import dev.varve.server.command.lead.ReplicationStream;
import dev.varve.server.command.observe.Pause;
import dev.varve.server.command.run.Following;
import dev.varve.server.command.run.Keyspace;
import dev.varve.server.net.loop.Timers;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Carries out that a replica takes over: holds what clients write, asks replicas how far they are,
 * and follows the one that has all.
 *
 * <p>Keyspace loop.
 */
final class Handover implements Failover.Carrier {
  private static final long LOOK_MILLIS = 100;

  private final Keyspace keyspace;
  private final Leading leading;
  private final Failover failover;
  private final Pause pause;
  private final Executor loop;
  private final Timers timers;
  private final LongSupplier clock;

  /**
   * @param loop runs a task on the keyspace loop
   * @param clock ms since 1970
   */
  Handover(Keyspace keyspace, Executor loop, Timers timers, LongSupplier clock) {
    this.keyspace = keyspace;
    this.leading = keyspace.leading();
    this.failover = leading.failover();
    this.pause = keyspace.activity().pause();
    this.loop = loop;
    this.timers = timers;
    this.clock = clock;
    failover.carrier(this);
  }

  @Override
  public void begins() {
    long nowMillis = clock.getAsLong();
    long endMillis = nowMillis + Pause.FOREVER_MILLIS;
    pause.begin(Pause.Cause.FAILOVER, Pause.Kind.WRITES, endMillis, nowMillis);
    watch();
  }

  @Override
  public void ends(boolean isInVain) {
    if (isInVain && keyspace.longRun().defers(loop, () -> ends(true))) {
      // Clients that may write wait until then; that nobody is followed has to be written.
      return;
    }
    if (isInVain) {
      keyspace.following().follow(null, null, System.nanoTime());
    }
    pause.end(Pause.Cause.FAILOVER);
  }

  /** Looks now, and again and again until there is nothing to wait for. */
  private void watch() {
    look();
    if (failover.state() == Failover.State.WAITING) {
      timers.after(LOOK_MILLIS, () -> loop.execute(this::watch));
    }
  }

  /** A replica has said how far it is. */
  void heard() {
    if (failover.isOn()) {
      // Not in the midst of its request: what comes of it may end its connection.
      loop.execute(this::look);
    }
  }

  private void look() {
    if (keyspace.longRun().isRunning()) {
      // What it has written comes as a whole, and is to be told here.
      return;
    }
    ReplicationStream stream = leading.stream();
    switch (failover.next(leading.statuses(), stream.written(), System.nanoTime())) {
      case ASK -> {
        leading.askHowFar();
        failover.asked(stream.written());
      }
      case HAND_OVER -> follow(failover.target());
      case NOTHING -> {}
    }
  }

  private void follow(Failover.@Nullable Target target) {
    if (target != null) {
      keyspace
          .following()
          .follow(
              new Following.Master(target.host(), (int) target.port()),
              leading.stream().position(),
              System.nanoTime());
    }
  }
}
