package dev.varve.wal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UnfinishedDirectoryTest {
  @TempDir Path parent;
  private Path target;

  @BeforeEach
  void name() {
    target = parent.resolve("data");
  }

  private Path unfinished() {
    return parent.resolve("data.tmp");
  }

  private static void write(UnfinishedDirectory its, String name) throws IOException {
    its.files().create(name).close();
  }

  private static long entries(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.count();
    }
  }

  @Test
  void itHasItsNameWhenItIsCompleteAndNotBefore() throws IOException {
    try (UnfinishedDirectory its = UnfinishedDirectory.begin(target)) {
      write(its, "a");
      assertFalse(Files.exists(target));
      assertTrue(Files.exists(unfinished().resolve("a")));
      its.complete();
    }
    assertTrue(Files.exists(target.resolve("a")));
    assertFalse(Files.exists(unfinished()));
  }

  @Test
  void nothingIsLeftOfWhatWasNotCompleted() throws IOException {
    try (UnfinishedDirectory its = UnfinishedDirectory.begin(target)) {
      write(its, "a");
    }
    assertEquals(0, entries(parent));
  }

  @Test
  void whatAKillHasLeftIsDeleted() throws IOException {
    Files.createDirectory(unfinished());
    Files.createFile(unfinished().resolve("old"));
    try (UnfinishedDirectory its = UnfinishedDirectory.begin(target)) {
      write(its, "new");
      its.complete();
    }
    assertEquals(1, entries(target));
    assertEquals(1, entries(parent));
  }

  @Test
  void oneThatSomebodyFillsStays() throws IOException {
    try (UnfinishedDirectory first = UnfinishedDirectory.begin(target)) {
      first.files().lock();
      write(first, "a");
      assertThrows(DirectoryLockedException.class, () -> UnfinishedDirectory.begin(target));
      assertTrue(Files.exists(unfinished().resolve("a")));
    }
  }

  @Test
  void anEmptyDirectoryIsReplacedAndNothingElse() throws IOException {
    Files.createDirectory(target);
    try (UnfinishedDirectory its = UnfinishedDirectory.begin(target)) {
      write(its, "a");
      its.complete();
    }
    assertTrue(Files.exists(target.resolve("a")));
    assertThrows(DirectoryNotEmptyException.class, () -> UnfinishedDirectory.begin(target));
    Path file = Files.createFile(parent.resolve("file"));
    assertThrows(NotDirectoryException.class, () -> UnfinishedDirectory.begin(file));
    assertFalse(Files.exists(unfinished()));
  }
}
