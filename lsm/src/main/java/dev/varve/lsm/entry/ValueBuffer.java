package dev.varve.lsm.entry;

/**
 * An array that long values are copied into, one after the other: a new one for each would be
 * cleared first, and is never in the processor's caches.
 *
 * <p>For one thread. What is in it is gone with the next read.
 */
public final class ValueBuffer {
  /** Shorter values have an array of their own, which costs next to nothing. */
  static final int BYTES_MIN = 4096;

  /** So have longer ones: it would not be worth keeping. */
  static final int BYTES_MAX = 1 << 20;

  private final ValueCopy copy = ValueCopy.into(this);
  private byte[] array = {};
  private int length;

  /** For reads that copy values into it. */
  public ValueCopy copy() {
    return copy;
  }

  /** An array for a value of that length: the buffer's, or one of just that length. */
  byte[] room(int bytes) {
    if (bytes < BYTES_MIN || bytes > BYTES_MAX) {
      return new byte[bytes];
    }
    if (array.length < bytes) {
      array = new byte[Math.min(BYTES_MAX, Math.max(bytes, 2 * array.length))];
    }
    length = bytes;
    return array;
  }

  /** Whether the value that a read has returned is in here, and not an array of its own. */
  public boolean has(byte[] found) {
    return found == array;
  }

  /** How long that value is. */
  public int length(byte[] found) {
    return has(found) ? length : found.length;
  }
}
