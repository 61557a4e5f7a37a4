package dev.varve.server.engine;

import dev.varve.codec.store.StepMeter;
import dev.varve.codec.store.StoreCursor;
import dev.varve.lsm.entry.VisibleCursor;
import java.util.Arrays;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A walk over a snapshot, as codec sees it: its keys and values stay as they are. For one thread.
 */
final class TreeViewCursor implements StoreCursor {
  private final VisibleCursor cursor;
  private final IntConsumer room;
  private final StepMeter meter;
  private byte @Nullable [] key;
  private byte @Nullable [] value;

  /**
   * @param room is told how long a value is before it is copied
   * @param meter is told of each step
   */
  TreeViewCursor(VisibleCursor cursor, IntConsumer room, StepMeter meter) {
    this.cursor = cursor;
    this.room = room;
    this.meter = meter;
  }

  @Override
  public void within(byte[] from, byte[] end) {
    forget();
    cursor.within(from, end);
  }

  @Override
  public boolean seek(byte[] wanted) {
    meter.step();
    forget();
    return cursor.seek(wanted);
  }

  @Override
  public boolean seekBefore(byte[] wanted) {
    meter.step();
    forget();
    return cursor.seekBefore(wanted);
  }

  @Override
  public boolean next() {
    meter.step();
    forget();
    return cursor.isValid() && cursor.next();
  }

  @Override
  public boolean previous() {
    meter.step();
    forget();
    return cursor.isValid() && cursor.previous();
  }

  @Override
  public boolean isValid() {
    return cursor.isValid();
  }

  @Override
  public byte[] key() {
    byte[] copy = key;
    if (copy == null) {
      requireValid();
      copy = cursor.copyKey();
      key = copy;
    }
    return copy;
  }

  @Override
  public byte[] value() {
    byte[] copy = value;
    if (copy == null) {
      requireValid();
      room.accept(cursor.valueLength());
      copy = cursor.copyValue();
      value = copy;
    }
    return copy;
  }

  @Override
  public byte[] valueStart(int bytes) {
    requireValid();
    return value == null && cursor.valueLength() > bytes ? cursor.copyValueStart(bytes) : value();
  }

  @Override
  public int compareKey(byte[] other) {
    requireValid();
    byte[] its = cursor.keyBuffer();
    return Arrays.compareUnsigned(its, 0, cursor.keyLength(), other, 0, other.length);
  }

  @Override
  public int valueLength() {
    requireValid();
    return cursor.valueLength();
  }

  /** Where the key is that it is on, from its start on; others may follow it there. */
  byte[] keyBuffer() {
    requireValid();
    return cursor.keyBuffer();
  }

  /** How long that is. */
  int keyLength() {
    return cursor.keyLength();
  }

  @Override
  public void close() {
    cursor.close();
  }

  private void requireValid() {
    if (!cursor.isValid()) {
      throw new IllegalStateException("the cursor is on no entry");
    }
  }

  private void forget() {
    key = null;
    value = null;
  }
}
