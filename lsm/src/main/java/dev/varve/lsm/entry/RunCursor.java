package dev.varve.lsm.entry;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A walk over the disjoint sources of one run, such as the tables of a level, as if they were one.
 * For one thread; has one source open at a time, the one where it stands: what a seek goes past is
 * never opened.
 */
public abstract class RunCursor implements EntryCursor {
  private final int sources;
  private int at = -1;
  private @Nullable EntryCursor current;

  /**
   * @param sources how many there are, numbered from 0 in the order of their keys
   */
  protected RunCursor(int sources) {
    this.sources = sources;
  }

  /** Opens a walk over a source, to be closed when this leaves it. */
  protected abstract EntryCursor open(int source);

  /** The first source whose largest key is not before the key, or how many there are. */
  protected abstract int firstNotBefore(byte[] key, int offset, int length);

  @Override
  public boolean seekToFirst() {
    return enter(0) && (entered().seekToFirst() || nextSource());
  }

  @Override
  public boolean seekToLast() {
    return enter(sources - 1) && (entered().seekToLast() || previousSource());
  }

  @Override
  public boolean seek(byte[] key, int offset, int length, long sequence) {
    return enter(firstNotBefore(key, offset, length))
        && (entered().seek(key, offset, length, sequence) || nextSource());
  }

  @Override
  public boolean seekBefore(byte[] key, int offset, int length, long sequence) {
    int from = Math.min(firstNotBefore(key, offset, length), sources - 1);
    return enter(from) && (entered().seekBefore(key, offset, length, sequence) || previousSource());
  }

  @Override
  public boolean next() {
    return entered().next() || nextSource();
  }

  @Override
  public boolean previous() {
    return entered().previous() || previousSource();
  }

  @Override
  public boolean isValid() {
    return current != null && current.isValid();
  }

  @Override
  public EntryCursor source() {
    return entered().source();
  }

  @Override
  public byte[] keyBuffer() {
    return entered().keyBuffer();
  }

  @Override
  public int keyLength() {
    return entered().keyLength();
  }

  @Override
  public long sequence() {
    return entered().sequence();
  }

  @Override
  public boolean isTombstone() {
    return entered().isTombstone();
  }

  @Override
  public ByteBuffer valueBuffer() {
    return entered().valueBuffer();
  }

  @Override
  public int valueOffset() {
    return entered().valueOffset();
  }

  @Override
  public int valueLength() {
    return entered().valueLength();
  }

  @Override
  public void close() {
    leave();
  }

  private boolean nextSource() {
    while (enter(at + 1)) {
      if (entered().seekToFirst()) {
        return true;
      }
    }
    return false;
  }

  private boolean previousSource() {
    while (enter(at - 1)) {
      if (entered().seekToLast()) {
        return true;
      }
    }
    return false;
  }

  /** Makes a source the current one; false, and none is, when there is no such source. */
  private boolean enter(int source) {
    if (source == at && current != null) {
      return true;
    }
    leave();
    if (source < 0 || source >= sources) {
      return false;
    }
    current = open(source);
    at = source;
    return true;
  }

  private EntryCursor entered() {
    EntryCursor cursor = current;
    if (cursor == null) {
      throw new IllegalStateException("the cursor is not at an entry");
    }
    return cursor;
  }

  private void leave() {
    EntryCursor cursor = current;
    if (cursor != null) {
      current = null;
      cursor.close();
    }
  }
}
