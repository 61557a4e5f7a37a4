package dev.varve.lsm;

import java.nio.ByteBuffer;

/**
 * Walks the entries and counter deltas of one encoded batch ({@link BatchFormat}). For one thread;
 * reusable.
 *
 * <p>Lengths are checked before they are believed: a batch from a log passes the log's checksum
 * first, so what fails here was written wrong.
 */
final class BatchReader {
  private byte[] bytes = new byte[0];
  private ByteBuffer view = ByteBuffer.wrap(bytes);
  private int limit;
  private int at;

  private boolean tombstone;
  private int keyAt;
  private int keyLength;
  private int valueAt;
  private int valueLength;

  /** Begins with the batch in {@code bytes[0, length)}. */
  void reset(byte[] source, int length) {
    if (source != bytes) {
      bytes = source;
      view = ByteBuffer.wrap(source);
    }
    limit = length;
    at = BatchFormat.HEADER_BYTES;
    if (length < BatchFormat.HEADER_BYTES
        || reservedSequences() < 1
        || entries() < 0
        || counterDeltas() < 0
        || counterDeltas() > (length - BatchFormat.HEADER_BYTES) / BatchFormat.COUNTER_BYTES) {
      throw malformed();
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
    int kind = at < limit ? bytes[at++] : -1;
    tombstone = kind == BatchFormat.KIND_TOMBSTONE;
    if (!tombstone && kind != BatchFormat.KIND_VALUE) {
      throw malformed();
    }
    keyLength = varint();
    valueLength = tombstone ? 0 : varint();
    keyAt = at;
    if (keyLength > limit - keyAt || valueLength > limit - keyAt - keyLength) {
      throw malformed();
    }
    valueAt = keyAt + keyLength;
    at = valueAt + valueLength;
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

  private int varint() {
    int value = 0;
    for (int shift = 0; shift < 35 && at < limit; shift += 7) {
      byte group = bytes[at++];
      value |= (group & 0x7f) << shift;
      if (group >= 0) {
        if (value < 0) {
          break;
        }
        return value;
      }
    }
    throw malformed();
  }

  private static IllegalStateException malformed() {
    return new IllegalStateException("malformed batch");
  }
}
