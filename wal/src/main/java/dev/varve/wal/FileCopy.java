package dev.varve.wal;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Copies the beginning of a file to another directory. Holds no state; waits for the disk. */
final class FileCopy {
  private static final int PIECE_BYTES = 1 << 20;

  private FileCopy() {}

  /**
   * Copies the first {@code bytes} bytes to a new file of the same name, and syncs that. What was
   * copied when it fails stays.
   */
  static void copy(StorageFile from, long bytes, StorageDirectory target) throws IOException {
    try (StorageFile to = target.create(from.name())) {
      ByteBuffer piece = ByteBuffer.allocate((int) Math.min(PIECE_BYTES, bytes));
      for (long offset = 0; offset < bytes; offset += piece.limit()) {
        piece.clear().limit((int) Math.min(PIECE_BYTES, bytes - offset));
        from.readFully(piece, offset);
        to.writeFully(piece.flip(), offset);
      }
      to.sync();
    }
  }
}
