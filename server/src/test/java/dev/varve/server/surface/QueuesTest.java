package dev.varve.server.surface;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.Await;
import dev.varve.server.SoundDirectory;
import dev.varve.server.TestThreads;
import dev.varve.server.net.RespServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
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
  private static final int PUSHES = 30;
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
    System.out.printf("QueuesTest -Dvarve.seed=%d -Dvarve.queues.rounds=%d%n", SEED, ROUNDS);
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = 0; i < ROUNDS; i++) {
      round(path.resolve("varve" + i), random.split());
    }
  }

  private static void round(Path directory, SplittableRandom random) throws Exception {
    int memoryBytes = SurfaceDifferentialTest.memoryBytes(random);
    RespServer varve =
        SurfaceDifferentialTest.varve(
            directory, memoryBytes, SurfaceDifferentialTest.settings(random));
    // One who comes back takes what another one was not served with.
    boolean isPatient = random.nextInt(4) != 0;
    TestThreads takers = new TestThreads();
    List<QueueConsumer> consumers = new ArrayList<>();
    try (WireClient client = new WireClient("varve", varve.port())) {
      Copies.ask(client, "XGROUP", "CREATE", STREAM, QueueConsumer.GROUP, "$", "MKSTREAM");
      for (int i = 0; i < CONSUMERS; i++) {
        QueueConsumer consumer =
            new QueueConsumer(varve.port(), "c" + i, random.split(), isPatient);
        consumers.add(consumer);
        takers.start(() -> consumer.take(takers));
      }
      List<String> pushed = new ArrayList<>();
      for (int i = 0; i < PARTS; i++) {
        pushed.addAll(push(varve, i * PRODUCERS, random, takers));
        Await.untilNone(() -> waiting(client, consumers), SECONDS_MAX);
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
      List<String> popped = new ArrayList<>(rest(client));
      for (QueueConsumer consumer : consumers) {
        popped.addAll(consumer.taken());
      }
      assertEquals(pushed.stream().sorted().toList(), popped.stream().sorted().toList());
    } finally {
      for (QueueConsumer consumer : consumers) {
        consumer.close();
      }
      varve.stop();
    }
    SoundDirectory.assertSound(directory);
  }

  /** Has producers push until they are done, and returns what. */
  private static List<String> push(
      RespServer varve, int firstNumber, SplittableRandom random, TestThreads takers)
      throws Exception {
    TestThreads producers = new TestThreads();
    List<List<String>> pushed = new ArrayList<>();
    for (int i = 0; i < PRODUCERS; i++) {
      int number = firstNumber + i;
      List<String> its = new ArrayList<>();
      pushed.add(its);
      SplittableRandom chance = random.split();
      producers.start(() -> produce(varve.port(), number, chance, its));
    }
    TestThreads others = new TestThreads();
    others.start(() -> disturb(varve, random.split(), others));
    try {
      producers.join();
    } finally {
      others.over();
      others.join();
      if (takers.isOver()) {
        takers.join();
      }
    }
    return pushed.stream().flatMap(List::stream).toList();
  }

  private static void produce(int port, int number, SplittableRandom random, List<String> pushed)
      throws IOException {
    try (WireClient client = new WireClient("varve", port)) {
      String own = "own" + number;
      for (int i = 0; i < PUSHES; i++) {
        List<String> items = new ArrayList<>();
        for (int j = random.nextInt(4); j >= 0; j--) {
          items.add("item-" + number + "-" + (pushed.size() + items.size()));
        }
        pushed.addAll(items);
        String list = list(random);
        switch (random.nextInt(9)) {
          case 0 -> ask(client, with(items, "RPUSH", list));
          case 1 -> ask(client, with(items, "LPUSH", list));
          case 2 -> {
            ask(client, List.of("MULTI"));
            ask(client, with(items, "RPUSH", list));
            ask(client, List.of("SET", "other", "1"));
            ask(client, List.of("EXEC"));
          }
          case 3 ->
              ask(
                  client,
                  with(
                      items,
                      "EVAL",
                      "for i=1,#ARGV do redis.call('lpush',KEYS[1],ARGV[i])end",
                      "1",
                      list));
          case 4 -> {
            // In the place of nothing.
            ask(client, with(items, "RPUSH", own));
            if (ask(client, List.of("RENAMENX", own, list)).equals(":0\r\n")) {
              ask(client, List.of("DEL", own));
              ask(client, with(items, "RPUSH", list));
            }
          }
          case 5 -> {
            ask(client, List.of("SELECT", "1"));
            ask(client, List.of("DEL", own));
            ask(client, with(items, "RPUSH", own));
            ask(client, List.of("COPY", own, own, "DB", "0"));
            ask(client, List.of("SELECT", "0"));
            ask(client, List.of("SORT", own, "BY", "nosort", "STORE", own));
            while (!ask(client, List.of("LMOVE", own, list, "LEFT", "LEFT")).startsWith("$-1")) {
              continue;
            }
          }
          case 6, 7 -> {
            List<String> request = new ArrayList<>(List.of("ZADD", sortedSet(random)));
            for (String item : items) {
              request.add(Integer.toString(random.nextInt(10)));
              request.add(item);
            }
            ask(client, request);
          }
          default -> {
            for (String item : items) {
              ask(client, List.of("XADD", STREAM, "*", "item", item));
            }
          }
        }
      }
    }
  }

  private static List<String> with(List<String> items, String... words) {
    List<String> request = new ArrayList<>(List.of(words));
    request.addAll(items);
    return request;
  }

  private static String ask(WireClient client, List<String> request) throws IOException {
    String reply = Copies.ask(client, request);
    assertTrue(!reply.startsWith("-"), () -> request + ": " + reply);
    return reply;
  }

  private static void disturb(RespServer varve, SplittableRandom random, TestThreads threads)
      throws IOException, InterruptedException {
    try (WireClient client = new WireClient("varve", varve.port())) {
      while (!threads.isOver()) {
        OtherClients.leave(varve.keyspace(), random);
        switch (random.nextInt(6)) {
          case 0 -> Copies.ask(client, "CLIENT", "PAUSE", "5", "WRITE");
          case 1 -> Copies.ask(client, "CLIENT", "PAUSE", "5", "ALL");
          case 2 -> unblockOne(client, random);
          default -> Thread.sleep(random.nextInt(10));
        }
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
