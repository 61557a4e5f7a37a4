package dev.varve.server.engine;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The share of the machine's processors that is in use, by whomever: 0 to 1, from a fraction of a
 * second ago. 0 where the system does not tell. Any thread.
 */
final class ProcessorLoad implements DoubleSupplier {
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private final LongSupplier nanoClock;
  private @Nullable OperatingSystemMXBean system;
  private long nextNanos;
  private double load;

  ProcessorLoad(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
    this.nextNanos = nanoClock.getAsLong();
  }

  @Override
  public synchronized double getAsDouble() {
    long now = nanoClock.getAsLong();
    if (now - nextNanos >= 0) {
      nextNanos = now + LOOK_NANOS;
      look();
    }
    return load;
  }

  /** The load is that since the last look, of which the first has none. */
  private void look() {
    OperatingSystemMXBean its = system;
    // Not at the start: most of a second of a server's start is loading classes.
    if (its == null
        && ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean bean) {
      its = bean;
      system = bean;
    }
    double share = its == null ? 0 : its.getCpuLoad();
    load = share >= 0 ? share : 0;
  }
}
