package dev.varve.wal;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import org.jspecify.annotations.Nullable;

/** A file of the operating system. Safe for use by several threads. */
final class RealStorageFile implements StorageFile {
  /**
   * The channel copies a heap buffer to off-heap memory that it keeps for each thread: no more than
   * this.
   */
  private static final int HEAP_COPY_BYTES_MAX = 1 << 20;

  private final String name;
  private final FileChannel channel;
  private final @Nullable AlignedReads aligned;
  private final @Nullable FilePlace place;

  RealStorageFile(String name, FileChannel channel) {
    this(name, channel, null, null);
  }

  /**
   * @param aligned how it is read if not through the page cache
   * @param place where others may read it
   */
  RealStorageFile(
      String name, FileChannel channel, @Nullable AlignedReads aligned, @Nullable FilePlace place) {
    this.name = name;
    this.channel = channel;
    this.aligned = aligned;
    this.place = place;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public long length() throws IOException {
    return channel.size();
  }

  @Override
  public void readFully(ByteBuffer target, long position) throws IOException {
    if (aligned != null) {
      aligned.readFully(channel, name, target, position);
      return;
    }
    int limit = target.limit();
    long offset = position;
    try {
      while (target.position() < limit) {
        target.limit(pieceLimit(target, limit));
        int bytes = channel.read(target, offset);
        if (bytes < 0) {
          throw noMore(channel, name, offset, offset);
        }
        offset += bytes;
      }
    } finally {
      target.limit(limit);
    }
  }

  /**
   * Why nothing was read at {@code reached}, of what was wanted from {@code offset} on: the file
   * ends there, or the device does not give what the file has.
   */
  static IOException noMore(FileChannel channel, String name, long reached, long offset)
      throws IOException {
    long length = channel.size();
    return length <= reached
        ? new EOFException("file " + name + " ends at " + length + ", wanted more at " + offset)
        : new IOException(
            "file " + name + " has " + length + " bytes, but reads of it end at " + reached);
  }

  @Override
  public void writeFully(ByteBuffer source, long position) throws IOException {
    int limit = source.limit();
    long offset = position;
    try {
      while (source.position() < limit) {
        source.limit(pieceLimit(source, limit));
        offset += channel.write(source, offset);
      }
    } finally {
      source.limit(limit);
    }
  }

  private static int pieceLimit(ByteBuffer buffer, int limit) {
    int remaining = limit - buffer.position();
    return buffer.isDirect() || remaining <= HEAP_COPY_BYTES_MAX
        ? limit
        : buffer.position() + HEAP_COPY_BYTES_MAX;
  }

  @Override
  public void truncate(long length) throws IOException {
    if (length > channel.size()) {
      writeFully(ByteBuffer.allocate(1), length - 1);
    } else {
      channel.truncate(length);
    }
  }

  @Override
  public void sync() throws IOException {
    channel.force(false);
  }

  @Override
  public @Nullable FilePlace place() {
    return place;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
