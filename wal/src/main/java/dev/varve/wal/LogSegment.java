package dev.varve.wal;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;

/**
 * An empty segment on disk, ready to be written to: its header and its name are durable.
 *
 * @param number the segment number
 * @param file open for writing
 * @param salt what its header says
 */
record LogSegment(long number, StorageFile file, int salt) {
  private static final String REPLACEMENT_SUFFIX = ".tmp";

  /**
   * Creates a segment and makes it durable. A file of that name that was prepared before and never
   * used is replaced, at once: one that a replay asks for is never missing.
   *
   * @throws FileAlreadyExistsException when there is a segment of that number with records
   */
  static LogSegment prepare(StorageDirectory directory, long number, int salt, OffHeap memory)
      throws IOException {
    String name = LogFormat.fileName(number);
    boolean replaces = directory.exists(name);
    if (replaces && !RecordFileReader.isUnused(directory, name, LogFormat.KIND, number, memory)) {
      throw new FileAlreadyExistsException(directory.path(), name, "a log segment with records");
    }
    return replaces ? replace(directory, number, salt) : create(directory, number, salt);
  }

  private static LogSegment create(StorageDirectory directory, long number, int salt)
      throws IOException {
    StorageFile file = directory.create(LogFormat.fileName(number));
    try {
      begin(file, number, salt);
      directory.sync();
      return new LogSegment(number, file, salt);
    } catch (IOException | RuntimeException | Error e) {
      directory.removeAfter(e, file);
      throw e;
    }
  }

  private static LogSegment replace(StorageDirectory directory, long number, int salt)
      throws IOException {
    String name = LogFormat.fileName(number);
    String replacement = name + REPLACEMENT_SUFFIX;
    directory.delete(replacement);
    StorageFile file = directory.create(replacement);
    try {
      try (file) {
        begin(file, number, salt);
      }
      directory.rename(replacement, name);
    } catch (IOException | RuntimeException | Error e) {
      directory.removeAfter(e, file);
      throw e;
    }
    directory.sync();
    return new LogSegment(number, directory.open(name), salt);
  }

  private static void begin(StorageFile file, long number, int salt) throws IOException {
    file.writeFully(RecordFileFormat.header(LogFormat.KIND, salt, number), 0);
    file.sync();
  }

  /** Closes and deletes a segment that never got a record. */
  void discard(StorageDirectory directory) throws IOException {
    file.close();
    directory.delete(file.name());
  }
}
