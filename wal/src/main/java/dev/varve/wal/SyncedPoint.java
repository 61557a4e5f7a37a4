package dev.varve.wal;

/**
 * How far a log or a record file was durable: everything in files before {@code file}, and in that
 * one everything before {@code offset}. Immutable.
 *
 * @param file the file's number
 * @param offset in that file, in bytes
 */
public record SyncedPoint(long file, long offset) implements Comparable<SyncedPoint> {
  /** Before everything: says nothing. */
  public static final SyncedPoint NONE = new SyncedPoint(0, 0);

  @Override
  public int compareTo(SyncedPoint other) {
    return file != other.file ? Long.compare(file, other.file) : Long.compare(offset, other.offset);
  }

  /** The one that is further on. */
  public SyncedPoint max(SyncedPoint other) {
    return compareTo(other) >= 0 ? this : other;
  }
}
