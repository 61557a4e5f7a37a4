package dev.varve.server.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.Await;
import dev.varve.server.engine.ReadRoom.Share;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ReadRoomTest {
  private static final long MEBIBYTE = 1 << 20;
  private static final long SECONDS_MAX = 30;

  private final ReadRoom room = new ReadRoom(10 * MEBIBYTE, TimeUnit.SECONDS.toNanos(SECONDS_MAX));
  private final List<Thread> threads = new ArrayList<>();
  private final List<String> done = Collections.synchronizedList(new ArrayList<>());

  @AfterEach
  void endThreads() throws InterruptedException {
    for (Thread thread : threads) {
      thread.interrupt();
      thread.join();
    }
  }

  private void begin(String name, Share share, long bytes) throws IOException {
    Thread thread =
        new Thread(
            () -> {
              share.need(bytes);
              done.add(name);
            });
    threads.add(thread);
    thread.start();
    Await.until(
        () -> thread.getState() == Thread.State.TIMED_WAITING || !thread.isAlive(),
        SECONDS_MAX,
        () -> name + " does not begin");
  }

  private void awaitDone(String... names) throws IOException {
    Await.until(() -> done.equals(List.of(names)), SECONDS_MAX, () -> done.toString());
  }

  @Test
  void whatIsShortIsNotCounted() {
    Share share = room.share(ReadPause.NONE);
    share.need(ReadRoom.LONG_BYTES);
    assertEquals(0, room.bytes());
    share.close();
    assertEquals(0, room.bytes());
  }

  @Test
  void aShareIsTheMostThatWasNeededAtATime() {
    Share share = room.share(ReadPause.NONE);
    share.need(3 * MEBIBYTE);
    share.need(2 * MEBIBYTE);
    assertEquals(3 * MEBIBYTE, room.bytes());
    share.need(8 * MEBIBYTE);
    assertEquals(8 * MEBIBYTE, room.bytes());
    share.close();
    share.close();
    assertEquals(0, room.bytes());
  }

  @Test
  void whoGathersLittleByLittleHasTwiceAsMuchEachTime() {
    Share share = room.share(ReadPause.NONE);
    share.need(MEBIBYTE);
    share.need(MEBIBYTE + 1);
    assertEquals(2 * MEBIBYTE, room.bytes());
    share.close();
  }

  @Test
  void whoFindsNoRoomWaitsInTurn() throws IOException {
    Share first = room.share(ReadPause.NONE);
    first.need(8 * MEBIBYTE);
    Share second = room.share(ReadPause.NONE);
    begin("second", second, 9 * MEBIBYTE);
    // It would fit, but others came before. It does not fit beside the second: who of two that go
    // on together is seen to do so first is the scheduler's choice.
    begin("third", room.share(ReadPause.NONE), 2 * MEBIBYTE);
    assertEquals(2, room.waiting());
    assertEquals(8 * MEBIBYTE, room.bytes());
    first.close();
    awaitDone("second");
    assertEquals(1, room.waiting());
    assertEquals(9 * MEBIBYTE, room.bytes());
    second.close();
    awaitDone("second", "third");
    assertEquals(2 * MEBIBYTE, room.bytes());
    assertEquals(0, room.waiting());
  }

  @Test
  void whatIsMoreThanAllOfItHasItAlone() throws IOException {
    Share small = room.share(ReadPause.NONE);
    small.need(MEBIBYTE);
    Share large = room.share(ReadPause.NONE);
    begin("large", large, 100 * MEBIBYTE);
    begin("other", room.share(ReadPause.NONE), MEBIBYTE);
    assertEquals(2, room.waiting());
    small.close();
    awaitDone("large");
    assertEquals(1, room.waiting());
    large.close();
    awaitDone("large", "other");
  }

  @Test
  void ofThoseWhoAllWaitForMoreOneGoesOn() throws IOException {
    Share first = room.share(ReadPause.NONE);
    Share second = room.share(ReadPause.NONE);
    first.need(5 * MEBIBYTE);
    second.need(5 * MEBIBYTE);
    begin("first", first, 10 * MEBIBYTE);
    assertEquals(1, room.waiting());
    begin("second", second, 10 * MEBIBYTE);
    awaitDone("first");
    assertEquals(1, room.waiting());
    first.close();
    awaitDone("first", "second");
    second.close();
    assertEquals(0, room.bytes());
  }

  @Test
  void nobodyWaitsForEver() {
    ReadRoom impatient = new ReadRoom(MEBIBYTE, TimeUnit.MILLISECONDS.toNanos(1));
    impatient.share(ReadPause.NONE).need(MEBIBYTE);
    impatient.share(ReadPause.NONE).need(MEBIBYTE);
    assertEquals(2 * MEBIBYTE, impatient.bytes());
    assertEquals(0, impatient.waiting());
  }

  @Test
  void manyWhoGrowAtTheSameTimeAllComeToTheirEnd() throws InterruptedException {
    long seed = new SplittableRandom().nextLong();
    System.out.println("ReadRoomTest seed " + seed);
    SplittableRandom seeds = new SplittableRandom(seed);
    AtomicInteger ended = new AtomicInteger();
    int clients = 16;
    int times = 200;
    for (int i = 0; i < clients; i++) {
      SplittableRandom random = seeds.split();
      Thread thread =
          new Thread(
              () -> {
                for (int j = 0; j < times; j++) {
                  try (Share share = room.share(ReadPause.NONE)) {
                    int steps = random.nextInt(5);
                    for (int step = 0; step < steps; step++) {
                      share.need(random.nextLong(12 * MEBIBYTE));
                      Thread.yield();
                    }
                  }
                  ended.incrementAndGet();
                }
              });
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertEquals(clients * times, ended.get());
    assertEquals(0, room.bytes());
    assertTrue(room.waiting() == 0, "nobody waits");
  }
}
