package dev.varve.lsm.entry;

import java.nio.ByteBuffer;

/** A walk over nothing. It has no state, so one instance serves all threads. */
final class EmptyCursor implements EntryCursor {
  static final EmptyCursor INSTANCE = new EmptyCursor();

  private EmptyCursor() {}

  @Override
  public boolean seekToFirst() {
    return false;
  }

  @Override
  public boolean seekToLast() {
    return false;
  }

  @Override
  public boolean seek(byte[] key, int offset, int length, long sequence) {
    return false;
  }

  @Override
  public boolean seekBefore(byte[] key, int offset, int length, long sequence) {
    return false;
  }

  @Override
  public boolean next() {
    throw notAtAnEntry();
  }

  @Override
  public boolean previous() {
    throw notAtAnEntry();
  }

  @Override
  public boolean isValid() {
    return false;
  }

  @Override
  public byte[] keyBuffer() {
    throw notAtAnEntry();
  }

  @Override
  public int keyLength() {
    throw notAtAnEntry();
  }

  @Override
  public long sequence() {
    throw notAtAnEntry();
  }

  @Override
  public boolean isTombstone() {
    throw notAtAnEntry();
  }

  @Override
  public ByteBuffer valueBuffer() {
    throw notAtAnEntry();
  }

  @Override
  public int valueOffset() {
    throw notAtAnEntry();
  }

  @Override
  public int valueLength() {
    throw notAtAnEntry();
  }

  @Override
  public void close() {}

  private static IllegalStateException notAtAnEntry() {
    return new IllegalStateException("the cursor is not at an entry");
  }
}
