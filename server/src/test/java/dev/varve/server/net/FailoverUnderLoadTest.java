package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.lsm.TreeOptions;
import dev.varve.server.Await;
import dev.varve.server.engine.TreeEngine;
import dev.varve.wal.CrashableStorageDirectory;
import dev.varve.wal.OffHeap;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Two servers change places again and again while clients write, each to the one that takes it:
 * what is acknowledged is there, once, and what is refused is not.
 *
 * <p>{@code -Dvarve.failovers=100} for so many, {@code -Dvarve.seed=…} for the same load again.
 */
class FailoverUnderLoadTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());
  private static final int FAILOVERS = Integer.getInteger("varve.failovers", 8);
  private static final int WRITERS = 4;
  private static final int PIPELINE_MAX = 30;
  private static final int WRITES_BETWEEN = 2_000;
  private static final long SECONDS_MAX = 60;

  private volatile boolean isOver;
  private volatile long written;

  private static RespServer start(String appendfsync, boolean writesLeave) throws IOException {
    RespServer server =
        RespServer.start(
            ServerFixture.settings("appendfsync", appendfsync, "io-threads", "2"),
            TreeEngine.open(
                new CrashableStorageDirectory(), TreeOptions.builder(), new OffHeap(), 16),
            System::currentTimeMillis,
            new RespServer.Surroundings(table -> {}, () -> {}, "", "test"));
    if (writesLeave) {
      server.keyspace().longRun().writesLeaveAfterSteps(0);
    }
    return server;
  }

  /** Counts up at whichever server lets it. */
  private final class Writer implements Callable<Long> {
    private final String key;
    private final List<Integer> ports;
    private final SplittableRandom random;

    Writer(int number, List<Integer> ports) {
      this.key = "count-" + number;
      this.ports = ports;
      this.random = new SplittableRandom(SEED + number);
    }

    @Override
    public Long call() throws IOException {
      long acknowledged = 0;
      int at = 0;
      try (RawClient first = new RawClient(ports.get(0));
          RawClient second = new RawClient(ports.get(1))) {
        List<RawClient> clients = List.of(first, second);
        while (!isOver) {
          int count = 1 + random.nextInt(PIPELINE_MAX);
          RawClient client = clients.get(at);
          client.send(("INCR " + key + "|").repeat(count));
          for (int i = 0; i < count; i++) {
            String reply = client.reply();
            if (reply.startsWith("-READONLY")) {
              at = 1 - clients.indexOf(client);
            } else {
              acknowledged++;
              assertEquals(":" + acknowledged + "|", reply, key);
            }
          }
          written = written + count;
        }
      }
      return acknowledged;
    }
  }

  @ParameterizedTest
  @CsvSource({"everysec, false", "always, false", "everysec, true"})
  void whatIsAcknowledgedIsThereOnce(String appendfsync, boolean writesLeave) throws Exception {
    System.out.printf("FailoverUnderLoadTest -Dvarve.seed=%d %s%n", SEED, appendfsync);
    ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
    RespServer one = start(appendfsync, writesLeave);
    RespServer other = start(appendfsync, writesLeave);
    try (RawClient first = new RawClient(one.port());
        RawClient second = new RawClient(other.port())) {
      second.ask("REPLICAOF 127.0.0.1 " + one.port());
      List<Future<Long>> writers = new ArrayList<>();
      for (int i = 0; i < WRITERS; i++) {
        writers.add(threads.submit(new Writer(i, List.of(one.port(), other.port()))));
      }
      RawClient master = first;
      RawClient replica = second;
      for (int i = 0; i < FAILOVERS; i++) {
        long before = written;
        Await.until(
            () -> written > before + WRITES_BETWEEN || writers.stream().anyMatch(Future::isDone),
            SECONDS_MAX,
            () -> "they write");
        for (Future<Long> writer : writers) {
          assertFalse(writer.isDone() && writer.get() > 0, "none ends before it is told to");
        }
        failOver(master, replica);
        RawClient next = replica;
        replica = master;
        master = next;
      }
      isOver = true;
      for (int i = 0; i < WRITERS; i++) {
        String text = Long.toString(writers.get(i).get());
        String wanted = "$" + text.length() + "|" + text + "|";
        assertEquals(wanted, master.ask("GET count-" + i));
        RawClient copy = replica;
        String key = "GET count-" + i;
        Await.until(() -> copy.ask(key).equals(wanted), SECONDS_MAX, () -> "the copy has it");
      }
      long fulls = fulls(first) + fulls(second);
      assertEquals(1, fulls, "all data was sent once");
    } finally {
      isOver = true;
      threads.shutdown();
      other.stop();
      one.stop();
    }
  }

  private static void failOver(RawClient master, RawClient replica) throws IOException {
    Await.until(
        () -> master.ask("FAILOVER").equals("+OK|"), SECONDS_MAX, () -> "there is a replica");
    Await.until(
        () -> replica.ask("ROLE").contains("master"), SECONDS_MAX, () -> "the other takes over");
    Await.until(
        () -> master.ask("ROLE").contains("connected"), SECONDS_MAX, () -> "it is followed");
  }

  private static long fulls(RawClient client) throws IOException {
    String stats = client.ask("INFO stats");
    int from = stats.indexOf("sync_full:");
    assertTrue(from > 0, stats);
    return Long.parseLong(stats.substring(from + "sync_full:".length(), stats.indexOf('|', from)));
  }
}
