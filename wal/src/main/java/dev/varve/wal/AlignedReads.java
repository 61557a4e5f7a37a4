package dev.varve.wal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.concurrent.ArrayBlockingQueue;

/**
 * Reads files past the page cache (open(2), {@code O_DIRECT}): whole blocks of the file system into
 * aligned memory, of which the caller gets a copy of what it asked for. Safe for use by several
 * threads.
 */
final class AlignedReads {
  /** Read at once at most: more than any block of a table of the default size. */
  static final int PIECE_BYTES = 64 << 10;

  /** After so many that end where the one before did, although the file goes on, it is given up. */
  private static final int FRUITLESS_READS_MAX = 8;

  /** More threads than this read with memory that is allocated each time. */
  private static final int POOLED_MAX = 64;

  private final int blockBytes;
  private final ArrayBlockingQueue<ByteBuffer> free = new ArrayBlockingQueue<>(POOLED_MAX);

  /**
   * @param blockBytes of the file system, a power of two
   */
  AlignedReads(int blockBytes) {
    if (!takesBlocks(blockBytes)) {
      throw new IllegalArgumentException("blocks of " + blockBytes + " bytes");
    }
    this.blockBytes = blockBytes;
  }

  /** Whether a file system with such blocks can be read so. */
  static boolean takesBlocks(long blockBytes) {
    return blockBytes >= 1 && Long.bitCount(blockBytes) == 1 && blockBytes <= PIECE_BYTES;
  }

  /** What pieces begin and end at multiples of. */
  int blockBytes() {
    return blockBytes;
  }

  /** As {@link StorageFile#readFully}. */
  void readFully(FileChannel channel, String name, ByteBuffer target, long position)
      throws IOException {
    ByteBuffer pooled = free.poll();
    ByteBuffer piece = pooled != null ? pooled : allocate();
    try {
      long offset = position;
      while (target.hasRemaining()) {
        offset += readPiece(channel, name, piece, target, offset);
      }
    } finally {
      free.offer(piece);
    }
  }

  private ByteBuffer allocate() {
    return ByteBuffer.allocateDirect(PIECE_BYTES + blockBytes).alignedSlice(blockBytes);
  }

  /** Returns how many bytes went to the target: as many as it wants, or one piece holds. */
  private int readPiece(
      FileChannel channel, String name, ByteBuffer piece, ByteBuffer target, long offset)
      throws IOException {
    long start = offset & -blockBytes;
    int skipped = (int) (offset - start);
    int wanted = Math.min(target.remaining(), PIECE_BYTES - skipped);
    int end = skipped + wanted;
    piece.clear().limit((end + blockBytes - 1) & -blockBytes);
    int filled = 0;
    int fruitless = 0;
    while (filled < end) {
      // From the beginning of a block, also behind a read that has ended in the midst of one.
      int from = filled & -blockBytes;
      int bytes = channel.read(piece.position(from), start + from);
      if (from + bytes > filled) {
        filled = from + bytes;
      } else if (bytes < 0
          || channel.size() <= start + filled
          || ++fruitless > FRUITLESS_READS_MAX) {
        throw RealStorageFile.noMore(channel, name, start + filled, offset);
      }
    }
    target.put(piece.position(skipped).limit(end));
    return wanted;
  }
}
