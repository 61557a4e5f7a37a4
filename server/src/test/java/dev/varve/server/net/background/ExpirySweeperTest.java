package dev.varve.server.net.background;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.CounterIds;
import dev.varve.codec.store.InMemoryStore;
import dev.varve.codec.store.StoreBatch;
import dev.varve.codec.store.StoreCursor;
import dev.varve.codec.store.StoreView;
import dev.varve.server.command.CommandTester;
import dev.varve.server.command.Message;
import dev.varve.server.command.NoConnection;
import dev.varve.server.command.Session;
import dev.varve.server.command.run.Following;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The sweeper with every thread of it on the test's, and the clock that it lets go back. */
class ExpirySweeperTest {
  private static final long HOUR_MILLIS = 3_600_000;
  private static final long TEN_YEARS_MILLIS = 10L * 365 * 24 * HOUR_MILLIS;

  private final CommandTester tester = new CommandTester();
  private final HeldClock clock = new HeldClock(() -> tester.nowMillis, 0);
  private Runnable nextPass = () -> {};
  private final ExpirySweeper sweeper = sweeper(clock);

  private ExpirySweeper sweeper(HeldClock itsClock) {
    return new ExpirySweeper(
        tester.keyspace,
        Runnable::run,
        Runnable::run,
        Runnable::run,
        (delayMillis, task) -> nextPass = task,
        itsClock,
        () -> 0);
  }

  /** One whose threads take their turns, and whose slices have few keys; it makes one pass. */
  private ExpirySweeper queued(
      Deque<Runnable> onLoop, Deque<Runnable> onWorker, Deque<Runnable> afterSockets) {
    AtomicLong nanos = new AtomicLong();
    return new ExpirySweeper(
        tester.keyspace,
        onLoop::add,
        onWorker::add,
        afterSockets::add,
        (delayMillis, task) -> {},
        clock,
        () -> nanos.getAndAdd(1_000_000));
  }

  /** One whose steps on the loop wait until they are run. */
  private ExpirySweeper queued(Deque<Runnable> onLoop) {
    return new ExpirySweeper(
        tester.keyspace,
        onLoop::add,
        Runnable::run,
        Runnable::run,
        (delayMillis, task) -> nextPass = task,
        clock,
        () -> 0);
  }

  @BeforeEach
  void publishAtOnce() {
    tester.keyspace.onWrite(
        () -> {
          try {
            tester.keyspace.publish(tester.keyspace.commit(true));
          } catch (IOException failure) {
            throw new UncheckedIOException(failure);
          }
        });
  }

