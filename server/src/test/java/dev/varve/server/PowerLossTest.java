package dev.varve.server;

import dev.varve.server.net.RawClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A file system that loses its power while clients write, mounted and opened again: of what was
 * acknowledged nothing is lost, or the last two seconds, or a suffix, as {@code appendfsync} says.
 */
@Timeout(value = 3_000, unit = TimeUnit.SECONDS)
class PowerLossTest {
  private static final int ROUNDS = Integer.getInteger("varve.powerloss.rounds", 2);
  private static final int DISK_MEBIBYTES = 96;
  private static final int LOAD_MILLIS_MIN = 300;
  private static final int LOAD_MILLIS_RANGE = 2_500;
  private static final int ANSWER_SECONDS_MAX = 60;

  /** What everysec may lose, and what the test may be late by to look at its clock. */
  private static final long LOST_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(2_000);

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"always", "everysec", "no"})
  void whatThePolicyPromisesIsThereAfterPowerLoss(String policy)
      throws IOException, InterruptedException {
    long seed = Long.getLong("varve.seed", System.nanoTime());
    System.out.println("PowerLossTest " + policy + ": -Dvarve.seed=" + seed);
    Random random = new Random(seed);
    List<LoadClient> clients = new ArrayList<>();
    for (LoadSequence sequence : LoadSequences.all()) {
      clients.add(new LoadClient(sequence, 1 + random.nextInt(16)));
    }
    try (LoopDisk disk = LoopDisk.assumePossible(directory, DISK_MEBIBYTES)) {
      for (int round = 0; round < ROUNDS; round++) {
        try (ServerProcess server = start(disk, policy)) {
          for (LoadClient client : clients) {
            client.startUntilRefused(server.client());
          }
          if (round == ROUNDS - 1) {
            // Power that is lost before anything was acknowledged shows nothing.
            Await.until(
                () -> clients.stream().allMatch(LoadClient::hasBeenAnswered),
                ANSWER_SECONDS_MAX,
                () -> "a client got nowhere");
          }
          // Nothing else is waited for: the moment is meant to be any.
          Thread.sleep(LOAD_MILLIS_MIN + random.nextInt(LOAD_MILLIS_RANGE));
          long before = System.nanoTime();
          disk.losePower();
          server.kill();
          for (LoadClient client : clients) {
            client.join();
          }
          disk.remount();
          SoundDirectory.assertSound(disk.data());
          check(disk, policy, clients, before);
        }
      }
    }
  }

  private static void check(LoopDisk disk, String policy, List<LoadClient> clients, long lostAt)
      throws IOException, InterruptedException {
    try (ServerProcess server = start(disk, policy);
        RawClient client = server.client()) {
      for (LoadClient load : clients) {
        switch (policy) {
          // Not what comes while the power goes, see docs/testing.md.
          case "always" -> load.check(client, load.acknowledgedBy(lostAt));
          case "everysec" -> load.check(client, load.acknowledgedBy(lostAt - LOST_NANOS_MAX));
          default -> load.check(client, 0);
        }
      }
      server.stop();
    }
  }

  private static ServerProcess start(LoopDisk disk, String policy)
      throws IOException, InterruptedException {
    return ServerProcess.start(disk.data(), "--appendfsync", policy, "--maxmemory", "16mb");
  }
}
