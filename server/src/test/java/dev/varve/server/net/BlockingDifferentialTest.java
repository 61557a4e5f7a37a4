package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.server.Await;
import dev.varve.server.command.RedisOracle;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Clients that wait get what those of a redis-server get, also where nothing is in memory, so that
 * each attempt to serve one goes to a worker.
 */
class BlockingDifferentialTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());
  private static final int STEPS = Integer.getInteger("varve.model.steps", 1500);
  private static final int WAITERS = 5;
  private static final int SHOWN_MAX = 15;
  private static final int SLOW_MICROS_MAX = 500;

  /** {@code k} is a key, {@code n} a number, {@code #} a new id. */
  private static final List<String> ACTIONS =
      List.of(
          "LPUSH k n n",
          "RPUSH k n n n",
          "RPUSH k n",
          "LPUSHX k n",
          "LPOP k",
          "LREM k 0 n",
          "LMOVE k k LEFT RIGHT",
          "BLMOVE k k LEFT RIGHT 0.001",
          "ZADD k n m1 n m2",
          "ZINCRBY k 1 m2",
          "ZREM k m1",
          "XADD k # f v",
          "XADD k # f v",
          "XTRIM k MAXLEN 1",
          "XGROUP CREATE k g $ MKSTREAM",
          "XGROUP CREATE k g 0 MKSTREAM",
          "XGROUP SETID k g 0",
          "XGROUP DESTROY k g",
          "DEL k",
          "DEL k",
          "DEL k k",
          "SET k text",
          "RENAME k k",
          "RENAMENX k k",
          "COPY k k",
          "COPY k k REPLACE",
          "COPY k k DB 1",
          "MOVE k 1",
          "PEXPIRE k -1",
          "FLUSHDB",
          "FLUSHALL",
          "SELECT 1",
          "SELECT 0",
          "SELECT 0",
          "EVAL redis.call('rpush',KEYS[1],'s1','s2');redis.call('del',KEYS[2]) 2 k k",
          "EVAL redis.call('rpush','a','s');redis.call('lpop','b') 0",
          "EVAL redis.call('del',KEYS[1]);redis.call('rpush',KEYS[1],'s') 1 k");

  private static final List<String> WAITS =
      List.of(
          "BLPOP k k 0",
          "BRPOP k 0",
          "BLMOVE k k LEFT RIGHT 0",
          "BLMOVE k k RIGHT LEFT 0",
          "BRPOPLPUSH k k 0",
          "BLMPOP 0 2 k k LEFT COUNT 2",
          "BZPOPMIN k k 0",
          "BZMPOP 0 2 k k MAX",
          "XREAD BLOCK 0 STREAMS k k 0 $",
          "XREAD COUNT 1 BLOCK 0 STREAMS k $",
          "XREADGROUP GROUP g c BLOCK 0 STREAMS k >",
          "XREADGROUP GROUP g c NOACK COUNT 1 BLOCK 0 STREAMS k k > >");

  private final SplittableRandom random = new SplittableRandom(SEED);
  private final Deque<String> shown = new ArrayDeque<>();
  private int lastId;

  /** One of the servers, with one who acts and some who wait. */
  private static final class Side implements AutoCloseable {
    private final RawClient control;
    private final RawClient actor;
    private final List<RawClient> waiters = new ArrayList<>();
    private final List<String> ids = new ArrayList<>();

    Side(int port) throws IOException {
      control = new RawClient(port);
      actor = new RawClient(port);
      for (int i = 0; i < WAITERS; i++) {
        RawClient waiter = new RawClient(port);
        waiters.add(waiter);
        ids.add(waiter.ask("CLIENT ID").substring(1).replace("|", ""));
      }
    }

    static void send(RawClient client, List<String> words) throws IOException {
      StringBuilder request = new StringBuilder("*" + words.size() + "|");
      words.forEach(word -> request.append("$" + word.length() + "|" + word + "|"));
      client.send(request.toString());
    }

    /** How many of those who have asked for something wait. */
    int unanswered(String[] requests) throws IOException {
      int count = 0;
      for (int i = 0; i < WAITERS; i++) {
        count += requests[i].isEmpty() || waiters.get(i).hasReply() ? 0 : 1;
      }
      return count;
    }

    boolean isSettled(String[] requests) throws IOException {
      // In this order: who is answered meanwhile waits no more.
      String info = control.ask("INFO clients");
      return info.contains("blocked_clients:" + unanswered(requests) + "|");
    }

    @Override
    public void close() throws IOException {
      control.close();
      actor.close();
      for (RawClient waiter : waiters) {
        waiter.close();
      }
    }
  }

  private List<String> words(String form) {
    List<String> words = new ArrayList<>();
    for (String word : form.split(" ")) {
      words.add(
          switch (word) {
            case "k" -> String.valueOf("abcd".charAt(random.nextInt(4)));
            case "n" -> Integer.toString(random.nextInt(10));
            case "#" -> ++lastId + "-0";
            default -> word;
          });
    }
    return words;
  }

  private List<String> any(List<String> forms) {
    return words(forms.get(random.nextInt(forms.size())));
  }

  private List<List<String>> action() {
    if (random.nextInt(3) > 0) {
      return List.of(any(ACTIONS));
    }
    List<List<String>> transaction = new ArrayList<>(List.of(List.of("MULTI")));
    for (int i = random.nextInt(1, 4); i > 0; i--) {
      transaction.add(any(ACTIONS));
    }
    transaction.add(List.of("EXEC"));
    return transaction;
  }

  private String where() {
    return "-Dvarve.seed=" + SEED + "\n  " + String.join("\n  ", shown);
  }

  private void show(String what) {
    shown.add(what);
    if (shown.size() > SHOWN_MAX) {
      shown.remove();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1 memory", "1 disk", "3 disk"})
  void whoWaitsIsServedAsByRedis(String row, @TempDir Path directory) throws Exception {
    System.out.println("BlockingDifferentialTest -Dvarve.seed=" + SEED);
    try (RedisOracle oracle = RedisOracle.start(directory);
        ServerFixture fixture = new ServerFixture("io-threads", row.substring(0, 1));
        Side redis = new Side(oracle.port());
        Side varve = new Side(fixture.server.port())) {
      boolean isCold = row.endsWith("disk");
      SplittableRandom slowness = random.split();
      fixture.engine.beforeBlockingRead(key -> pause(slowness));
      String[] requests = new String[WAITERS];
      Arrays.fill(requests, "");
      for (int step = 0; step < STEPS; step++) {
        if (isCold) {
          fixture.engine.makeCold();
        }
        int who = random.nextInt(WAITERS);
        if (requests[who].isEmpty() && random.nextBoolean()) {
          List<String> request = any(WAITS);
          requests[who] = String.join(" ", request);
          show("client " + who + ": " + requests[who]);
          for (Side side : List.of(redis, varve)) {
            Side.send(side.waiters.get(who), request);
            Await.until(() -> side.isSettled(requests), 20, this::where);
          }
        } else if (random.nextInt(20) == 0) {
          String unblock = random.nextBoolean() ? " ERROR" : " TIMEOUT";
          show("CLIENT UNBLOCK " + who + unblock);
          String expected = redis.control.ask("CLIENT UNBLOCK " + redis.ids.get(who) + unblock);
          assertEquals(
              expected,
              varve.control.ask("CLIENT UNBLOCK " + varve.ids.get(who) + unblock),
              this::where);
        } else {
          act(redis, varve);
        }
        compare(redis, varve, requests);
      }
    }
  }

  private static void pause(SplittableRandom slowness) {
    int micros;
    synchronized (slowness) {
      micros = slowness.nextInt(SLOW_MICROS_MAX);
    }
    long end = System.nanoTime() + 1000L * micros;
    while (System.nanoTime() < end) {
      Thread.yield();
    }
  }

  private void act(Side redis, Side varve) throws IOException {
    List<List<String>> action = action();
    show(action.toString());
    for (List<String> request : action) {
      Side.send(redis.actor, request);
      Side.send(varve.actor, request);
    }
    for (int i = 0; i < action.size(); i++) {
      assertEquals(redis.actor.reply(), varve.actor.reply(), this::where);
    }
  }

  /** Who is served by Redis is served now, with the same. */
  private void compare(Side redis, Side varve, String[] requests) throws IOException {
    redis.control.ask("PING");
    for (int i = 0; i < WAITERS; i++) {
      if (!requests[i].isEmpty() && redis.waiters.get(i).hasReply()) {
        String expected = redis.waiters.get(i).reply();
        show("  " + i + " gets " + expected);
        assertEquals(expected, varve.waiters.get(i).reply(), this::where);
        requests[i] = "";
      }
    }
  }
}
