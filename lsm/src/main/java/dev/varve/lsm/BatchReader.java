package dev.varve.lsm;

import dev.varve.lsm.entry.EntryCursor;
import dev.varve.wal.CorruptionException;
import dev.varve.wal.LogFormat;
import java.nio.ByteBuffer;

/**
 * Walks the entries and counter deltas of one encoded batch ({@link BatchFormat}). For one thread;
 * reusable.
 *
 * <p>A batch from a log is checked whole before any of it is believed. It has passed the log's
 * checksum, so what fails here was written wrong, or is another program's.
 */
final class BatchReader {
  private static final int LAST_GROUP_SHIFT = 28;
  private static final int LAST_GROUP_MAX = 7;
  private static final byte[] NOTHING = {};
  private static final ByteBuffer VIEW_OF_NOTHING = ByteBuffer.wrap(NOTHING);

  private byte[] bytes = NOTHING;
  private ByteBuffer view = VIEW_OF_NOTHING;
  private int limit;
  private int at;

  private boolean tombstone;
  private int keyAt;
  private int keyLength;
  private int valueAt;
  private int valueLength;

  /** Begins with a batch of this process in {@code bytes[0, length)}. */
  void reset(byte[] source, int length) {
    if (source != bytes) {
      bytes = source;
      view = ByteBuffer.wrap(source);
    }
    limit = length;
    at = BatchFormat.HEADER_BYTES;
  }

  /**
   * Begins with what a log has as a batch.
   *
   * @param segment the log segment
   * @param offset where in that file its record begins
   * @throws CorruptionException naming both, when it is no batch
   */
  void resetLogged(byte[] source, int length, long segment, long offset)
      throws CorruptionException {
    reset(source, length);
    if (!isHeaderSound() || !areEntriesSound()) {
      throw new CorruptionException(
          LogFormat.fileName(segment), offset, "a record of the log that is no batch");
    }
    at = BatchFormat.HEADER_BYTES;
  }

  private boolean isHeaderSound() {
    long left = limit - BatchFormat.HEADER_BYTES;
    return left >= 0
        && sequence() >= 1
        && reservedSequences() >= 1
        && sequence() <= EntryCursor.SEQUENCE_MAX - reservedSequences()
        && counterDeltas() >= 0
        && counterDeltas() <= left / BatchFormat.COUNTER_BYTES
        && entries() >= 0
        && entries()
            <= (left - (long) counterDeltas() * BatchFormat.COUNTER_BYTES)
                / BatchFormat.ENTRY_BYTES_MIN;
  }

  private boolean areEntriesSound() {
    int left = entries();
    while (left > 0 && readEntry()) {
      left--;
    }
    return left == 0 && at == counterAt(0);
  }

  /** Lets go of a batch that is so large that its writer does not keep it. Cannot fail. */
  void forgetLarge() {
    if (bytes.length > WriteBatch.BYTES_KEPT_MAX) {
      bytes = NOTHING;
      view = VIEW_OF_NOTHING;
      limit = 0;
    }
  }

  long sequence() {
    return view.getLong(BatchFormat.SEQUENCE_AT);
  }

  int reservedSequences() {
    return view.getInt(BatchFormat.RESERVED_AT);
  }

  int entries() {
    return view.getInt(BatchFormat.ENTRIES_AT);
  }

  int counterDeltas() {
    return view.getInt(BatchFormat.COUNTERS_AT);
  }

  /** Moves to the next entry; call it {@link #entries()} times. */
  void nextEntry() {
    if (!readEntry()) {
      throw new IllegalStateException("malformed batch");
    }
  }

  private boolean readEntry() {
    int kind = at < limit ? bytes[at++] : -1;
    tombstone = kind == BatchFormat.KIND_TOMBSTONE;
    if (!tombstone && kind != BatchFormat.KIND_VALUE) {
      return false;
    }
    keyLength = varint();
    valueLength = tombstone ? 0 : varint();
    keyAt = at;
    if (keyLength < 0
        || valueLength < 0
        || keyLength > limit - keyAt
        || valueLength > limit - keyAt - keyLength) {
      return false;
    }
    valueAt = keyAt + keyLength;
    at = valueAt + valueLength;
    return true;
  }

  byte[] bytes() {
    return bytes;
  }

  boolean isTombstone() {
    return tombstone;
  }

  int keyAt() {
    return keyAt;
  }

  int keyLength() {
    return keyLength;
  }

  int valueAt() {
    return valueAt;
  }

  int valueLength() {
    return valueLength;
  }

  /** The {@code index}-th counter that the batch adds to. */
  long counter(int index) {
    return view.getLong(counterAt(index));
  }

  /** What it adds to it. */
  long counterDelta(int index) {
    return view.getLong(counterAt(index) + Long.BYTES);
  }

  private int counterAt(int index) {
    return limit - (counterDeltas() - index) * BatchFormat.COUNTER_BYTES;
  }

  /** Returns -1 if there is none. */
  private int varint() {
    int value = 0;
    for (int shift = 0; shift <= LAST_GROUP_SHIFT && at < limit; shift += 7) {
      byte group = bytes[at++];
      value |= (group & 0x7f) << shift;
      if (group >= 0) {
        return shift < LAST_GROUP_SHIFT || group <= LAST_GROUP_MAX ? value : -1;
      }
    }
    return -1;
  }
}
