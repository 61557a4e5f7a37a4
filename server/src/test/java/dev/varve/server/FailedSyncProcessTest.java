package dev.varve.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.net.RawClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The device of a real server refuses to sync for a while: nothing acknowledged is lost, reads go
 * on, no log is ever synced again that failed once, and writing resumes by itself.
 */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class FailedSyncProcessTest {
  private static final int ROUNDS = Integer.getInteger("varve.sync.rounds", 2);
  private static final int FAILURES = 4;
  private static final long STEPS_BETWEEN = 200;

  /** The machine may be busy with other tests. */
  private static final long WAIT_SECONDS_MAX = 20;

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"always", "everysec"})
  void aSyncThatFailsLosesNothingAndWritingResumesByItself(String policy)
      throws IOException, InterruptedException {
    Path data = directory.resolve("data");
    List<LoadClient> clients = new ArrayList<>();
    LoadSequences.all().forEach(sequence -> clients.add(new LoadClient(sequence, 4)));
    try (ServerProcess server = start(data, policy);
        RawClient steady = server.client()) {
      for (int round = 0; round < ROUNDS; round++) {
        long before = acknowledged(clients);
        for (LoadClient client : clients) {
          client.startUntilRefused(server.client());
        }
        await(() -> acknowledged(clients) > before + STEPS_BETWEEN, () -> "no load");
        Path trace = directory.resolve("trace" + round);
        try (FailingSyncs syncs = FailingSyncs.assumePossible(server.pid(), trace)) {
          // All of them are refused or cut off, and what they were told before is there.
          for (LoadClient client : clients) {
            client.join();
          }
          await(
              () -> syncs.failures() >= FAILURES,
              () -> "only " + syncs.failures() + " have failed: " + server.output());
          String refusal = steady.ask("set refused " + round);
          assertTrue(refusal.startsWith("-MISCONF "), () -> refusal + server.output());
          assertEquals("+PONG|", steady.ask("ping"));
          assertTrue(steady.ask("get counter").startsWith("$"), "nothing can be read");
          assertEquals(List.of(), syncs.retried(), "synced again");
        }
        long healed = System.nanoTime();
        await(
            () -> steady.ask("set resumed " + policy).equals("+OK|"),
            () -> "not resumed: " + server.output());
        System.out.printf(
            "%s: writing resumed %d ms after syncs worked again%n",
            policy, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - healed));
        checkAll(steady, clients);
      }
      server.kill();
    }
    try (ServerProcess server = start(data, policy);
        RawClient client = server.client()) {
      checkAll(client, clients);
      assertEquals("$" + policy.length() + "|" + policy + "|", client.ask("get resumed"));
      server.stop();
    }
    SoundDirectory.assertSound(data);
  }

  @Test
  void whatMayBeLostIsNotShown() throws IOException, InterruptedException {
    Path data = directory.resolve("data");
    try (ServerProcess server = start(data, "always");
        RawClient steady = server.client()) {
      assertEquals("+OK|", steady.ask("set key before"));
      Path trace = directory.resolve("trace");
      try (FailingSyncs syncs = FailingSyncs.assumePossible(server.pid(), trace);
          RawClient unlucky = server.client()) {
        assertThrows(IOException.class, () -> unlucky.ask("set key after"));
        await(() -> syncs.failures() >= FAILURES, () -> "only " + syncs.failures());
        assertEquals("$6|before|", steady.ask("get key"));
      }
      await(() -> steady.ask("append key +").startsWith(":"), () -> "not resumed");
      // It was in doubt, and has made it.
      assertEquals("$6|after+|", steady.ask("get key"));
      server.kill();
    }
    try (ServerProcess server = start(data, "always");
        RawClient client = server.client()) {
      assertEquals("$6|after+|", client.ask("get key"));
      server.stop();
    }
    SoundDirectory.assertSound(data);
  }

  @Test
  void aFlushThatMayBeLostIsNotShown() throws IOException, InterruptedException {
    Path data = directory.resolve("data");
    try (ServerProcess server =
            ServerProcess.start(data, "--appendfsync", "always", "--io-threads", "2");
        RawClient steady = server.client();
        RawClient other = server.client()) {
      assertEquals("+OK|", steady.ask("set key before"));
      Path trace = directory.resolve("trace");
      try (FailingSyncs syncs = FailingSyncs.assumePossible(server.pid(), trace);
          RawClient unlucky = server.client()) {
        assertThrows(IOException.class, () -> unlucky.ask("flushdb"));
        await(() -> syncs.failures() >= FAILURES, () -> "only " + syncs.failures());
        // On each of the loops.
        assertEquals("$6|before|", steady.ask("get key"));
        assertEquals("$6|before|", other.ask("get key"));
      }
      await(() -> steady.ask("set new 1").equals("+OK|"), () -> "not resumed");
      assertEquals("$-1|", steady.ask("get key"));
      assertEquals("$-1|", other.ask("get key"));
      server.kill();
    }
    try (ServerProcess server = start(data, "always");
        RawClient client = server.client()) {
      assertEquals("*1|$3|new|", client.ask("keys *"));
      server.stop();
    }
    SoundDirectory.assertSound(data);
  }

  private static long acknowledged(List<LoadClient> clients) {
    return clients.stream().mapToLong(LoadClient::acknowledged).sum();
  }

  private static void checkAll(RawClient client, List<LoadClient> clients) throws IOException {
    for (LoadClient load : clients) {
      load.check(client);
    }
  }

  private static void await(Await.Condition condition, Supplier<String> otherwise)
      throws IOException {
    Await.until(condition, WAIT_SECONDS_MAX, otherwise);
  }

  private static ServerProcess start(Path data, String policy)
      throws IOException, InterruptedException {
    return ServerProcess.start(data, "--appendfsync", policy, "--maxmemory", "16mb");
  }
}
