package dev.varve.wal;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Copies the beginning of a file to another directory. Holds no state; waits for the disk. */
final class FileCopy {
  private static final int PIECE_BYTES = 1 << 20;

  private FileCopy() {}

  /**
   * Copies the first {@code bytes} bytes to a new file of the same name. Returns that file, open
   * and not synced; what was copied when it fails stays.
   */
  static StorageFile of(StorageDirectory source, String name, long bytes, StorageDirectory target)
      throws IOException {
    try (StorageFile from = source.openReadOnly(name)) {
      return copy(from, bytes, target.create(name));
    }
  }

  /** The same with all of the file. */
  static StorageFile of(StorageDirectory source, String name, StorageDirectory target)
      throws IOException {
    try (StorageFile from = source.openReadOnly(name)) {
      return copy(from, from.length(), target.create(name));
    }
  }

  private static StorageFile copy(StorageFile from, long bytes, StorageFile to) throws IOException {
    try {
      ByteBuffer piece = ByteBuffer.allocate((int) Math.min(PIECE_BYTES, bytes));
      for (long offset = 0; offset < bytes; offset += piece.limit()) {
        piece.clear().limit((int) Math.min(PIECE_BYTES, bytes - offset));
        from.readFully(piece, offset);
        to.writeFully(piece.flip(), offset);
      }
      return to;
    } catch (IOException e) {
      to.close();
      throw e;
    }
  }
}
