package dev.varve.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.net.RawClient;
import dev.varve.server.surface.Copies;
import dev.varve.server.surface.WireClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code kill -9} of a server that is followed, and of who follows it, while clients write: both
 * have the same afterwards, whether the one goes on where it was or is sent all data; and it goes
 * on where it had all.
 *
 * <p>{@code -Dvarve.master.kills=N} for so many.
 */
@Timeout(value = 3_000, unit = TimeUnit.SECONDS)
class KilledMasterTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());
  private static final int KILLS = Integer.getInteger("varve.master.kills", 8);
  private static final List<String> POLICIES = List.of("everysec", "always", "no");
  private static final long SECONDS_MAX = 60;
  private static final int LOAD_MILLIS_MIN = 50;
  private static final int LOAD_MILLIS_MAX = 1_000;
  private static final long TRICKLE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  @TempDir Path directory;

  private final SplittableRandom random = new SplittableRandom(SEED);
  private final String port = Integer.toString(FreePort.any());
  private final List<LoadClient> clients = new ArrayList<>();

  /** How often the one that follows could go on behind a kill. */
  private long partials;

  KilledMasterTest() throws IOException {
    for (LoadSequence sequence : LoadSequences.all()) {
      clients.add(new LoadClient(sequence, 1 + random.nextInt(16)));
    }
    clients.add(new LoadClient(LoadSequences.longWrites(), 1 + random.nextInt(4)));
  }

  @Test
  void bothHaveTheSameAfterwards() throws Exception {
    System.out.println("KilledMasterTest -Dvarve.seed=" + SEED);
    ServerProcess second = startSecond();
    try {
      for (int round = 0; round < KILLS; round++) {
        try (ServerProcess first = startFirst(round)) {
          check(first, second);
          boolean isTrickle = round % 2 == 0;
          Thread trickle = isTrickle ? startTrickle(first) : null;
          for (LoadClient client : isTrickle ? List.<LoadClient>of() : clients) {
            client.start(first.client());
          }
          // Nothing is waited for: the moment is meant to be any.
          Thread.sleep(random.nextInt(LOAD_MILLIS_MIN, LOAD_MILLIS_MAX));
          if (round % 4 == 3) {
            second.kill();
            second = startSecond();
            Thread.sleep(random.nextInt(LOAD_MILLIS_MAX));
          }
          first.kill();
          for (LoadClient client : clients) {
            client.join();
          }
          if (trickle != null) {
            trickle.join();
          }
        }
      }
      try (ServerProcess first = startFirst(0)) {
        check(first, second);
        first.stop();
      }
      second.stop();
    } finally {
      second.close();
    }
    SoundDirectory.assertSound(directory.resolve("first"));
    SoundDirectory.assertSound(directory.resolve("second"));
    System.out.println("it went on behind " + partials + " of " + KILLS + " kills");
    assertTrue(partials > 0, "none could go on");
  }

  private ServerProcess startFirst(int round) throws IOException, InterruptedException {
    String policy = POLICIES.get(round % POLICIES.size());
    return ServerProcess.start(
        directory.resolve("first"), "--port", port, "--appendfsync", policy, "--maxmemory", "16mb");
  }

  private ServerProcess startSecond() throws IOException, InterruptedException {
    return ServerProcess.start(
        directory.resolve("second"), "--replicaof", "127.0.0.1 " + port, "--maxmemory", "16mb");
  }

  /** Now and then a write, of which some have come to the other before the next. */
  private static Thread startTrickle(ServerProcess first) throws IOException {
    RawClient client = first.client();
    Thread trickle =
        new Thread(
            () -> {
              try (client) {
                for (int i = 0; true; i++) {
                  client.ask("RPUSH trickle " + i);
                  LockSupport.parkNanos(TRICKLE_NANOS);
                }
              } catch (IOException killed) {
                // As it is meant to be.
              }
            },
            "trickle");
    trickle.start();
    return trickle;
  }

  private void check(ServerProcess first, ServerProcess second) throws Exception {
    try (RawClient client = first.client();
        WireClient master = new WireClient("the first", first.port());
        WireClient copy = new WireClient("the second", second.port())) {
      for (LoadClient load : clients) {
        load.check(client);
      }
      Await.until(
          () -> client.ask("INFO replication").contains(",state=online,"),
          SECONDS_MAX,
          () -> "it is followed");
      Copies.awaitOffset(master, copy);
      Copies.compare(master, copy);
      String stats = client.ask("INFO stats");
      partials += stats.contains("|sync_partial_ok:1|") ? 1 : 0;
      assertEquals(":1|", client.ask("WAIT 1 0"));
    }
  }
}
