package dev.varve.server.engine;

import dev.varve.wal.StorageFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Bytes that have no room in memory, in files of their own beside the data. Nobody needs them when
 * the process has ended: nothing is synced, and the next one deletes what is left.
 *
 * <p>One thread writes and releases; any reads. All may wait for the disk.
 */
public final class Spool implements Closeable {
  private static final long FILE_BYTES_MAX = 64 << 20;

  /** Data comes first: so much of the disk is left to it. */
  private static final long FREE_BYTES_MIN = 256 << 20;

  private final SpoolFiles files;
  private final long fileBytesMax;
  private final Deque<Part> parts = new ArrayDeque<>();

  /** One file. */
  private static final class Part {
    final StorageFile file;
    long length;

    /** Up to where its bytes are wanted. */
    long end;

    Part(StorageFile file) {
      this.file = file;
    }
  }

  /** Where bytes are. */
  public static final class Place {
    private final StorageFile file;
    private final long position;
    private final int length;

    private Place(StorageFile file, long position, int length) {
      this.file = file;
      this.position = position;
      this.length = length;
    }

    /** Reads them. */
    public byte[] read() throws IOException {
      byte[] bytes = new byte[length];
      file.readFully(ByteBuffer.wrap(bytes), position);
      return bytes;
    }
  }

  Spool(SpoolFiles files) {
    this(files, FILE_BYTES_MAX);
  }

  /**
   * @param fileBytesMax of one file
   */
  Spool(SpoolFiles files, long fileBytesMax) {
    this.files = files;
    this.fileBytesMax = fileBytesMax;
  }

  /**
   * Adds bytes.
   *
   * @param end numbers them in the order in which they come, for {@link #release}
   * @param bytesMax how many there may be
   * @return where they are, or null if there is no room for them
   */
  public @Nullable Place append(byte[] bytes, long end, long bytesMax) throws IOException {
    if (bytes() + files.leftBytes() + bytes.length > bytesMax) {
      return null;
    }
    Part last = parts.peekLast();
    if (last == null || last.length + bytes.length > fileBytesMax) {
      if (files.usableBytes() < FREE_BYTES_MIN + fileBytesMax) {
        return null;
      }
      last = new Part(files.create());
      parts.add(last);
    }
    Place place = new Place(last.file, last.length, bytes.length);
    last.file.writeFully(ByteBuffer.wrap(bytes), last.length);
    last.length += bytes.length;
    last.end = end;
    return place;
  }

  /** How many there are. */
  public long bytes() {
    return parts.stream().mapToLong(part -> part.length).sum();
  }

  /**
   * Nobody reads any more what ends at or before {@code end}. That a file cannot be deleted is no
   * error, for others may still be read: it is tried again.
   */
  public void release(long end) {
    files.deleteLeft();
    Part first = parts.peek();
    while (first != null && first.end <= end) {
      parts.remove();
      delete(first);
      first = parts.peek();
    }
  }

  private void delete(Part part) {
    try {
      part.file.close();
    } catch (IOException failure) {
      // Of bytes that nobody wants it says nothing.
    }
    files.delete(part.file.name(), part.length);
  }

  /** Nobody reads any of it any more. */
  @Override
  public void close() {
    files.deleteLeft();
    parts.forEach(this::delete);
    parts.clear();
  }
}
