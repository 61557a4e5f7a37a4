package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.command.CommandTester;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The sweeper with every thread of it on the test's, and the clock that it lets go back. */
class ExpirySweeperTest {
  private static final long HOUR_MILLIS = 3_600_000;

  private final CommandTester tester = new CommandTester();
  private final HeldClock clock = new HeldClock(() -> tester.nowMillis);
  private Runnable nextLook = () -> {};
  private final ExpirySweeper sweeper =
      new ExpirySweeper(
          tester.keyspace,
          Runnable::run,
          Runnable::run,
          (delayMillis, task) -> nextLook = task,
          clock);

  @BeforeEach
  void publishAtOnce() {
    tester.keyspace.onWrite(
        () -> {
          try {
            tester.keyspace.publish(tester.keyspace.commit(), true);
          } catch (IOException failure) {
            throw new UncheckedIOException(failure);
          }
        });
  }

  /**
   * After one look that deletes there is one behind what it deleted, then one that finds nothing.
   */
  private void look() {
    for (int i = 0; i < 3; i++) {
      nextLook.run();
    }
  }

  @Test
  void keyIsDeletedAtTheNextLook() {
    sweeper.start();
    tester.run("SET", "key", "value", "PX", "100");
    tester.nowMillis += 99;
    look();
    assertEquals(":1\r\n", tester.run("DBSIZE"));
    tester.nowMillis += 1;
    look();
    assertEquals(":0\r\n", tester.run("DBSIZE"));
  }

  @Test
  void betweenTwoBatchesTheLoopHasNothingToDoButItsSockets() {
    Deque<Runnable> onLoop = new ArrayDeque<>();
    Deque<Runnable> onWorker = new ArrayDeque<>();
    ExpirySweeper queued =
        new ExpirySweeper(
            tester.keyspace, onLoop::add, onWorker::add, (delayMillis, task) -> {}, clock);
    for (int i = 0; i < 1_000; i++) {
      tester.run("SET", "key" + i, "value", "PX", "100");
    }
    tester.nowMillis += 100;
    queued.start();
    int batches = 0;
    while (!onWorker.isEmpty()) {
      onWorker.remove().run();
      if (!onLoop.isEmpty()) {
        onLoop.remove().run();
        assertTrue(onLoop.isEmpty(), "another task is in the queue already");
        batches++;
      }
    }
    assertTrue(batches >= 4, batches + " batches");
    assertEquals(":0\r\n", tester.run("DBSIZE"));
  }

  @Test
  void keyThatWasWrittenLongAfterItsMomentIsDeletedWithinAMinute() {
    sweeper.start();
    look();
    tester.run("SET", "key", "value", "PXAT", "1");
    tester.nowMillis += 60_000;
    look();
    assertEquals(":0\r\n", tester.run("DBSIZE"));
  }

  @Test
  void clockGoesBackOnlyOnceWhatHasExpiredIsDeleted() {
    sweeper.start();
    tester.run("SET", "key", "value", "PX", "100");
    tester.nowMillis += 200;
    long latest = clock.getAsLong();
    tester.nowMillis -= HOUR_MILLIS;
    assertEquals(latest, clock.getAsLong());
    look();
    assertEquals(latest - HOUR_MILLIS, clock.getAsLong());
    assertEquals(":0\r\n", tester.run("DBSIZE"));
    tester.run("SET", "key", "value", "PX", "100");
    tester.nowMillis += 100;
    look();
    assertEquals(":0\r\n", tester.run("DBSIZE"), "what is written after that expires as told");
  }

  @Test
  void clockThatStandsStillGoesOnWithTheSystems() {
    long latest = clock.getAsLong();
    tester.nowMillis -= 50;
    assertEquals(latest, clock.getAsLong());
    tester.nowMillis += 51;
    assertEquals(latest + 1, clock.getAsLong());
    clock.swept(latest);
    assertEquals(latest + 1, clock.getAsLong());
  }
}
