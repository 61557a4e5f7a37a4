package dev.varve.server.resp;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Where replies are written: an array of its own that grows with them, up to a limit where there is
 * one. What shape they have is the encoder's.
 *
 * <p>Used by one thread at a time. {@link #mark} and {@link #rollback} take back a reply begun by a
 * command that did not come to its end.
 *
 * <p>A reply that is too long to be made whole leaves in pieces between {@link #stream} and {@link
 * #endStream}.
 */
public abstract sealed class ReplyBuffer permits RespEncoder {

  private static final int FIRST_BYTES = 16 * 1024;
  private static final int BYTES_MAX = Integer.MAX_VALUE - 16;

  byte[] bytes = new byte[FIRST_BYTES];
  int end;

  /** Of a reply that leaves in pieces; its first byte stays the first of the array then. */
  @Nullable LongReply streamed;

  /** Where a reply has become too long to go on, and what is thrown then; null without a limit. */
  private @Nullable RuntimeException tooLong;

  private int endMax;

  /** A reply that is encoded already. */
  public void raw(byte[] reply) {
    raw(reply, reply.length);
  }

  /** Replies that are encoded already: the first {@code length} bytes. */
  public void raw(byte[] replies, int length) {
    room(length);
    System.arraycopy(replies, 0, bytes, end, length);
    end += length;
  }

  /** Here: a place for {@link #rollback}. */
  public int mark() {
    return end;
  }

  /**
   * Takes back everything written since {@code mark}.
   *
   * @throws ReplyCutShortException when a part of that has left
   */
  public void rollback(int mark) {
    if (streamed != null) {
      streamed.rollback();
    }
    end = mark;
  }

  /**
   * From now on, until {@link #endStream} or {@link #clear}, what is written leaves by {@code sink}
   * whenever it fills a piece. For one reply, to an empty encoder. If {@link #mustRunAgain} says so
   * at its end, it has to be written once more.
   */
  public void stream(ReplySink sink) {
    streamed = new LongReply(sink);
  }

  /** Whether what is written leaves in pieces. */
  public boolean isStreaming() {
    return streamed != null;
  }

  /** Who writes waits for others; who takes the pieces may do something else for so long. */
  public void pauses() {
    if (streamed != null) {
      streamed.sink().pauses();
    }
  }

  /** It does no longer. */
  public void goesOn() {
    if (streamed != null) {
      streamed.sink().goesOn();
    }
  }

  /**
   * Looks whether a reply that leaves in pieces is still wanted.
   *
   * @throws ReplyCutShortException when it is not
   */
  public void check() {
    if (streamed != null) {
      streamed.sink().check();
    }
  }

  /** Nothing of this reply is to leave. */
  public void discard() {
    if (streamed != null) {
      streamed.discard();
    }
  }

  /** Whether sizes were missing that are known now: the reply is begun again, and written again. */
  public boolean mustRunAgain() {
    if (streamed == null || !streamed.mustRunAgain()) {
      return false;
    }
    streamed.runAgain();
    end = 0;
    return true;
  }

  /** Sends what is left of the reply. */
  public void endStream() {
    if (streamed != null) {
      streamed.end();
    }
    pass();
    clear(LongReply.PIECE_BYTES);
  }

  /** How long the pieces sent so far had to wait for room. */
  public long waitedNanos() {
    return streamed == null ? 0 : streamed.waitedNanos();
  }

  /**
   * From now on, until {@link #unlimit}, throws {@code tooLong} at about {@code endMax} bytes: when
   * it would have to grow beyond.
   */
  public void limit(int newEndMax, RuntimeException signal) {
    endMax = newEndMax;
    tooLong = signal;
  }

  /**
   * A string of so many bytes at least is being made, which comes next: one that is too long need
   * not be made to its end.
   */
  public void expect(long bulkBytes) {
    if (tooLong != null && end + bulkBytes > endMax) {
      throw tooLong;
    }
  }

  /** Replies can be as long as an array again. */
  public void unlimit() {
    tooLong = null;
  }

  /** Bytes written and not cleared. */
  public int length() {
    return end;
  }

  /** The array that holds the replies, from 0 to {@link #length()}; it changes with every write. */
  public byte[] array() {
    return bytes;
  }

  /** A copy of everything written. */
  public byte[] toByteArray() {
    return Arrays.copyOf(bytes, end);
  }

  /** The byte written at {@code index}. */
  public byte byteAt(int index) {
    return bytes[index];
  }

  /** Gives the array away and begins with another. */
  public byte[] detach() {
    byte[] detached = bytes;
    bytes = new byte[FIRST_BYTES];
    end = 0;
    return detached;
  }

  /** Forgets everything written, and room beyond {@code keepBytesMax}. */
  public void clear(int keepBytesMax) {
    streamed = null;
    end = 0;
    if (bytes.length > Math.max(keepBytesMax, FIRST_BYTES)) {
      bytes = new byte[FIRST_BYTES];
    }
  }

  /** Makes room for so many bytes behind the end. */
  final void room(long more) {
    long needed = end + more;
    if (needed > bytes.length) {
      grow(needed);
    }
  }

  /** These bytes at the end, where what is full leaves. For a reply that leaves in pieces. */
  final void inPieces(byte[] value, int from, int length) {
    int at = from;
    while (at < from + length) {
      if (end >= LongReply.PIECE_BYTES) {
        pass();
      }
      int part = Math.min(LongReply.PIECE_BYTES - end, from + length - at);
      room(part);
      System.arraycopy(value, at, bytes, end, part);
      end += part;
      at += part;
    }
  }

  private void grow(long toEnd) {
    long needed = toEnd;
    if (streamed != null && needed > LongReply.PIECE_BYTES) {
      needed -= end;
      pass();
      needed += end;
      if (needed <= bytes.length) {
        return;
      }
    }
    if (tooLong != null && needed > endMax) {
      throw tooLong;
    }
    if (needed > BYTES_MAX) {
      throw new ReplyTooLargeException(needed);
    }
    bytes = Arrays.copyOf(bytes, (int) Math.min(BYTES_MAX, Math.max(needed, 2L * bytes.length)));
  }

  final void pass() {
    LongReply its = streamed;
    if (its == null || end == 0) {
      return;
    }
    byte first = bytes[0];
    if (its.pass(bytes, its.hasPassed() ? 1 : 0, end) || bytes.length > LongReply.PIECE_BYTES) {
      bytes = new byte[LongReply.PIECE_BYTES];
      bytes[0] = first;
    }
    end = 1;
  }
}