  /** The clock may go back at the beginning of the pass after the one that left nothing. */
  private void look() {
    for (int i = 0; i < 3; i++) {
      nextPass.run();
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
    Deque<Runnable> afterSockets = new ArrayDeque<>();
    ExpirySweeper queued = queued(onLoop, onWorker, afterSockets);
    for (int i = 0; i < 1_000; i++) {
      tester.run("SET", "key" + i, "value", "PX", "100");
    }
    tester.nowMillis += 100;
    queued.start();
    int slices = 0;
    while (!onLoop.isEmpty() || !onWorker.isEmpty() || !afterSockets.isEmpty()) {
      while (!onLoop.isEmpty()) {
        onLoop.remove().run();
      }
      if (!afterSockets.isEmpty()) {
        afterSockets.remove().run();
        slices++;
      } else if (!onWorker.isEmpty()) {
        onWorker.remove().run();
      }
    }
    assertTrue(slices >= 4, slices + " slices");
    assertEquals(":0\r\n", tester.run("DBSIZE"));
  }

  /** Which keys are written meanwhile would be noted for as long as that lasts. */
  @Test
  void aPassThatIsUnderWayEndsWhereAnotherServerIsFollowed() {
    Deque<Runnable> onLoop = new ArrayDeque<>();
    ExpirySweeper queued = queued(onLoop);
    tester.run("SET", "key", "value", "PX", "100");
    tester.nowMillis += 100;
    queued.start();
    onLoop.remove().run();
    assertTrue(tester.keyspace.writtenKeys().areNoted());
    tester.keyspace.following().follow(new Following.Master("host", 1), null, 0);
    for (int i = 0; i < 3; i++) {
      drain(onLoop);
      assertEquals(false, tester.keyspace.writtenKeys().areNoted());
      nextPass.run();
    }
    assertEquals(":1\r\n", tester.run("DBSIZE"));
    tester.keyspace.following().follow(null, null, 0);
    drain(onLoop);
    nextPass.run();
    drain(onLoop);
    assertEquals(":0\r\n", tester.run("DBSIZE"));
  }

  private static void drain(Deque<Runnable> onLoop) {
    while (!onLoop.isEmpty()) {
      onLoop.remove().run();
    }
  }

  @Test
  void whatIsWrittenBetweenTheLookAndTheDeletionStays() {
    Deque<Runnable> onLoop = new ArrayDeque<>();
    ExpirySweeper queued = queued(onLoop);
    tester.run("SET", "stays", "value", "PX", "100");
    tester.run("SET", "goes", "value", "PX", "100");
    tester.nowMillis += 100;
    queued.start();
    // The pass begins; the worker has looked; what it found waits for the loop.
    onLoop.remove().run();
    onLoop.remove().run();
    tester.run("SET", "stays", "again");
    drain(onLoop);
    assertEquals(":1\r\n", tester.run("DBSIZE"));
    assertEquals("$5\r\nagain\r\n", tester.run("GET", "stays"));
    // One by the sweep, one by the command that took its place.
    assertEquals(2, tester.keyspace.expiredKeys());
  }

  @Test
  void everyCommandSeesAKeyGoInItsMillisecond() {
    tester.run("SET", "key", "value", "PX", "100");
    tester.run("HSET", "hash", "field", "value");
    tester.run("PEXPIREAT", "hash", Long.toString(tester.nowMillis + 100));
    tester.nowMillis += 99;
    assertEquals("+string\r\n", tester.run("TYPE", "key"));
    assertEquals(":2\r\n", tester.run("EXISTS", "key", "hash"));
    assertEquals(":1\r\n", tester.run("PTTL", "key"));
    assertTrue(tester.run("KEYS", "*").startsWith("*2\r\n"));
    tester.nowMillis += 1;
    // Nothing is swept: this is what the commands say by themselves.
    assertEquals("+none\r\n", tester.run("TYPE", "key"));
    assertEquals("$-1\r\n", tester.run("GET", "key"));
    assertEquals(":0\r\n", tester.run("HLEN", "hash"));
    assertEquals(":0\r\n", tester.run("EXISTS", "key", "hash"));
    assertEquals(":-2\r\n", tester.run("PTTL", "key"));
    assertEquals("*0\r\n", tester.run("KEYS", "*"));
    assertEquals("*2\r\n$1\r\n0\r\n*0\r\n", tester.run("SCAN", "0"));
    assertEquals("$-1\r\n", tester.run("RANDOMKEY"));
    assertEquals(":2\r\n", tester.run("DBSIZE"), "until it is swept");
    sweeper.start();
    assertEquals(":0\r\n", tester.run("DBSIZE"));
  }

  @Test
  void keysGoAfterALookThatMemoryRanOutIn() {
    boolean[] isFull = {false};
    HeldClock failing =
        new HeldClock(
            () -> {
              if (isFull[0]) {
                isFull[0] = false;
                throw new OutOfMemoryError("as a test wants it");
              }
              return tester.nowMillis;
            },
            0);
    tester.run("SET", "key", "value", "PX", "100");
    tester.nowMillis += 100;
    int[] looks = {0};
    new ExpirySweeper(
            tester.keyspace,
            Runnable::run,
            task -> {
              isFull[0] = looks[0]++ == 0;
              task.run();
            },
            Runnable::run,
            (delayMillis, task) -> nextPass = task,
            failing,
            () -> 0)
        .start();
    assertEquals(":1\r\n", tester.run("DBSIZE"));
    look();
    assertEquals(":0\r\n", tester.run("DBSIZE"));
  }

  @Test
  void keysGoAfterADeletionThatMemoryRanOutIn() {
    tester.run("SET", "key", "value", "PX", "100");
    tester.nowMillis += 100;
    int[] writes = {0};
    tester.engine.beforeWrite(
        () -> {
          if (writes[0]++ == 0) {
            throw new OutOfMemoryError("as a test wants it");
          }
        });
    sweeper.start();
    assertEquals(":1\r\n", tester.run("DBSIZE"));
    look();
    assertEquals(":0\r\n", tester.run("DBSIZE"));
  }

  @Test
  void watchersAndListenersAreToldOfWhatIsSwept() {
    List<String> events = new ArrayList<>();
    tester.keyspace.listeners().notifications().choose("EA");
    Session listener = tester.session();
    listener.connection(
        new NoConnection() {
          @Override
          public void push(Message message) {
            events.add(new String(message.bytes(), ISO_8859_1));
          }
        });
    tester.run(listener, "PSUBSCRIBE", "__key*");
    tester.run("SET", "key", "value", "PX", "100");
    events.clear();
    tester.nowMillis += 100;
    sweeper.start();
    assertEquals(
        List.of(
            "*4\r\n$8\r\npmessage\r\n$6\r\n__key*\r\n"
                + "$22\r\n__keyevent@0__:expired\r\n$3\r\nkey\r\n"),
        events);
    assertEquals(":0\r\n", tester.run("DBSIZE"));
  }

  @Test
  void keyThatWasWrittenLongAfterItsMomentIsDeletedAtTheNextPass() {
    sweeper.start();
    look();
    tester.run("SET", "key", "value", "PXAT", "1");
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

  @Test
  void clockThatJumpsAnywhereBringsNothingBackThatWasSeenExpired() {
    for (long jump :
        new long[] {
          HOUR_MILLIS, -HOUR_MILLIS, -2 * HOUR_MILLIS, TEN_YEARS_MILLIS, -TEN_YEARS_MILLIS
        }) {
      sweeper.start();
      look();
      tester.run("SET", "expired", "value", "PX", "100");
      tester.run("SET", "stays", "value", "PX", Long.toString(20 * TEN_YEARS_MILLIS));
      tester.nowMillis += 100;
      assertEquals("$-1\r\n", get("expired"));
      tester.nowMillis += jump;
      for (int pass = 0; pass < 5; pass++) {
        assertEquals("$-1\r\n", get("expired"), "after a jump of " + jump + " ms");
        look();
      }
      assertEquals(tester.nowMillis, clock.getAsLong(), "the clock is the system's again");
      assertEquals(":1\r\n", tester.run("DBSIZE"));
      tester.run("SET", "new", "value", "PX", "100");
      assertEquals("$5\r\nvalue\r\n", get("new"));
      tester.nowMillis += 100;
      assertEquals("$-1\r\n", get("new"));
      look();
      assertEquals(":1\r\n", tester.run("DBSIZE"));
    }
  }

  /** As a command sees it, by the clock that commands go by. */
  private String get(String key) {
    long systemMillis = tester.nowMillis;
    tester.nowMillis = clock.getAsLong();
    try {
      return tester.run("GET", key);
    } finally {
      tester.nowMillis = systemMillis;
    }
  }

  @Test
  void keysThatWereSeenExpiredStaySoWhenTheServerIsRestartedByAClockThatWentBack() {
    sweeper.start();
    tester.run("SET", "first", "value", "PX", "100");
    tester.run("SET", "second", "value", "PX", "200");
    tester.nowMillis += 200;
    look();
    tester.run("SET", "seen", "value", "PXAT", Long.toString(tester.nowMillis));
    long mark = tester.engine.store().counter(CounterIds.CLOCK_MARK);
    assertEquals(tester.nowMillis, mark);
    // The next process begins before the moment of the last key, and has not swept it.
    tester.nowMillis -= 2 * HOUR_MILLIS;
    HeldClock restarted = new HeldClock(() -> tester.nowMillis, mark);
    assertEquals(mark, restarted.getAsLong());
    sweeper(restarted).start();
    assertEquals(":0\r\n", tester.run("DBSIZE"));
    look();
    assertEquals(tester.nowMillis, restarted.getAsLong());
    assertEquals(
        tester.nowMillis,
        tester.engine.store().counter(CounterIds.CLOCK_MARK),
        "what is written from here on is not judged by the old mark");
  }

  @Test
  void fieldsThatWereSeenExpiredStaySoWhenTheServerIsRestartedByAClockThatWentBack() {
    sweeper.start();
    tester.run("HSET", "hash", "stays", "value", "field", "value");
    tester.run("HPEXPIRE", "hash", "100", "FIELDS", "1", "field");
    tester.nowMillis += 100;
    look();
    assertEquals(tester.nowMillis, tester.engine.store().counter(CounterIds.CLOCK_MARK));
  }

  @Test
  void whileNothingCanBeWrittenTheClockStandsStill() {
    sweeper.start();
    tester.run("SET", "key", "value", "PX", "100");
    tester.nowMillis += 100;
    long latest = clock.getAsLong();
    tester.engine.writeRefusal("MISCONF full");
    tester.nowMillis -= HOUR_MILLIS;
    look();
    assertEquals(latest, clock.getAsLong());
    assertEquals(":1\r\n", tester.run("DBSIZE"));
    tester.engine.writeRefusal(null);
    look();
    look();
    assertEquals(tester.nowMillis, clock.getAsLong());
    assertEquals(":0\r\n", tester.run("DBSIZE"));
  }

  @Test
  void aHashThatIsDueByItsFieldsAndThenAsAKeyIsCountedOnce() {
    Deque<Runnable> onLoop = new ArrayDeque<>();
    Deque<Runnable> onWorker = new ArrayDeque<>();
    Deque<Runnable> afterSockets = new ArrayDeque<>();
    ExpirySweeper queued = queued(onLoop, onWorker, afterSockets);
    tester.run("SET", "stays", "value");
    long due = tester.nowMillis + 100;
    tester.run("HSET", "z", "field", "value");
    tester.run("HPEXPIREAT", "z", Long.toString(due), "FIELDS", "1", "field");
    tester.run("PEXPIREAT", "z", Long.toString(due + 1));
    for (int i = 0; i < 4095; i++) {
      tester.run("SET", "key" + i, "value", "PXAT", Long.toString(due));
    }
    tester.run("SET", "zz", "value", "PXAT", Long.toString(due));
    assertEquals(":4098\r\n", tester.run("DBSIZE"));
    tester.nowMillis += 100;
    queued.start();
    int looks = 0;
    while (!onLoop.isEmpty() || !onWorker.isEmpty() || !afterSockets.isEmpty()) {
      while (!onLoop.isEmpty()) {
        onLoop.remove().run();
      }
      // The worker is quick: it has read before the loop has deleted all.
      if (!onWorker.isEmpty()) {
        onWorker.remove().run();
        if (looks++ == 0) {
          tester.nowMillis += 1;
        }
      } else if (!afterSockets.isEmpty()) {
        afterSockets.remove().run();
      }
    }
    assertEquals("$5\r\nvalue\r\n", tester.run("GET", "stays"));
    assertEquals(":1\r\n", tester.run("DBSIZE"));
  }

  @Test
  void whatIsThereAgainSinceItsDeletionWasLostIsSweptAgain() {
    sweeper.start();
    tester.run("SET", "key", "value", "PX", "100");
    StoreBatch again = allRows();
    int databaseId = tester.keyspace.databases().id(0);
    again.count(CounterIds.keys(databaseId), 1);
    again.count(CounterIds.expires(databaseId), 1);
    tester.nowMillis += 100;
    look();
    assertEquals(":0\r\n", tester.run("DBSIZE"));
    tester.engine.commitFails(true);
    assertThrows(IOException.class, () -> tester.keyspace.commit(false));
    tester.engine.commitFails(false);
    tester.keyspace.write(again);
    assertEquals(":1\r\n", tester.run("DBSIZE"));
    look();
    assertEquals(":0\r\n", tester.run("DBSIZE"));
  }

  private StoreBatch allRows() {
    StoreBatch rows = new StoreBatch();
    try (StoreView view = tester.engine.store().view();
        StoreCursor cursor = view.cursor(InMemoryStore.END)) {
      for (boolean found = cursor.seek(new byte[0]); found; found = cursor.next()) {
        rows.put(cursor.key(), cursor.value());
      }
    }
    return rows;
  }
}
