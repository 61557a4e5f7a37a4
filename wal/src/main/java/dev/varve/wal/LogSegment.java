package dev.varve.wal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;

/**
 * An empty segment on disk, ready to be written to: its header and its name are durable.
 *
 * @param number the segment number
 * @param file open for writing
 * @param salt what its header says
 */
record LogSegment(long number, StorageFile file, int salt) {
  private static final int ZEROES_BYTES = 1 << 20;

  /**
   * Creates a segment, fills it with zeroes up to {@code preallocateBytes} and makes all of that
   * durable. A file of that name that was prepared before and never used is replaced.
   *
   * @throws FileAlreadyExistsException when there is a segment of that number with records
   */
  static LogSegment prepare(
      StorageDirectory directory, long number, int salt, long preallocateBytes, OffHeap memory)
      throws IOException {
    String name = LogFormat.fileName(number);
    if (directory.exists(name)) {
      if (!RecordFileReader.isUnused(directory, name, LogFormat.KIND, number, memory)) {
        throw new FileAlreadyExistsException(directory.path(), name, "a log segment with records");
      }
      directory.delete(name);
    }
    StorageFile file = directory.create(name);
    try {
      file.writeFully(RecordFileFormat.header(LogFormat.KIND, salt, number), 0);
      fillWithZeroes(file, preallocateBytes);
      file.sync();
      directory.sync();
      return new LogSegment(number, file, salt);
    } catch (IOException e) {
      removeAfter(e, directory, file);
      throw e;
    }
  }

  /*
   * Real zeroes instead of a longer length: a sync of a record then has no file metadata to write.
   */
  private static void fillWithZeroes(StorageFile file, long upTo) throws IOException {
    if (upTo <= RecordFileFormat.HEADER_BYTES) {
      return;
    }
    ByteBuffer zeroes = ByteBuffer.allocate(ZEROES_BYTES);
    for (long offset = RecordFileFormat.HEADER_BYTES; offset < upTo; ) {
      int bytes = (int) Math.min(ZEROES_BYTES, upTo - offset);
      file.writeFully(zeroes.clear().limit(bytes), offset);
      offset += bytes;
    }
  }

  private static void removeAfter(
      IOException failure, StorageDirectory directory, StorageFile file) {
    try {
      file.close();
      directory.delete(file.name());
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }

  /** Closes and deletes a segment that never got a record. */
  void discard(StorageDirectory directory) throws IOException {
    file.close();
    directory.delete(file.name());
  }
}
