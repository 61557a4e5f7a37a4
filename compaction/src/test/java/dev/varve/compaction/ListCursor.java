package dev.varve.compaction;

import dev.varve.lsm.entry.EntryCursor;
import dev.varve.lsm.entry.ReadFailure;
import dev.varve.lsm.table.PassReads;
import dev.varve.wal.CorruptionException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** A forward cursor over a sorted list in blocks: moving into another block counts as reading. */
final class ListCursor implements EntryCursor {
  static final int ENTRIES_PER_BLOCK = 16;
  private static final byte[] EMPTY = {};

  private final List<Entry> entries;
  private final PassReads counter;
  private final int damagedEntry;
  private int at = -1;
  private int block = -1;

  /** A cursor that fails at {@code damagedEntry}, if that is not negative. */
  ListCursor(List<Entry> entries, PassReads counter, int damagedEntry) {
    this.entries = entries;
    this.counter = counter;
    this.damagedEntry = damagedEntry;
  }

  private boolean moveTo(int index) {
    at = index;
    if (!isValid()) {
      return false;
    }
    if (at == damagedEntry) {
      throw new ReadFailure(new CorruptionException("table", at, "damaged by the test"));
    }
    if (at / ENTRIES_PER_BLOCK != block) {
      block = at / ENTRIES_PER_BLOCK;
      int end = Math.min(entries.size(), (block + 1) * ENTRIES_PER_BLOCK);
      entries
          .subList(block * ENTRIES_PER_BLOCK, end)
          .forEach(entry -> counter.read(entry.rawBytes()));
    }
    return true;
  }

  private Entry entry() {
    return entries.get(at);
  }

  @Override
  public boolean seekToFirst() {
    return moveTo(0);
  }

  @Override
  public boolean seek(byte[] key, int offset, int length, long sequence) {
    byte[] sought = Arrays.copyOfRange(key, offset, offset + length);
    int found = Collections.binarySearch(entries, new Entry(sought, sequence, false, EMPTY));
    return moveTo(found < 0 ? -found - 1 : found);
  }

  @Override
  public boolean next() {
    return moveTo(at + 1);
  }

  @Override
  public boolean seekToLast() {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean seekBefore(byte[] key, int offset, int length, long sequence) {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean previous() {
    throw new UnsupportedOperationException();
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
