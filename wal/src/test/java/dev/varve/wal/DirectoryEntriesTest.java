package dev.varve.wal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectoryEntriesTest {
  @TempDir Path directory;

  /** Has one entry, and fails behind it. */
  private final class Broken implements DirectoryStream<Path> {
    final IOException failure = new IOException("Input/output error");
    boolean isClosed;

    @Override
    public Iterator<Path> iterator() {
      return new Iterator<>() {
        private boolean isFirst = true;

        @Override
        public boolean hasNext() {
          if (!isFirst) {
            throw new DirectoryIteratorException(failure);
          }
          return true;
        }

        @Override
        public Path next() {
          isFirst = false;
          return directory.resolve("first");
        }
      };
    }

    @Override
    public void close() {
      isClosed = true;
    }
  }

  @Test
  void allEntriesAreFound() throws IOException {
    Files.createFile(directory.resolve("file"));
    Files.createDirectories(directory.resolve("a/b"));
    assertEquals(
        Set.of(directory.resolve("a"), directory.resolve("file")),
        new TreeSet<>(DirectoryEntries.of(directory)));
  }

  @Test
  void aDirectoryThatIsGoneIsNamed() {
    Path gone = directory.resolve("gone");
    NoSuchFileException failure =
        assertThrows(NoSuchFileException.class, () -> DirectoryEntries.of(gone));
    assertEquals(gone.toString(), failure.getFile());
  }

  @Test
  void aListingThatFailsHalfWayIsAFailureOfTheDiskAndNamesTheDirectory() {
    Broken stream = new Broken();
    IOException failure =
        assertThrows(IOException.class, () -> DirectoryEntries.read(directory, stream));
    assertEquals(
        "directory " + directory + " cannot be read: Input/output error", failure.getMessage());
    assertSame(stream.failure, failure.getCause());
    assertTrue(stream.isClosed);
  }
}
