package dev.varve.wal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is made, renamed and deleted where backups lie. */
class BackupDirectoryTest {
  /** 2024-01-31 23:59:59.123 UTC. */
  private static final long MILLIS = 1_706_745_599_123L;

  private static final String NAME = "backup-20240131T235959.123Z";

  @TempDir Path temporary;

  private Path path() {
    return temporary.resolve("a/backups");
  }

  private BackupDirectory directory() {
    return new BackupDirectory(path().toString());
  }

  private Set<String> names() throws IOException {
    Set<String> names = new TreeSet<>();
    try (Stream<Path> entries = Files.list(path())) {
      entries.forEach(entry -> names.add(entry.getFileName().toString()));
    }
    return names;
  }

  private String make(long millis) throws IOException {
    try (UnfinishedDirectory backup = directory().begin(millis)) {
      backup.files().create("file").close();
      backup.complete();
      return backup.name();
    }
  }

  private Path put(String name) throws IOException {
    Path put = Files.createDirectories(path().resolve(name));
    Files.writeString(put.resolve("file"), "content");
    return put;
  }

  @Test
  void aBackupHasItsNameOnceItIsComplete() throws IOException {
    try (UnfinishedDirectory backup = directory().begin(MILLIS)) {
      assertEquals(NAME, backup.name());
      assertEquals(Set.of(NAME + ".tmp"), names());
      backup.files().create("file").close();
      backup.complete();
    }
    assertEquals(Set.of(NAME), names());
    assertTrue(Files.exists(path().resolve(NAME).resolve("file")));
  }

  @Test
  void oneThatFailsLeavesNothing() throws IOException {
    try (UnfinishedDirectory backup = directory().begin(MILLIS)) {
      backup.files().create("file").close();
    }
    assertEquals(Set.of(), names());
  }

  @Test
  void twoOfOneMomentHaveTwoNames() throws IOException {
    make(MILLIS);
    assertEquals("backup-20240131T235959.124Z", make(MILLIS));
  }

  @Test
  void whatACrashHasLeftIsDeletedByTheNextOne() throws IOException {
    put("backup-20230101T000000.000Z.tmp");
    put("backup-20230101T000000.tmp");
    make(MILLIS);
    assertEquals(Set.of("backup-20230101T000000.tmp", NAME), names());
  }

  @Test
  void theNewestAreKeptAndNothingElseIsTouched() throws IOException {
    Set<String> others =
        Set.of(
            "backup-20230101T000000.000Z.old",
            "backup-20230101T000000.000",
            "xbackup-20230101T000000.000Z",
            "backup-2023-01-01",
            "data");
    for (String other : others) {
      put(other);
    }
    Path file = Files.writeString(path().resolve("backup-20230101T000000.001Z"), "a file");
    Path elsewhere = Files.createDirectories(temporary.resolve("elsewhere"));
    Files.writeString(elsewhere.resolve("precious"), "content");
    Path link = Files.createSymbolicLink(path().resolve("backup-20230101T000000.002Z"), elsewhere);
    for (int i = 0; i < 5; i++) {
      make(MILLIS + i);
    }
    String newest = make(MILLIS + 5);
    directory().keep(3, newest);
    Set<String> expected = new TreeSet<>(others);
    expected.add(file.getFileName().toString());
    expected.add(link.getFileName().toString());
    for (int i = 6; i < 9; i++) {
      expected.add("backup-20240131T235959.12" + i + "Z");
    }
    assertEquals(expected, names());
    assertTrue(Files.exists(elsewhere.resolve("precious")));
    directory().keep(Integer.MAX_VALUE, newest);
    assertEquals(expected, names());
  }

  @Test
  void theNewOneStaysThoughTheClockWasSetBack() throws IOException {
    make(MILLIS);
    String newest = make(MILLIS - 1_000);
    directory().keep(1, newest);
    assertEquals(Set.of(newest), names());
  }

  @Test
  void oneThatAServerRunsOnStays() throws IOException {
    String old = make(MILLIS);
    try (RealStorageDirectory used = RealStorageDirectory.open(path().resolve(old))) {
      used.lock();
      String newest = make(MILLIS + 1);
      directory().keep(1, newest);
      assertEquals(Set.of(old, newest), names());
      assertTrue(Files.exists(path().resolve(old).resolve("file")));
    }
    directory().keep(1, make(MILLIS + 2));
    assertEquals(1, names().size());
  }

  @Test
  void oneThatAnotherProcessIsMakingStays() throws IOException {
    try (UnfinishedDirectory other = directory().begin(MILLIS)) {
      other.files().create("file").close();
      make(MILLIS + 1);
      other.complete();
    }
    assertTrue(Files.exists(path().resolve(NAME).resolve("file")));
  }

  @Test
  void oneInWhichSomebodyHasPutADirectoryStaysWhole() throws IOException {
    String old = make(MILLIS);
    Files.createDirectory(path().resolve(old).resolve("mine"));
    directory().keep(1, make(MILLIS + 1));
    assertTrue(Files.exists(path().resolve(old).resolve("file")));
  }

  @Test
  void aFileInItsPlaceIsRefusedAndStays() throws IOException {
    Path file = Files.writeString(temporary.resolve("file"), "precious");
    BackupDirectory inPlace = new BackupDirectory(file.toString());
    assertThrows(IOException.class, () -> inPlace.begin(MILLIS));
    assertEquals("precious", Files.readString(file));
    assertFalse(Files.exists(path()));
  }
}
