package dev.varve.lsm.entry;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/** A cursor over a sorted list, which counts the entries it was moved to. */
final class ListCursor implements EntryCursor {

  record Entry(byte[] key, long sequence, boolean tombstone, byte[] value)
      implements Comparable<Entry> {
    @Override
    public int compareTo(Entry other) {
      int byKey = Arrays.compareUnsigned(key, other.key);
      return byKey != 0 ? byKey : Long.compare(other.sequence, sequence);
    }

    @Override
    public String toString() {
      return Arrays.toString(key) + "@" + sequence + (tombstone ? "-" : "+");
    }
  }

  private final List<Entry> entries;
  private int at = -1;
  int entriesMet;
  int seeks;

  ListCursor(List<Entry> entries) {
    this.entries = entries;
  }

  private boolean moveTo(int index) {
    at = index;
    if (isValid()) {
      entriesMet++;
    }
    return isValid();
  }

  Entry entry() {
    return entries.get(at);
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
  public boolean seek(byte[] key, int offset, int length, long sequence) {
    seeks++;
    return moveTo(firstNotBefore(key, offset, length, sequence));
  }

  @Override
  public boolean seekBefore(byte[] key, int offset, int length, long sequence) {
    seeks++;
    return moveTo(firstNotBefore(key, offset, length, sequence) - 1);
  }

  private int firstNotBefore(byte[] key, int offset, int length, long sequence) {
    byte[] sought = Arrays.copyOfRange(key, offset, offset + length);
    Entry target = new Entry(sought, sequence, false, new byte[0]);
    int low = 0;
    while (low < entries.size() && entries.get(low).compareTo(target) < 0) {
      low++;
    }
    return low;
  }

  @Override
  public boolean next() {
    return moveTo(at + 1);
  }

  @Override
  public boolean previous() {
    return moveTo(at - 1);
  }

  @Override
  public boolean isValid() {
    return at >= 0 && at < entries.size();
  }

  @Override
  public byte[] keyBuffer() {
    return entry().key();
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
    return ByteBuffer.wrap(entry().value());
  }

  @Override
  public int valueOffset() {
    return 0;
  }

  @Override
  public int valueLength() {
    return entry().value().length;
  }

  @Override
  public void close() {}
}
