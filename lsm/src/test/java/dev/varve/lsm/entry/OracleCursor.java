package dev.varve.lsm.entry;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/**
 * A walk over a sorted list of entries. It can be told to fail, and its buffers hold garbage
 * wherever the contract does not promise anything.
 */
public final class OracleCursor implements EntryCursor {
  private static final int VALUE_OFFSET = 3;

  private final List<Entry> entries;
  private int at = -1;
  private byte[] key = new byte[0];
  private ByteBuffer value = ByteBuffer.allocate(0);
  private boolean closed;

  /** Moves left until one throws {@link #failure}; negative: none will. */
  public int movesUntilFailure = -1;

  public RuntimeException failure = ColdBlockSignal.INSTANCE;

  public OracleCursor(List<Entry> sorted) {
    this.entries = sorted;
  }

  public boolean isClosed() {
    return closed;
  }

  @Override
  public boolean seekToFirst() {
    return moveTo(0);
  }

  @Override
  public boolean seekToLast() {
    return moveTo(entries.size() - 1);
  }

  @Override
  public boolean seek(byte[] target, int offset, int length, long sequence) {
    return moveTo(EntryWalk.firstNotBefore(entries, target, offset, length, sequence));
  }

  @Override
  public boolean seekBefore(byte[] target, int offset, int length, long sequence) {
    return moveTo(EntryWalk.firstNotBefore(entries, target, offset, length, sequence) - 1);
  }

  @Override
  public boolean next() {
    requireValid();
    return moveTo(at + 1);
  }

  @Override
  public boolean previous() {
    requireValid();
    return moveTo(at - 1);
  }

  private boolean moveTo(int index) {
    if (closed) {
      throw new IllegalStateException("closed");
    }
    at = -1;
    Arrays.fill(key, (byte) 0x55);
    if (movesUntilFailure >= 0 && movesUntilFailure-- == 0) {
      throw failure;
    }
    if (index < 0 || index >= entries.size()) {
      return false;
    }
    at = index;
    Entry entry = entries.get(index);
    // The key's buffer is longer than the key and is reused, as a real cursor's is.
    if (key.length < entry.key().length + 2) {
      key = new byte[entry.key().length + 2];
    }
    Arrays.fill(key, (byte) 0x55);
    System.arraycopy(entry.key(), 0, key, 0, entry.key().length);
    value = ByteBuffer.allocate(VALUE_OFFSET + entry.value().length + 1);
    value.put(VALUE_OFFSET, entry.value());
    return true;
  }

  private void requireValid() {
    if (at < 0) {
      throw new IllegalStateException("not at an entry");
    }
  }

  @Override
  public boolean isValid() {
    return at >= 0;
  }

  @Override
  public byte[] keyBuffer() {
    requireValid();
    return key;
  }

  @Override
  public int keyLength() {
    requireValid();
    return entries.get(at).key().length;
  }

  @Override
  public long sequence() {
    requireValid();
    return entries.get(at).sequence();
  }

  @Override
  public boolean isTombstone() {
    requireValid();
    return entries.get(at).tombstone();
  }

  @Override
  public ByteBuffer valueBuffer() {
    requireValid();
    return value;
  }

  @Override
  public int valueOffset() {
    requireValid();
    return VALUE_OFFSET;
  }

  @Override
  public int valueLength() {
    requireValid();
    return entries.get(at).value().length;
  }

  @Override
  public void close() {
    closed = true;
    at = -1;
  }
}
