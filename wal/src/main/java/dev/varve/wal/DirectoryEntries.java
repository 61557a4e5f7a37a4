package dev.varve.wal;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** What is in a directory of the operating system. Holds no state. */
final class DirectoryEntries {
  private DirectoryEntries() {}

  /**
   * All of it, in no particular order.
   *
   * @throws IOException naming the directory, when it cannot be read, or not to its end
   */
  static List<Path> of(Path directory) throws IOException {
    return read(directory, Files.newDirectoryStream(directory));
  }

  /** Reads the stream, and closes it. */
  static List<Path> read(Path directory, DirectoryStream<Path> stream) throws IOException {
    List<Path> entries = new ArrayList<>();
    try (stream) {
      stream.forEach(entries::add);
      return entries;
    } catch (DirectoryIteratorException failure) {
      // An unchecked one, and all that it says is the system's error.
      IOException cause = Objects.requireNonNull(failure.getCause());
      throw new IOException(
          "directory " + directory + " cannot be read: " + cause.getMessage(), cause);
    }
  }
}
