package dev.varve.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.ServerProcess.End;
import dev.varve.server.net.RawClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Backups of a running server: what is in them, how many stay, and what keeps one from coming. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class BackupProcessTest {
  private static final String NAME = "backup-\\d{8}T\\d{6}\\.\\d{3}Z";
  private static final int ROUNDS = 4;
  private static final int KILLS = 6;
  private static final int KILL_MICROS_MAX = 30_000;
  private static final int STEPS_BETWEEN = 3_000;
  private static final long SECONDS_MAX = 60;
  private static final int DISK_MEBIBYTES = 24;

  @TempDir Path directory;

  private Path data() {
    return directory.resolve("data");
  }

  private Path backups() {
    return directory.resolve("backups");
  }

  private ServerProcess start(Path backups, String... options)
      throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(List.of("--backup-dir", backups.toString()));
    all.addAll(List.of("--maxmemory", "16mb"));
    all.addAll(List.of(options));
    return ServerProcess.start(data(), all.toArray(String[]::new));
  }

  /** The names of all in that directory, in order. */
  private static List<String> names(Path path) throws IOException {
    try (Stream<Path> entries = Files.list(path)) {
      return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
    }
  }

  private Path newest() throws IOException {
    List<String> names = names(backups());
    return backups().resolve(names.get(names.size() - 1));
  }

  private static void saveInBackground(RawClient client, String status) throws IOException {
    assertEquals("+Background saving started|", client.ask("bgsave"));
    Await.until(
        () -> client.ask("info persistence").contains("|rdb_bgsave_in_progress:0|"),
        SECONDS_MAX,
        () -> "the save does not end");
    String info = client.ask("info persistence");
    assertTrue(info.contains("|rdb_last_bgsave_status:" + status + "|"), info);
  }

  private static void assertSound(Path backup) throws IOException, InterruptedException {
    End check = ServerProcess.run("--check", "--dir", backup.toString());
    assertTrue(check.out().endsWith("no damage\n"), check::toString);
    assertEquals(0, check.exit(), check::toString);
  }

  @Test
  void aBackupUnderLoadHasAllThatWasAcknowledgedBeforeAndNothingHalf()
      throws IOException, InterruptedException {
    List<LoadSequence> sequences = LoadSequences.all();
    List<LoadClient> clients = new ArrayList<>();
    for (LoadSequence sequence : sequences) {
      clients.add(new LoadClient(sequence, 4));
    }
    try (ServerProcess server = start(backups(), "--backup-keep", "100", "--io-threads", "2");
        RawClient asking = server.client()) {
      for (LoadClient client : clients) {
        client.start(server.client());
      }
      for (int round = 0; round < ROUNDS; round++) {
        long[] before = awaitProgress(clients);
        saveInBackground(asking, "ok");
        assertEquals(round + 1, names(backups()).size());
        Path backup = newest();
        assertTrue(backup.getFileName().toString().matches(NAME), backup.toString());
        assertSound(backup);
        try (ServerProcess second = ServerProcess.start(backup);
            RawClient client = second.client()) {
          for (int i = 0; i < before.length; i++) {
            long found = sequences.get(i).stepsFound(client);
            String name = sequences.get(i).name();
            assertTrue(found >= before[i], name + ": " + found + " of " + before[i]);
          }
          String size = client.ask("dbsize");
          int keys = LoadSequences.bulks(client.ask("keys *")).size();
          assertEquals(":" + keys + "|", size, "DBSIZE against the keys there are");
          // It lives on like any other, and what it does is not seen by the first one.
          assertEquals("+OK|", client.ask("flushall"));
          assertEquals("+OK|", client.ask("save"));
          second.stop();
        }
      }
      assertEquals("", server.kill().err());
      for (LoadClient client : clients) {
        client.join();
      }
    }
    try (ServerProcess server = start(backups());
        RawClient client = server.client()) {
      for (LoadClient load : clients) {
        load.check(client);
      }
      server.stop();
    }
  }

  /** Waits until there is more of everything; returns how much is acknowledged by then. */
  private static long[] awaitProgress(List<LoadClient> clients) throws IOException {
    long[] wanted = clients.stream().mapToLong(each -> each.acknowledged() + 200).toArray();
    long all = clients.stream().mapToLong(LoadClient::acknowledged).sum() + STEPS_BETWEEN;
    Await.until(
        () -> {
          boolean isMore = clients.stream().mapToLong(LoadClient::acknowledged).sum() >= all;
          for (int i = 0; i < wanted.length; i++) {
            isMore &= clients.get(i).acknowledged() >= wanted[i];
          }
          return isMore;
        },
        SECONDS_MAX,
        () -> "the load does not get on");
    return clients.stream().mapToLong(LoadClient::acknowledged).toArray();
  }

  @Test
  void whatIsCalledABackupIsWholeThoughItsServerWasKilled()
      throws IOException, InterruptedException {
    long seed = Long.getLong("varve.seed", System.nanoTime());
    System.out.println("BackupProcessTest: -Dvarve.seed=" + seed);
    Random random = new Random(seed);
    LoadSequence sequence = LoadSequences.overwrites();
    LoadClient load = new LoadClient(sequence, 16);
    int halves = 0;
    for (int round = 0; round < KILLS; round++) {
      try (ServerProcess server = start(backups(), "--backup-keep", "2");
          RawClient client = server.client()) {
        load.start(server.client());
        saveInBackground(client, "ok");
        List<String> names = names(backups());
        assertTrue(names.stream().allMatch(name -> name.matches(NAME)), names::toString);
        assertEquals("+Background saving started|", client.ask("bgsave"));
        while (names(backups()).equals(names)) {
          Thread.onSpinWait();
        }
        // It has begun; any moment from then on.
        TimeUnit.MICROSECONDS.sleep(random.nextInt(KILL_MICROS_MAX));
        server.kill();
        load.join();
      }
      for (String name : names(backups())) {
        halves += name.endsWith(".tmp") ? 1 : 0;
        if (name.matches(NAME)) {
          SoundDirectory.assertSound(backups().resolve(name));
        }
      }
    }
    System.out.println(halves + " of " + KILLS + " kills came before the backup was whole");
  }

  @Test
  void asManyStayAsAreToBeKeptAndWhatACrashLeftGoes() throws IOException, InterruptedException {
    Path left = Files.createDirectories(backups().resolve("backup-20200101T000000.000Z.tmp"));
    Files.writeString(left.resolve("CURRENT"), "half");
    Path other = Files.createDirectories(backups().resolve("mine"));
    try (ServerProcess server = start(backups(), "--backup-keep", "2");
        RawClient client = server.client()) {
      for (int i = 1; i <= 3; i++) {
        assertEquals("+OK|", client.ask("set key " + i));
        assertEquals("+OK|", client.ask("save"));
        assertFalse(Files.exists(left));
        assertEquals(Math.min(i, 2) + 1, names(backups()).size());
      }
      assertEquals("+OK|", client.ask("config set backup-keep 1"));
      saveInBackground(client, "ok");
      List<String> names = names(backups());
      assertEquals(2, names.size(), names::toString);
      assertTrue(names.get(0).matches(NAME), names::toString);
      assertTrue(Files.exists(other));
      String fixed = client.ask("config set backup-dir elsewhere");
      assertTrue(fixed.startsWith("-ERR "), fixed);
      server.stop();
    }
    Path backup = backups().resolve(names(backups()).get(0));
    assertSound(backup);
    // A server that was started on a backup does not delete itself.
    try (ServerProcess server = ServerProcess.start(backup, "--backup-dir", backups().toString());
        RawClient client = server.client()) {
      assertEquals("+OK|", client.ask("save"));
      assertEquals("+OK|", client.ask("save"));
      assertEquals("$1|3|", client.ask("get key"));
      assertEquals("+OK|", client.ask("set key 4"));
      server.kill();
    }
    assertSound(backup);
  }

  @Test
  void theDataDirectoryIsNoPlaceForBackupsButADirectoryInItIs()
      throws IOException, InterruptedException {
    Files.createDirectory(data());
    Path link = Files.createSymbolicLink(directory.resolve("link"), data());
    Path aroundTheCorner = data().resolve("../data");
    for (Path backups : List.of(data(), link, aroundTheCorner)) {
      End end =
          ServerProcess.run(
              "--port", "0", "--dir", data().toString(), "--backup-dir", backups.toString());
      assertEquals(1, end.exit());
      assertEquals(
          "varve: backup-dir: must be another directory than dir, not '" + backups + "'\n",
          end.err());
    }
    assertEquals(List.of(), names(data()));
    Path inside = data().resolve("backups");
    try (ServerProcess server = start(inside);
        RawClient client = server.client()) {
      assertEquals("+OK|", client.ask("set key value"));
      assertEquals("+OK|", client.ask("save"));
      assertEquals("+OK|", client.ask("save"));
      server.stop();
    }
    assertSound(data());
    try (ServerProcess server = start(inside);
        RawClient client = server.client()) {
      assertEquals("$5|value|", client.ask("get key"));
      server.stop();
    }
  }

  @Test
  void aDirectoryThatIsNoneIsToldWhenTheServerStarts() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "precious");
    AssertionError refused = assertThrows(AssertionError.class, () -> start(file).stop());
    String said = String.valueOf(refused.getMessage());
    assertTrue(said.contains("backup-dir: " + file + ": is not a directory"), said);
    assertFalse(Files.exists(data()), "a start that is refused leaves nothing");
  }

  @Test
  void aBackupThatCannotBeMadeIsAnErrorAndTheServerGoesOn()
      throws IOException, InterruptedException {
    Path file = directory.resolve("file");
    try (ServerProcess server = start(file);
        RawClient client = server.client()) {
      Files.delete(file);
      Files.writeString(file, "precious");
      assertEquals("+OK|", client.ask("set key value"));
      assertEquals("-ERR cannot save: " + file + ": is not a directory|", client.ask("save"));
      saveInBackground(client, "err");
      assertTrue(client.ask("info persistence").contains("|rdb_last_bgsave_status:err|"));
      assertEquals("+OK|", client.ask("set key other"));
      assertEquals("precious", Files.readString(file));
      Files.delete(file);
      saveInBackground(client, "ok");
      End end = server.stop();
      assertTrue(end.out().contains("background save failed"), end::toString);
      assertTrue(end.out().contains(" is complete after "), end::toString);
    }
  }

  @Test
  void anotherFileSystemGetsCopiesAndAFullOneNoHalfBackup()
      throws IOException, InterruptedException {
    try (LoopDisk disk = LoopDisk.assumePossible(directory, DISK_MEBIBYTES)) {
      Path there = disk.path().resolve("backups");
      try (ServerProcess server = start(there);
          RawClient client = server.client()) {
        assertEquals("+OK|", client.ask("set key value"));
        assertEquals("+OK|", client.ask("save"));
        List<String> small = names(there);
        assertEquals(1, small.size());
        assertSound(there.resolve(small.get(0)));
        for (int i = 0; i < 600; i++) {
          assertEquals("+OK|", client.ask("set large" + i + " " + noise(i)));
        }
        saveInBackground(client, "err");
        assertEquals(small, names(there));
        assertSound(there.resolve(small.get(0)));
        assertEquals("+OK|", client.ask("set key other"));
        server.stop();
      }
    }
  }

  private static String noise(int seed) {
    StringBuilder noise = new StringBuilder();
    new Random(seed).ints(60_000, 'a', 'z' + 1).forEach(noise::appendCodePoint);
    return noise.toString();
  }
}
