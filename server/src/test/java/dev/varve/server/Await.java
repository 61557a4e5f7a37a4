package dev.varve.server;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** Waits for what another process or thread does, as long as that takes and no longer. */
public final class Await {
  private static final long LOOK_NANOS = 2_000_000;

  private Await() {}

  /** Says what is not yet as it will be; nothing once all is. */
  public interface Lack {
    String text() throws IOException;
  }

  /** Returns once nothing is lacking; fails with what still is after so many seconds. */
  public static void untilNone(Lack lack, long secondsMax) throws IOException {
    String[] latest = {""};
    until(
        () -> {
          latest[0] = lack.text();
          return latest[0].isEmpty();
        },
        secondsMax,
        () -> latest[0]);
  }

  /** What may fail is asked again and again. */
  public interface Condition {
    boolean holds() throws IOException;
  }

  /** Returns once it holds; fails when it does not within so many seconds. */
  public static void until(Condition condition, long secondsMax, Supplier<String> otherwise)
      throws IOException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(secondsMax);
    while (!condition.holds()) {
      assertTrue(System.nanoTime() < deadline, otherwise);
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }
}
