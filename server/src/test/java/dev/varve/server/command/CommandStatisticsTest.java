package dev.varve.server.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class CommandStatisticsTest {
  /** So many are counted at the least between two resets. */
  private static final int COUNTED_MIN = 1_000;

  private static final int RESETS = 2_000;

  private final CommandStatistics statistics = new CommandStatistics();

  /** Those that have begun to be counted. */
  private final AtomicLong ran = new AtomicLong();

  private final AtomicBoolean isOver = new AtomicBoolean();

  private void run() {
    Command command = Command.named("ping");
    while (!isOver.get()) {
      ran.incrementAndGet();
      statistics.called(command, 0, false);
      statistics.looked(1, 1);
    }
  }

  private void awaitRan(long count) {
    while (ran.get() < count) {
      Thread.onSpinWait();
    }
  }

  @Test
  @Timeout(value = 60, unit = TimeUnit.SECONDS)
  void whatRanBeforeAResetIsNotCountedAlthoughTheLoopGoesOn() throws InterruptedException {
    Thread loop = new Thread(this::run);
    loop.start();
    try {
      for (int i = 0; i < RESETS; i++) {
        awaitRan(ran.get() + COUNTED_MIN);
        long before = ran.get();
        statistics.reset();
        long counted =
            Math.max(statistics.commands(), Math.max(statistics.hits(), statistics.misses()));
        // And the one that was being counted.
        assertTrue(counted <= ran.get() - before + 1, () -> counted + " since reset");
      }
    } finally {
      isOver.set(true);
      loop.join();
    }
    statistics.reset();
    assertEquals(0, statistics.commands() + statistics.hits() + statistics.misses());
  }
}
