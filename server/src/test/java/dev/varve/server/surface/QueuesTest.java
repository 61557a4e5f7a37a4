package dev.varve.server.surface;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.Await;
import dev.varve.server.SoundDirectory;
import dev.varve.server.TestThreads;
import dev.varve.server.net.RespServer;
import dev.varve.wal.RealStorageDirectory;
import dev.varve.wal.StorageDirectory;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What is pushed is popped once: producers, and consumers who wait, on lists, sorted sets and a
 * stream, in random ways, while some are unblocked or paused. Nobody waits beside a queue that has
 * something.
 *
 * <p>{@code -Dvarve.queues.rounds=100} for so many servers, {@code -Dvarve.seed=…} for the same
 * clients again; who of them comes first is each run's own.
 */
class QueuesTest {
  static final String STREAM = "x";
  private static final List<String> LISTS = List.of("q0", "q1", "q2");
  private static final List<String> SETS = List.of("z0", "z1");
  static final List<String> KEYS = List.of("q0", "q1", "q2", "z0", "z1", STREAM);

  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());
  private static final int ROUNDS = Integer.getInteger("varve.queues.rounds", 5);
  private static final int PRODUCERS = 3;
  private static final int CONSUMERS = 12;
  private static final int PARTS = 12;
  private static final long SECONDS_MAX = 5;

  @TempDir private Path path;

  static String list(SplittableRandom random) {
    return LISTS.get(random.nextInt(LISTS.size()));
  }

  static String sortedSet(SplittableRandom random) {
    return SETS.get(random.nextInt(SETS.size()));
  }

  @Test
  void whatIsPushedIsPoppedOnce() throws Exception {
    rounds(
        (directory, random) -> {
          int doubts = round(RealStorageDirectory.open(directory), () -> {}, random);
          assertEquals(0, doubts, "refused");
        });
  }

  @Test
  void whatIsPushedOnAFailingDiskIsPoppedOnceAtMost() throws Exception {
    AtomicInteger doubts = new AtomicInteger();
    rounds(
        (directory, random) -> {
          FailingDisk disk = new FailingDisk(directory, FailingDisk.ALL, random.split());
          doubts.addAndGet(round(disk.directory(), disk::ailForAWhile, random));
        });
    System.out.println(doubts + " items in doubt");
    assertTrue(doubts.get() > 0, "nothing was refused");
  }

  private interface Round {
    void run(Path directory, SplittableRandom random) throws Exception;
  }

  private interface Failure {
    void go() throws InterruptedException;
  }

  private void rounds(Round round) throws Exception {
    System.out.printf("QueuesTest -Dvarve.seed=%d -Dvarve.queues.rounds=%d%n", SEED, ROUNDS);
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = 0; i < ROUNDS; i++) {
      Path directory = path.resolve("varve" + i);
      round.run(directory, random.split());
      SoundDirectory.assertSound(directory);
    }
  }

  /**
   * @param failure fails for a while, and heals
   * @return how many items may have been pushed, or popped, at most
   */
  private static int round(StorageDirectory directory, Failure failure, SplittableRandom random)
      throws Exception {
    int memoryBytes = SurfaceDifferentialTest.memoryBytes(random);
    RespServer varve =
        SurfaceDifferentialTest.varve(
            directory, memoryBytes, SurfaceDifferentialTest.settings(random));
    // One who comes back takes what another one was not served with.
    boolean isPatient = random.nextInt(4) != 0;
    TestThreads takers = new TestThreads();
    List<QueueConsumer> consumers = new ArrayList<>();
    List<QueueProducer> producers = new ArrayList<>();
    try (WireClient client = new WireClient("varve", varve.port())) {
      Copies.ask(client, "XGROUP", "CREATE", STREAM, QueueConsumer.GROUP, "$", "MKSTREAM");
      for (int i = 0; i < CONSUMERS; i++) {
        QueueConsumer consumer =
            new QueueConsumer(varve.port(), "c" + i, random.split(), isPatient);
        consumers.add(consumer);
        takers.start(() -> consumer.take(takers));
      }
      for (int i = 0; i < PARTS; i++) {
        producers.addAll(push(varve, i, failure, random, takers));
        Await.untilNone(() -> waiting(varve.port(), consumers), SECONDS_MAX);
      }
      takers.over();
      // Those who wait beside empty queues.
      Copies.ask(client, "CLIENT", "UNPAUSE");
      Await.until(
          () -> {
            unblockAll(client);
            return consumers.stream().allMatch(consumer -> consumer.awaited().isEmpty());
          },
          SECONDS_MAX,
          () -> "all are unblocked");
      takers.join();
      Await.untilNone(() -> FailingDisk.failure(client), SECONDS_MAX);
      return compare(producers, consumers, rest(client));
    } finally {
      for (QueueConsumer consumer : consumers) {
        consumer.close();
      }
      varve.stop();
    }
  }

  /** Fails where something is lost that nobody doubts, or popped twice, or never pushed. */
  private static int compare(
      List<QueueProducer> producers, List<QueueConsumer> consumers, List<String> rest) {
    Set<String> popped = new TreeSet<>();
    for (String item : rest) {
      assertTrue(popped.add(item), () -> item + " is there twice");
    }
    int doubtfullyPopped = 0;
    for (QueueConsumer consumer : consumers) {
      for (String item : consumer.taken()) {
        assertTrue(popped.add(item), () -> item + " was popped twice");
      }
      doubtfullyPopped += consumer.doubtful();
    }
    Set<String> lost = new TreeSet<>();
    Set<String> doubtfullyPushed = new TreeSet<>();
    for (QueueProducer producer : producers) {
      lost.addAll(producer.pushed());
      doubtfullyPushed.addAll(producer.doubtful());
    }
    Set<String> unknown = new TreeSet<>(popped);
    unknown.removeAll(lost);
    unknown.removeAll(doubtfullyPushed);
    assertEquals(Set.of(), unknown);
    lost.removeAll(popped);
    assertTrue(lost.size() <= doubtfullyPopped, lost + " of " + doubtfullyPopped);
    return doubtfullyPopped + doubtfullyPushed.size();
  }

  /** Has producers push until they are done. */
  private static List<QueueProducer> push(
      RespServer varve, int part, Failure failure, SplittableRandom random, TestThreads takers)
      throws Exception {
    TestThreads threads = new TestThreads();
    List<QueueProducer> producers = new ArrayList<>();
    for (int i = 0; i < PRODUCERS; i++) {
      String name = Integer.toString(part * PRODUCERS + i);
      QueueProducer producer = new QueueProducer(varve.port(), name, random.split());
      producers.add(producer);
      threads.start(producer::produce);
    }
    TestThreads others = new TestThreads();
    SplittableRandom ofOthers = random.split();
    others.start(() -> disturb(varve, ofOthers, others));
    try {
      failure.go();
      threads.join();
    } finally {
      others.over();
      others.join();
      if (takers.isOver()) {
        takers.join();
      }
    }
    return producers;
  }

  private static void disturb(RespServer varve, SplittableRandom random, TestThreads threads)
      throws IOException, InterruptedException {
    while (!threads.isOver()) {
      OtherClients.leave(varve.keyspace(), random);
      try (WireClient client = new WireClient("varve", varve.port())) {
        switch (random.nextInt(7)) {
          case 6 -> Copies.ask(client, OtherClients.syncs(random));
          case 0 -> Copies.ask(client, "CLIENT", "PAUSE", "5", "WRITE");
          case 1 -> Copies.ask(client, "CLIENT", "PAUSE", "5", "ALL");
          case 2 -> unblockOne(client, random);
          default -> Thread.sleep(random.nextInt(10));
        }
      } catch (EOFException | SocketException closed) {
        // What its reply had to wait for could not be written.
        continue;
      }
    }
  }

  private static List<String> waiting(WireClient client) throws IOException {
    Matcher ids =
        Pattern.compile("(?m)^id=(\\d+) .* flags=b ").matcher(Copies.ask(client, "CLIENT", "LIST"));
    List<String> waiting = new ArrayList<>();
    while (ids.find()) {
      waiting.add(ids.group(1));
    }
    return waiting;
  }

  private static void unblockOne(WireClient client, SplittableRandom random) throws IOException {
    List<String> waiting = waiting(client);
    if (!waiting.isEmpty()) {
      String id = waiting.get(random.nextInt(waiting.size()));
      Copies.ask(client, "CLIENT", "UNBLOCK", id, random.nextBoolean() ? "ERROR" : "TIMEOUT");
    }
  }

  private static void unblockAll(WireClient client) throws IOException {
    for (String id : waiting(client)) {
      Copies.ask(client, "CLIENT", "UNBLOCK", id);
    }
  }

  /** Who waits beside a queue that has something. */
  private static String waiting(int port, List<QueueConsumer> consumers) throws IOException {
    try (WireClient client = new WireClient("varve", port)) {
      return waiting(client, consumers);
    }
  }

  private static String waiting(WireClient client, List<QueueConsumer> consumers)
      throws IOException {
    StringBuilder waiting = new StringBuilder();
    for (QueueConsumer consumer : consumers) {
      for (String key : consumer.awaited()) {
        if (!isEmpty(client, key)) {
          waiting.append(" beside ").append(key).append(": ").append(consumer.awaited());
        }
      }
    }
    return waiting.toString();
  }

  private static boolean isEmpty(WireClient client, String key) throws IOException {
    return switch (key.charAt(0)) {
      case 'q' -> Copies.ask(client, "LLEN", key).equals(":0\r\n");
      case 'z' -> Copies.ask(client, "ZCARD", key).equals(":0\r\n");
      default -> Copies.ask(client, "XINFO", "GROUPS", key).endsWith("$3\r\nlag\r\n:0\r\n");
    };
  }

  /** What nobody has taken. */
  private static List<String> rest(WireClient client) throws IOException {
    List<String> rest = new ArrayList<>();
    for (String list : LISTS) {
      QueueConsumer.items(Copies.ask(client, "LRANGE", list, "0", "-1"), rest);
    }
    for (String set : SETS) {
      QueueConsumer.items(Copies.ask(client, "ZRANGE", set, "0", "-1"), rest);
    }
    QueueConsumer.items(
        Copies.ask(
            client, "XREADGROUP", "GROUP", QueueConsumer.GROUP, "last", "STREAMS", STREAM, ">"),
        rest);
    return rest;
  }
}
