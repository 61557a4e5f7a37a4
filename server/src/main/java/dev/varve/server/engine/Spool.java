package dev.varve.server.engine;

import dev.varve.wal.StorageDirectory;
import dev.varve.wal.StorageFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bytes that have no room in memory, in files of their own beside the data. Nobody needs them when
 * the process has ended: nothing is synced, and the next one deletes what is left.
 *
 * <p>One thread writes and releases; any reads. All may wait for the disk.
 */
public final class Spool implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(Spool.class);

  private static final String PREFIX = "SPOOL-";
  private static final long FILE_BYTES_MAX = 64 << 20;

  /** Data comes first: so much of the disk is left to it. */
  private static final long FREE_BYTES_MIN = 256 << 20;

  private final StorageDirectory directory;
  private final long fileBytesMax;
  private final Deque<Part> parts = new ArrayDeque<>();
  private long partsMade;

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

  Spool(StorageDirectory directory) {
    this(directory, FILE_BYTES_MAX);
  }

  /**
   * @param fileBytesMax of one file
   */
  Spool(StorageDirectory directory, long fileBytesMax) {
    this.directory = directory;
    this.fileBytesMax = fileBytesMax;
  }

  /** Deletes what a process has left that was killed. */
  static void deleteLeft(StorageDirectory directory) throws IOException {
    for (String name : directory.list()) {
      if (name.startsWith(PREFIX)) {
        directory.delete(name);
      }
    }
  }

  /**
   * Adds bytes.
   *
   * @param end numbers them in the order in which they come, for {@link #release}
   * @param bytesMax how many there may be
   * @return where they are, or null if there is no room for them
   */
  public @Nullable Place append(byte[] bytes, long end, long bytesMax) throws IOException {
    if (bytes() + bytes.length > bytesMax) {
      return null;
    }
    Part last = parts.peekLast();
    if (last == null || last.length + bytes.length > fileBytesMax) {
      if (directory.usableBytes() < FREE_BYTES_MIN + fileBytesMax) {
        return null;
      }
      last = new Part(directory.create(PREFIX + partsMade++));
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

  /** Nobody reads any more what ends at or before {@code end}. */
  public void release(long end) throws IOException {
    Part first = parts.peek();
    while (first != null && first.end <= end) {
      delete(first);
      parts.remove();
      first = parts.peek();
    }
  }

  private void delete(Part part) throws IOException {
    String name = part.file.name();
    part.file.close();
    directory.delete(name);
  }

  /** Nobody reads any of it any more. */
  @Override
  public void close() {
    for (Part part : parts) {
      try {
        delete(part);
      } catch (IOException failure) {
        LOG.warn("{} is left: {}", part.file.name(), failure.toString());
      }
    }
    parts.clear();
  }
}
