package dev.varve.wal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Reads that give less than was asked for. */
class AlignedReadsTest {
  private static final int BLOCK_BYTES = 4096;

  private final byte[] content = new byte[5 * BLOCK_BYTES + 700];
  private final AlignedReads reads = new AlignedReads(BLOCK_BYTES);

  AlignedReadsTest() {
    new Random(1).nextBytes(content);
  }

  private byte[] read(ShortChannel channel, int from, int length) throws IOException {
    ByteBuffer target = ByteBuffer.allocate(length);
    reads.readFully(channel, "table", target, from);
    assertFalse(target.hasRemaining());
    return target.array();
  }

  @Test
  void whatAShortReadLeavesIsReadAgain() throws IOException {
    for (int bytesAtMost : new int[] {700, 1000, 4095, 4096, 4097, 6000, 20_000}) {
      for (int from : new int[] {0, 1, 5000, 4096, 12_000}) {
        ShortChannel channel = new ShortChannel(content);
        channel.bytesAtMost = bytesAtMost;
        channel.shortReadsLeft = 3;
        assertArrayEquals(
            Arrays.copyOfRange(content, from, content.length),
            read(channel, from, content.length - from),
            bytesAtMost + " bytes at most, from " + from);
      }
    }
  }

  @Test
  void aFileThatEndsEarlyIsSaidToEnd() {
    ShortChannel channel = new ShortChannel(Arrays.copyOf(content, 2 * BLOCK_BYTES + 100));
    EOFException failure =
        assertThrows(EOFException.class, () -> read(channel, BLOCK_BYTES, 2 * BLOCK_BYTES));
    assertEquals("file table ends at 8292, wanted more at 4096", failure.getMessage());
  }

  @Test
  void aDeviceThatGivesLessThanTheFileHasIsNotTakenForItsEnd() {
    for (int readable : new int[] {0, 100, BLOCK_BYTES, BLOCK_BYTES + 100}) {
      ShortChannel channel = new ShortChannel(content);
      channel.readable = readable;
      IOException failure =
          assertThrows(IOException.class, () -> read(channel, 10, content.length - 10));
      assertFalse(failure instanceof EOFException, failure.toString());
      assertEquals(
          "file table has 21180 bytes, but reads of it end at " + readable, failure.getMessage());
    }
  }

  @Test
  void blocksOfAFileSystemAreAPowerOfTwoAndNoLargerThanAPiece() {
    for (int blockBytes : new int[] {1, 512, 4096, AlignedReads.PIECE_BYTES}) {
      assertTrue(AlignedReads.takesBlocks(blockBytes), blockBytes + " bytes");
    }
    for (long blockBytes : new long[] {0, -1, 3, 2L * AlignedReads.PIECE_BYTES, 1L << 32}) {
      assertFalse(AlignedReads.takesBlocks(blockBytes), blockBytes + " bytes");
    }
  }

  /** Of a file in memory it can only be read, and gives what a test lets it give. */
  private static final class ShortChannel extends FileChannel {
    private final byte[] content;
    private int bytesAtMost;
    private int shortReadsLeft;
    private int readable;

    ShortChannel(byte[] content) {
      this.content = content;
      this.readable = content.length;
    }

    @Override
    public int read(ByteBuffer target, long position) {
      assertEquals(0, position % BLOCK_BYTES);
      assertEquals(0, target.alignmentOffset(target.position(), BLOCK_BYTES));
      assertEquals(0, target.remaining() % BLOCK_BYTES);
      int bytes = (int) Math.min(target.remaining(), readable - position);
      if (shortReadsLeft > 0) {
        shortReadsLeft--;
        bytes = Math.min(bytes, bytesAtMost);
      }
      if (bytes <= 0) {
        return -1;
      }
      target.put(content, (int) position, bytes);
      return bytes;
    }

    @Override
    public long size() {
      return content.length;
    }

    @Override
    public int read(ByteBuffer target) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long read(ByteBuffer[] targets, int offset, int length) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int write(ByteBuffer source) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int write(ByteBuffer source, long position) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long position() {
      throw new UnsupportedOperationException();
    }

    @Override
    public FileChannel position(long position) {
      throw new UnsupportedOperationException();
    }

    @Override
    public FileChannel truncate(long length) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void force(boolean metaData) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long transferTo(long position, long count, WritableByteChannel target) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long transferFrom(ReadableByteChannel source, long position, long count) {
      throw new UnsupportedOperationException();
    }

    @Override
    public MappedByteBuffer map(MapMode mode, long position, long length) {
      throw new UnsupportedOperationException();
    }

    @Override
    public FileLock lock(long position, long length, boolean isShared) {
      throw new UnsupportedOperationException();
    }

    @Override
    public FileLock tryLock(long position, long length, boolean isShared) {
      throw new UnsupportedOperationException();
    }

    @Override
    protected void implCloseChannel() {}
  }
}
