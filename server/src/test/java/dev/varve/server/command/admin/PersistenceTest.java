package dev.varve.server.command.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.engine.Backups;
import dev.varve.server.engine.InMemoryEngine;
import dev.varve.wal.BackupDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PersistenceTest {
  private final List<String> seen = new ArrayList<>();

  /** Looks at itself while a save of it is under way. */
  private Persistence persistence(Path backups) {
    List<Supplier<String>> look = new ArrayList<>();
    Backups its =
        new Backups(
            new InMemoryEngine(),
            new BackupDirectory(backups.toString()),
            () -> {
              seen.add(look.get(0).get());
              return 1;
            },
            () -> 7);
    Persistence persistence = new Persistence(new InMemoryEngine(), its, Runnable::run, () -> 7);
    look.add(
        () -> (persistence.isRunning() ? "running" : "idle") + ' ' + persistence.hasLastFailed());
    return persistence;
  }

  /** Whose log takes nothing. */
  private static final class FullEngine extends InMemoryEngine {
    private long damaged;

    @Override
    public void flush() throws IOException {
      throw new IOException("no space");
    }

    @Override
    public long corruptBlocks() {
      return damaged;
    }
  }

  @Test
  void aBackupIsMadeWhereNothingCanBeFlushed(@TempDir Path backups) throws IOException {
    FullEngine engine = new FullEngine();
    Backups its = new Backups(engine, new BackupDirectory(backups.toString()), () -> 1, () -> 7);
    assertTrue(new Persistence(engine, its, Runnable::run, () -> 7).save());
    assertEquals(1, count(backups));

    Persistence without = new Persistence(engine, null, Runnable::run, () -> 7);
    assertThrows(IOException.class, without::save);
    assertTrue(without.hasLastFailed());
  }

  @Test
  void backupsStayWhereTheDataIsKnownToBeDamaged(@TempDir Path backups) throws IOException {
    FullEngine engine = new FullEngine();
    Backups its = new Backups(engine, new BackupDirectory(backups.toString()), () -> 1, () -> 7);
    its.make();
    its.make();
    assertEquals(1, count(backups));
    engine.damaged = 1;
    its.make();
    assertEquals(2, count(backups), "the one from before the damage is gone");
  }

  private static long count(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.count();
    }
  }

  @Test
  void aSaveUnderWayTellsHowTheOneBeforeItEnded(@TempDir Path directory) throws IOException {
    Path backups = directory.resolve("backups");
    Persistence persistence = persistence(backups);
    assertTrue(persistence.save());
    assertFalse(persistence.hasLastFailed());

    Files.move(backups, directory.resolve("away"));
    Files.writeString(backups, "no directory");
    assertThrows(IOException.class, persistence::save);
    assertTrue(persistence.hasLastFailed());
    assertFalse(persistence.isRunning());

    Files.delete(backups);
    assertTrue(persistence.startInBackground());
    assertFalse(persistence.hasLastFailed());
    assertEquals(List.of("running false", "running true"), seen);
  }
}
