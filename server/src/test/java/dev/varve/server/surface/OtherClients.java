package dev.varve.server.surface;

import dev.varve.server.Await;
import dev.varve.server.TestThreads;
import dev.varve.server.command.run.Keyspace;
import dev.varve.server.net.RespServer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Clients that take a server's time, in databases of their own: one that works, and many that come,
 * ask for something and leave in the midst of it.
 *
 * <p>Belongs to one thread.
 */
final class OtherClients {
  private static final String DATABASE = "14";
  private static final String OTHER_DATABASE = "15";
  private static final int MEMBERS = 1_000;
  private static final int REQUESTS_MAX = 4;
  private static final int REST_MILLIS_MAX = 60;
  private static final long SECONDS_MAX = 10;

  private final RespServer varve;
  private final TestThreads threads = new TestThreads();

  OtherClients(RespServer varve) {
    this.varve = varve;
  }

  /** They come. */
  void begin(SplittableRandom random) {
    SplittableRandom ofWorker = random.split();
    SplittableRandom ofOthers = random.split();
    threads.start(() -> work(ofWorker));
    threads.start(() -> comeAndGo(ofOthers));
  }

  private void work(SplittableRandom random) throws IOException {
    try (WireClient client = new WireClient("varve", varve.port());
        WireClient listener = new WireClient("varve", varve.port())) {
      Copies.ask(client, "SELECT", DATABASE);
      listener.send(List.of(List.of("MONITOR")));
      while (!threads.isOver()) {
        while (listener.hasInput()) {
          listener.read();
        }
        leave(varve.keyspace(), random);
        List<List<String>> batch = requests(random);
        client.send(batch);
        for (int i = 0; i < batch.size(); i++) {
          client.read();
        }
      }
    }
  }

  private void comeAndGo(SplittableRandom random) throws IOException, InterruptedException {
    while (!threads.isOver()) {
      Thread.sleep(random.nextInt(REST_MILLIS_MAX));
      try (WireClient client = new WireClient("varve", varve.port())) {
        List<List<String>> batch = new ArrayList<>();
        batch.add(List.of("SELECT", DATABASE));
        if (random.nextInt(3) == 0) {
          batch.add(List.of("MULTI"));
          batch.addAll(requests(random));
          batch.add(List.of("EXEC"));
        }
        batch.addAll(requests(random));
        if (random.nextInt(3) == 0) {
          batch.add(List.of("BLPOP", "nothing", "0"));
          batch.addAll(requests(random));
        }
        boolean isCut = random.nextInt(3) == 0;
        client.sendPart(batch, isCut ? random.nextInt(1, 200) : Integer.MAX_VALUE);
        if (!isCut && random.nextBoolean()) {
          // What is there when it leaves is not read, and its connection is reset.
          client.read();
        }
      }
    }
  }

  /** Ends them once all other clients have left, and leaves nothing behind. */
  void end() throws IOException, InterruptedException {
    threads.over();
    threads.join();
    try (WireClient client = new WireClient("varve", varve.port())) {
      Await.untilNone(() -> others(client), SECONDS_MAX);
      for (String database : List.of(DATABASE, OTHER_DATABASE)) {
        Copies.ask(client, "SELECT", database);
        Copies.ask(client, "FLUSHDB");
      }
    }
  }

  /** Who is there besides {@code client}. */
  private static String others(WireClient client) throws IOException {
    String clients = Copies.ask(client, "INFO", "clients");
    boolean isAlone =
        clients.contains("connected_clients:1\r") && clients.contains("blocked_clients:0\r");
    return isAlone ? "" : clients + Copies.ask(client, "CLIENT", "LIST");
  }

  private static List<List<String>> requests(SplittableRandom random) {
    List<List<String>> requests = new ArrayList<>();
    for (int i = random.nextInt(REQUESTS_MAX); i >= 0; i--) {
      requests.add(request(random));
    }
    return requests;
  }

  /** From now on reads and writes leave their threads after a few steps, or many. */
  static void leave(Keyspace keyspace, SplittableRandom random) {
    if (random.nextInt(4) == 0) {
      keyspace.longReads().leaveAfterSteps(random.nextInt(1 << random.nextInt(8)));
      keyspace.longRun().writesLeaveAfterSteps(random.nextInt(1 << random.nextInt(8)));
    }
  }

  private static List<String> request(SplittableRandom random) {
    return switch (random.nextInt(17)) {
      case 0 -> List.of("SWAPDB", DATABASE, OTHER_DATABASE);
      case 1 -> List.of("FLUSHDB");
      case 2 -> List.of("CLIENT", "PAUSE", "5", random.nextBoolean() ? "WRITE" : "ALL");
      case 3 ->
          random.nextBoolean()
              ? List.of("CONFIG", "SET", "maxmemory-policy", "noeviction")
              : syncs(random);
      case 4 -> List.of("CLIENT", "KILL", "TYPE", "replica");
      default -> much(random);
    };
  }

  /** Sets when the log is synced. */
  static List<String> syncs(SplittableRandom random) {
    String when =
        switch (random.nextInt(3)) {
          case 0 -> "always";
          case 1 -> "everysec";
          default -> "no";
        };
    return List.of("CONFIG", "SET", "appendfsync", when);
  }

  /** What reads or writes up to a thousand members, or keys, of the database it is sent to. */
  static List<String> much(SplittableRandom random) {
    String key = "k" + random.nextInt(4);
    return switch (random.nextInt(12)) {
      case 0 -> many("SADD", key, random, false);
      case 1 -> many("ZADD", key, random, true);
      case 2 -> many("HSET", key, random, true);
      case 3 -> many("RPUSH", key, random, false);
      case 4 -> List.of("SUNIONSTORE", "k0", "k1", "k2", "k3");
      case 5 -> List.of("ZUNIONSTORE", "k" + random.nextInt(4), "2", "k0", key);
      case 6 -> List.of("COPY", key, "k" + random.nextInt(4), "REPLACE");
      case 7 -> List.of("SMEMBERS", key);
      case 8 -> List.of("KEYS", "*");
      case 9 ->
          List.of(
              "EVAL",
              "for i=1,tonumber(ARGV[1])do redis.call('incr',KEYS[1]..i%100)end return 1",
              "1",
              "n",
              Integer.toString(random.nextInt(4_000)));
      case 10 -> List.of("DEL", "k0", "k1", "k2", "k3");
      default -> List.of("SORT", key, "ALPHA", "STORE", "k" + random.nextInt(4));
    };
  }

  private static List<String> many(
      String command, String key, SplittableRandom random, boolean isPairs) {
    List<String> request = new ArrayList<>(List.of(command, key));
    for (int i = random.nextInt(MEMBERS); i >= 0; i--) {
      request.add(Integer.toString(random.nextInt(MEMBERS)));
      if (isPairs) {
        request.add(Integer.toString(i));
      }
    }
    return request;
  }
}
