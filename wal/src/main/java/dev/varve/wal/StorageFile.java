package dev.varve.wal;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One open file of a {@link StorageDirectory}, read and written at explicit positions.
 *
 * <p>Safe for use by several threads: reads run beside each other and beside one writer. All
 * methods may block on the device.
 */
public interface StorageFile extends Closeable {

  /** The file's name within its directory, for messages. */
  String name();

  /** The file's length in bytes. */
  long length() throws IOException;

  /**
   * Fills {@code target} from its position to its limit, from {@code position} of the file on.
   *
   * @throws java.io.EOFException when the file ends before {@code target} is full, naming the file
   */
  void readFully(ByteBuffer target, long position) throws IOException;

  /**
   * Writes all that remains of {@code source} at {@code position}, extending the file as needed.
   */
  void writeFully(ByteBuffer source, long position) throws IOException;

  /** Sets the length: cuts the file, or extends it by zeroes. */
  void truncate(long length) throws IOException;

  /**
   * Makes the content written so far survive power loss.
   *
   * @throws IOException when the device reports an error. The state of unsynced bytes is unknown
   *     from then on: never sync this file again and trust it, see docs/durability.md.
   */
  void sync() throws IOException;

  /**
   * Where else it is to be had while it is open, for who may not be kept waiting and asks the
   * operating system himself; null where it must be read through this. Does not block.
   */
  default @Nullable FilePlace place() {
    return null;
  }

  @Override
  void close() throws IOException;
}
