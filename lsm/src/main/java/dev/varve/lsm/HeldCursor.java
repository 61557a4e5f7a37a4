package dev.varve.lsm;

import dev.varve.lsm.entry.EntryCursor;
import java.nio.ByteBuffer;

/** A cursor that holds a tree state, so that the tables it walks stay open until it is closed. */
final class HeldCursor implements EntryCursor {
  private final EntryCursor cursor;
  private final TreeState held;
  private boolean closed;

  /** Takes over a reference on {@code held}. */
  HeldCursor(EntryCursor cursor, TreeState held) {
    this.cursor = cursor;
    this.held = held;
  }

  @Override
  public boolean seekToFirst() {
    return cursor.seekToFirst();
  }

  @Override
  public boolean seekToLast() {
    return cursor.seekToLast();
  }

  @Override
  public boolean seek(byte[] key, int offset, int length, long sequence) {
    return cursor.seek(key, offset, length, sequence);
  }

  @Override
  public boolean seekBefore(byte[] key, int offset, int length, long sequence) {
    return cursor.seekBefore(key, offset, length, sequence);
  }

  @Override
  public boolean next() {
    return cursor.next();
  }

  @Override
  public boolean previous() {
    return cursor.previous();
  }

  @Override
  public boolean isValid() {
    return cursor.isValid();
  }

  @Override
  public EntryCursor source() {
    return cursor.source();
  }

  @Override
  public byte[] keyBuffer() {
    return cursor.keyBuffer();
  }

  @Override
  public int keyLength() {
    return cursor.keyLength();
  }

  @Override
  public long sequence() {
    return cursor.sequence();
  }

  @Override
  public boolean isTombstone() {
    return cursor.isTombstone();
  }

  @Override
  public ByteBuffer valueBuffer() {
    return cursor.valueBuffer();
  }

  @Override
  public int valueOffset() {
    return cursor.valueOffset();
  }

  @Override
  public int valueLength() {
    return cursor.valueLength();
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      cursor.close();
      held.release();
    }
  }
}
