package dev.varve.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.net.RawClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code kill -9} while eight clients write: nothing that was acknowledged is lost, and no command
 * and no transaction is half done.
 */
@Timeout(value = 3_000, unit = TimeUnit.SECONDS)
class KillUnderLoadTest {
  private static final int ROUNDS = Integer.getInteger("varve.kills", 30);
  private static final List<String> POLICIES = List.of("always", "everysec", "no");
  private static final int LOAD_MILLIS_MIN = 50;
  private static final int LOAD_MILLIS_MAX = 400;

  /** From a JVM that has hardly begun to a server that is replaying, or ready. */
  private static final int START_MILLIS_MAX = 700;

  @TempDir Path directory;

  @Test
  void nothingAcknowledgedIsLostAndNothingIsHalfDone() throws IOException, InterruptedException {
    long seed = Long.getLong("varve.seed", System.nanoTime());
    System.out.println("KillUnderLoadTest: -Dvarve.seed=" + seed);
    Random random = new Random(seed);
    List<LoadClient> clients = new ArrayList<>();
    for (LoadSequence sequence : LoadSequences.all()) {
      clients.add(new LoadClient(sequence, 1 + random.nextInt(16)));
    }
    LoadClient longWrites = new LoadClient(LoadSequences.longWrites(), 1 + random.nextInt(4));
    long left = 0;
    for (int round = 0; round < ROUNDS; round++) {
      if (round % 7 == 6) {
        killWhileStarting(random);
      }
      // Every fourth round has readers on other loops.
      String policy = POLICIES.get(round % POLICIES.size());
      String loops = round % 4 == 2 ? "2" : "1";
      try (ServerProcess server = start(policy, loops)) {
        checkAll(server, clients, longWrites);
        boolean areSomeLong = round % 5 == 3;
        if (areSomeLong) {
          longWrites.start(server.client());
        }
        for (LoadClient client : clients) {
          client.start(server.client());
        }
        // Nothing is waited for: the moment is meant to be any.
        Thread.sleep(LOAD_MILLIS_MIN + random.nextInt(LOAD_MILLIS_MAX - LOAD_MILLIS_MIN));
        if (areSomeLong) {
          left += longWrites(server);
        }
        assertEquals("", server.kill().err());
        for (LoadClient client : clients) {
          client.join();
        }
        longWrites.join();
      }
      SoundDirectory.assertSound(directory);
    }
    try (ServerProcess server = start("everysec", "1");
        RawClient client = server.client()) {
      checkAll(server, clients, longWrites);
      assertTrue(left > 0, "no write left the event loop");
      for (LoadClient load : clients) {
        assertTrue(load.acknowledged() > 0, "a client that never got through");
      }
      // It was not all in one memtable: passes ran, and were killed.
      String info = client.ask("info");
      assertTrue(info.contains("level6:tables="), info);
      server.stop();
    }
  }

  private ServerProcess start(String policy, String loops)
      throws IOException, InterruptedException {
    return ServerProcess.start(
        directory, "--appendfsync", policy, "--io-threads", loops, "--maxmemory", "16mb");
  }

  private void killWhileStarting(Random random) throws IOException, InterruptedException {
    try (ServerProcess server = ServerProcess.begin(directory, "--maxmemory", "16mb")) {
      // Any moment of the start.
      Thread.sleep(random.nextInt(START_MILLIS_MAX));
      assertEquals("", server.kill().err());
    }
  }

  private static long longWrites(ServerProcess server) throws IOException {
    String name = "|long_writes_total:";
    try (RawClient client = server.client()) {
      String stats = client.ask("info stats");
      int from = stats.indexOf(name) + name.length();
      return Long.parseLong(stats.substring(from, stats.indexOf('|', from)));
    }
  }

  private static void checkAll(
      ServerProcess server, List<LoadClient> clients, LoadClient longWrites) throws IOException {
    try (RawClient client = server.client()) {
      for (LoadClient load : clients) {
        load.check(client);
      }
      longWrites.check(client);
      String size = client.ask("dbsize");
      int keys = LoadSequences.bulks(client.ask("keys *")).size();
      assertEquals(":" + keys + "|", size, "DBSIZE against the keys there are");
    }
  }
}
