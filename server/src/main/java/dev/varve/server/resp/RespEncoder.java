package dev.varve.server.resp;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Writes replies, in the shape of RESP2 or RESP3, into an array of its own that grows with them.
 *
 * <p>Used by one thread at a time. {@link #mark} and {@link #rollback} take back a reply begun by a
 * command that did not come to its end.
 *
 * <p>An aggregate is announced by its size, then its elements follow as replies of their own. When
 * the size is known only afterwards: {@code int at = reply.mark(); …; reply.insertArray(at, n)}.
 */
public final class RespEncoder {

  /** The oldest and the newest version of the protocol that clients can choose. */
  public static final int PROTOCOL_MIN = 2;

  public static final int PROTOCOL_MAX = 3;

  private static final int FIRST_BYTES = 16 * 1024;
  private static final int BYTES_MAX = Integer.MAX_VALUE - 16;

  /** The longest header: type, minus, 19 digits, line end. */
  private static final int HEADER_BYTES_MAX = 1 + IntegerText.BYTES_MAX + 2;

  private static final byte[] OK = ascii("+OK\r\n");
  private static final byte[] NULL_BULK = ascii("$-1\r\n");
  private static final byte[] NULL_ARRAY = ascii("*-1\r\n");
  private static final byte[] NULL = ascii("_\r\n");
  private static final byte[] TRUE = ascii("#t\r\n");
  private static final byte[] FALSE = ascii("#f\r\n");
  private static final byte[] LINE_END = ascii("\r\n");

  private byte[] bytes = new byte[FIRST_BYTES];
  private int end;
  private int protocol = PROTOCOL_MIN;

  /** Where a reply has become too long to go on, and what is thrown then; null without a limit. */
  private @Nullable RuntimeException tooLong;

  private int endMax;

  /** Writes in this version of the protocol from now on, 2 or 3. */
  public void protocol(int version) {
    protocol = version;
  }

  public int protocol() {
    return protocol;
  }

  /** {@code +OK}. */
  public void ok() {
    raw(OK);
  }

  /** A simple string: ASCII without line ends. */
  public void status(String text) {
    room(text.length() + 3);
    bytes[end++] = '+';
    putAscii(text);
    putLineEnd();
  }

  /** An error: its code, a space, the text. Line ends in it become spaces. */
  public void error(String codeAndText) {
    byte[] text = codeAndText.getBytes(StandardCharsets.UTF_8);
    room(text.length + 3);
    bytes[end++] = '-';
    for (byte letter : text) {
      bytes[end++] = letter == '\r' || letter == '\n' ? (byte) ' ' : letter;
    }
    putLineEnd();
  }

  /** The same from bytes, for texts that quote what a client sent. */
  public void error(byte[] codeAndText) {
    room(codeAndText.length + 3);
    bytes[end++] = '-';
    for (byte letter : codeAndText) {
      bytes[end++] = letter == '\r' || letter == '\n' ? (byte) ' ' : letter;
    }
    putLineEnd();
  }

  public void integer(long value) {
    header(':', value);
  }

  /** A bulk string of these bytes. */
  public void bulk(byte[] value) {
    bulk(value, 0, value.length);
  }

  /** A bulk string of {@code value[from, from + length)}. */
  public void bulk(byte[] value, int from, int length) {
    room(HEADER_BYTES_MAX + length + 2L);
    putHeader('$', length);
    System.arraycopy(value, from, bytes, end, length);
    end += length;
    putLineEnd();
  }

  /** A bulk string of this text in UTF-8. */
  public void bulk(String text) {
    bulk(text.getBytes(StandardCharsets.UTF_8));
  }

  /** A bulk string of this number in decimal. */
  public void bulk(long value) {
    room(2L * HEADER_BYTES_MAX);
    putHeader('$', IntegerText.length(value));
    end = IntegerText.write(value, bytes, end);
    putLineEnd();
  }

  /** No value, where a bulk string would be. */
  public void nullBulk() {
    raw(protocol == 2 ? NULL_BULK : NULL);
  }

  /** No value, where an array would be. */
  public void nullArray() {
    raw(protocol == 2 ? NULL_ARRAY : NULL);
  }

  /** Announces {@code size} elements. */
  public void array(long size) {
    header('*', size);
  }

  /** Announces {@code size} pairs of key and value; in RESP2 an array of twice as many. */
  public void map(long size) {
    header(mapType(), mapSize(size));
  }

  /** Announces {@code size} members; in RESP2 an array. */
  public void set(long size) {
    header(setType(), size);
  }

  /** Announces a message of {@code size} elements that is no reply; in RESP2 an array. */
  public void push(long size) {
    header(protocol == 2 ? '*' : '>', size);
  }

  /** A double with 17 significant digits; in RESP2 a bulk string. */
  public void real(double value) {
    byte[] text = DoubleText.of(value);
    if (protocol == 2) {
      bulk(text);
    } else {
      line(',', text);
    }
  }

  /** A double with 17 decimals, but for zeroes at the end; in RESP2 a bulk string. */
  public void decimal(double value) {
    byte[] text = DoubleText.decimal(value);
    if (protocol == 2) {
      bulk(text);
    } else {
      line(',', text);
    }
  }

  /** A truth value; in RESP2 the integer 1 or 0. */
  public void bool(boolean value) {
    if (protocol == 2) {
      integer(value ? 1 : 0);
    } else {
      raw(value ? TRUE : FALSE);
    }
  }

  /** An integer of any size in decimal; in RESP2 a bulk string. */
  public void bigNumber(String digits) {
    byte[] text = digits.getBytes(StandardCharsets.US_ASCII);
    if (protocol == 2) {
      bulk(text);
    } else {
      line('(', text);
    }
  }

  /**
   * Text for people, {@code format} being three letters such as "txt"; in RESP2 a bulk string
   * without the format.
   */
  public void verbatim(String format, byte[] text) {
    if (protocol == 2) {
      bulk(text);
      return;
    }
    room(2L * HEADER_BYTES_MAX + text.length);
    putHeader('=', format.length() + 1L + text.length);
    putAscii(format);
    bytes[end++] = ':';
    System.arraycopy(text, 0, bytes, end, text.length);
    end += text.length;
    putLineEnd();
  }

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

  /** Here: a place for {@link #rollback} and the {@code insert} methods. */
  public int mark() {
    return end;
  }

  /** Takes back everything written since {@code mark}. */
  public void rollback(int mark) {
    end = mark;
  }

  /** Makes what was written since {@code mark} an array of {@code size} elements. */
  public void insertArray(int mark, long size) {
    insert(mark, '*', size);
  }

  /** Makes what was written since {@code mark} a map of {@code size} pairs. */
  public void insertMap(int mark, long size) {
    insert(mark, mapType(), mapSize(size));
  }

  /** Makes what was written since {@code mark} a set of {@code size} members. */
  public void insertSet(int mark, long size) {
    insert(mark, setType(), size);
  }

  /**
   * From now on, until {@link #unlimit}, throws {@code tooLong} at about {@code endMax} bytes: when
   * it would have to grow beyond.
   */
  public void limit(int newEndMax, RuntimeException signal) {
    endMax = newEndMax;
    tooLong = signal;
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
    end = 0;
    if (bytes.length > Math.max(keepBytesMax, FIRST_BYTES)) {
      bytes = new byte[FIRST_BYTES];
    }
  }

  private char mapType() {
    return protocol == 2 ? '*' : '%';
  }

  private long mapSize(long pairs) {
    return protocol == 2 ? 2 * pairs : pairs;
  }

  private char setType() {
    return protocol == 2 ? '*' : '~';
  }

  private void insert(int mark, char type, long size) {
    int shift = 1 + IntegerText.length(size) + LINE_END.length;
    room(shift);
    System.arraycopy(bytes, mark, bytes, mark + shift, end - mark);
    int after = end + shift;
    end = mark;
    putHeader(type, size);
    end = after;
  }

  private void header(char type, long value) {
    room(HEADER_BYTES_MAX);
    putHeader(type, value);
  }

  private void putHeader(char type, long value) {
    bytes[end++] = (byte) type;
    end = IntegerText.write(value, bytes, end);
    putLineEnd();
  }

  private void line(char type, byte[] text) {
    room(text.length + 3);
    bytes[end++] = (byte) type;
    System.arraycopy(text, 0, bytes, end, text.length);
    end += text.length;
    putLineEnd();
  }

  private void putAscii(String text) {
    for (int i = 0; i < text.length(); i++) {
      bytes[end++] = (byte) text.charAt(i);
    }
  }

  private void putLineEnd() {
    bytes[end++] = '\r';
    bytes[end++] = '\n';
  }

  private void room(long more) {
    long needed = end + more;
    if (needed > bytes.length) {
      grow(needed);
    }
  }

  private void grow(long needed) {
    if (tooLong != null && needed > endMax) {
      throw tooLong;
    }
    if (needed > BYTES_MAX) {
      throw new ReplyTooLargeException(needed);
    }
    bytes = Arrays.copyOf(bytes, (int) Math.min(BYTES_MAX, Math.max(needed, 2L * bytes.length)));
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
