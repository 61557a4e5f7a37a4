package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.lsm.TreeOptions;
import dev.varve.server.Await;
import dev.varve.server.engine.TreeEngine;
import dev.varve.wal.CrashableStorageDirectory;
import dev.varve.wal.OffHeap;
import dev.varve.wal.SimulatedCrash;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A whole server that is killed again and again, by a clock that goes where the test wants. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ExpiryAcrossRestartsTest {
  private static final long HOUR_MILLIS = 3_600_000;
  private static final long TEN_YEARS_MILLIS = 10L * 365 * 24 * HOUR_MILLIS;
  private static final int DATABASES = 3;
  private static final int KEYS = 40;
  private static final long SECONDS_MAX = 30;

  private final AtomicLong nowMillis = new AtomicLong(1_700_000_000_000L);
  private CrashableStorageDirectory directory = new CrashableStorageDirectory();
  private RespServer server;
  private RawClient client;

  ExpiryAcrossRestartsTest() throws IOException {
    start();
  }

  private void start() throws IOException {
    TreeEngine engine =
        TreeEngine.open(
            directory, TreeOptions.builder().memtableBytesMax(256 << 10), new OffHeap(), DATABASES);
    server =
        RespServer.start(
            ServerFixture.settings("databases", Integer.toString(DATABASES)),
            engine,
            nowMillis::get,
            new RespServer.Surroundings(table -> {}, () -> {}, "", "test"));
    client = new RawClient(server.port());
  }

  /** What the next process finds is what there is at this moment. */
  private void killAndRestart() throws IOException {
    CrashableStorageDirectory survives = directory.kill();
    stop();
    directory = survives;
    start();
  }

  @AfterEach
  void stop() throws IOException {
    client.close();
    try {
      server.stop();
    } catch (IOException | SimulatedCrash killed) {
      // A directory that was killed takes no more writes.
      return;
    }
  }

  private long size() throws IOException {
    return Long.parseLong(client.ask("dbsize").replaceAll("[:|]", ""));
  }

  private void awaitSize(long wanted) throws IOException {
    long[] size = new long[1];
    Await.until(
        () -> {
          size[0] = size();
          return size[0] == wanted;
        },
        SECONDS_MAX,
        () -> "DBSIZE is " + size[0] + ", not " + wanted);
  }

  @Test
  void countsOfKeysAndExpiriesAreExactAfterEachKill() throws IOException {
    long seed = Long.getLong("varve.seed", System.nanoTime());
    System.out.println("ExpiryAcrossRestartsTest -Dvarve.seed=" + seed);
    Random random = new Random(seed);
    List<TreeMap<String, Boolean>> model =
        List.of(new TreeMap<>(), new TreeMap<>(), new TreeMap<>());
    for (int round = 0; round < 5; round++) {
      for (int i = 0; i < 400; i++) {
        int database = random.nextInt(DATABASES);
        change(random, database, model.get(database));
      }
      if (round % 2 == 1) {
        assertEquals("+OK|", client.ask("save"));
      }
      killAndRestart();
      check(model);
    }
  }

  private void change(Random random, int database, TreeMap<String, Boolean> keys)
      throws IOException {
    client.ask("select " + database);
    String key = "key" + random.nextInt(KEYS);
    switch (random.nextInt(12)) {
      case 0, 1 -> {
        client.ask("set " + key + " value");
        keys.put(key, false);
      }
      case 2, 3 -> {
        client.ask("set " + key + " value ex 1000");
        keys.put(key, true);
      }
      case 4 -> {
        client.ask("del " + key);
        keys.remove(key);
      }
      case 5 -> {
        client.ask("expire " + key + " 500");
        keys.computeIfPresent(key, (same, before) -> true);
      }
      case 6 -> {
        client.ask("persist " + key);
        keys.computeIfPresent(key, (same, before) -> false);
      }
      case 7 -> {
        client.ask("set " + key + " value px 1");
        nowMillis.addAndGet(1);
        keys.remove(key);
      }
      case 8 -> {
        client.ask("del list");
        client.send("rpush list a b c|expire list 77|").replies(2);
        keys.put("list", true);
      }
      case 9 -> {
        if (keys.containsKey(key)) {
          client.ask("rename " + key + " renamed");
          keys.put("renamed", keys.remove(key));
        }
      }
      case 10 -> {
        if (random.nextInt(20) == 0) {
          client.ask("flushdb");
          keys.clear();
        }
      }
      default -> {
        client.ask("expire " + key + " -1");
        keys.remove(key);
      }
    }
  }

  private void check(List<TreeMap<String, Boolean>> model) throws IOException {
    for (int database = 0; database < DATABASES; database++) {
      client.ask("select " + database);
      // What was due and not swept when the process ended is swept by this one.
      awaitSize(model.get(database).size());
    }
    String info = client.ask("info keyspace");
    for (int database = 0; database < DATABASES; database++) {
      TreeMap<String, Boolean> keys = model.get(database);
      long expires = keys.values().stream().filter(expiring -> expiring).count();
      if (!keys.isEmpty()) {
        String line = "db" + database + ":keys=" + keys.size() + ",expires=" + expires + ",";
        assertTrue(info.contains(line), line + " is not in " + info);
      }
    }
  }

  @Test
  void whatWasSeenExpiredStaysSoWhereverTheClockIsAfterAKill() throws IOException {
    int keys = 2_000;
    long[] jumps = {
      HOUR_MILLIS, -HOUR_MILLIS, -2 * HOUR_MILLIS, -TEN_YEARS_MILLIS, TEN_YEARS_MILLIS
    };
    for (long jump : jumps) {
      client.ask("flushall");
      for (int i = 0; i < keys; i++) {
        client.send("set key" + i + " value px 100|");
      }
      client.replies(keys);
      nowMillis.addAndGet(100);
      assertEquals("$-1|", client.ask("get key0"));
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_MAX);
      while (size() == keys) {
        assertTrue(System.nanoTime() < end, "nothing is swept");
      }
      // Perhaps in the middle of the sweep.
      nowMillis.addAndGet(jump);
      killAndRestart();
      for (int i = 0; i < keys; i++) {
        client.send("exists key" + i + "|");
      }
      assertEquals(":0|".repeat(keys), client.replies(keys), "after a jump of " + jump + " ms");
      awaitSize(0);
      awaitSystemClock();
      client.ask("set new value px 100");
      killAndRestart();
      assertEquals("$5|value|", client.ask("get new"), "the mark is not above the clock any more");
      nowMillis.addAndGet(100);
      assertEquals("$-1|", client.ask("get new"));
      awaitSize(0);
    }
  }

  /** Once everything is swept, the clock goes back to the system's. */
  private void awaitSystemClock() throws IOException {
    Await.until(
        () -> server.clock().getAsLong() == nowMillis.get(),
        SECONDS_MAX,
        () -> "the clock stands still");
  }
}
