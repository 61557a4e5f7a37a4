package dev.varve.lsm.entry;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A walk over a sorted list of entries, which may grow beside it. It can be told to fail, and its
 * buffers hold garbage wherever the contract does not promise anything.
 */
public final class OracleCursor implements EntryCursor {
  private static final int VALUE_OFFSET = 3;

  private final List<Entry> entries;
  private @Nullable Entry at;
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
    return moveTo(place() + 1);
  }

  @Override
  public boolean previous() {
    return moveTo(place() - 1);
  }

  private boolean moveTo(int index) {
    if (closed) {
      throw new IllegalStateException("closed");
    }
    at = null;
    Arrays.fill(key, (byte) 0x55);
    if (movesUntilFailure >= 0 && movesUntilFailure-- == 0) {
      throw failure;
    }
    if (index < 0 || index >= entries.size()) {
      return false;
    }
    Entry entry = entries.get(index);
    at = entry;
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

  private Entry entry() {
    if (at == null) {
      throw new IllegalStateException("not at an entry");
    }
    return at;
  }

  /** Where the current entry is now: the list may have grown. */
  private int place() {
    Entry entry = entry();
    return EntryWalk.firstNotBefore(entries, entry.key(), 0, entry.key().length, entry.sequence());
  }

  @Override
  public boolean isValid() {
    return at != null;
  }

  @Override
  public byte[] keyBuffer() {
    entry();
    return key;
  }

  @Override
  public int keyLength() {
    return entry().key().length;
  }

  @Override
  public long sequence() {
    return entry().sequence();
  }

  @Override
  public boolean isTombstone() {
    return entry().tombstone();
  }

  @Override
  public ByteBuffer valueBuffer() {
    entry();
    return value;
  }

  @Override
  public int valueOffset() {
    entry();
    return VALUE_OFFSET;
  }

  @Override
  public int valueLength() {
    return entry().value().length;
  }

  @Override
  public void close() {
    closed = true;
    at = null;
  }
}
