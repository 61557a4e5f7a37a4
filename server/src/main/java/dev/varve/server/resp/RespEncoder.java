package dev.varve.server.resp;

import dev.varve.codec.format.IntegerText;
import java.nio.charset.StandardCharsets;

/**
 * Writes replies, in the shape of RESP2 or RESP3, into the array of a {@link ReplyBuffer}.
 *
 * <p>Used by one thread at a time.
 *
 * <p>An aggregate is announced by its size, then its elements follow as replies of their own. When
 * the size is known only afterwards: {@code int at = reply.open(); …; reply.insertArray(at, n)}.
 */
public final class RespEncoder extends ReplyBuffer {

  /** The oldest and the newest version of the protocol that clients can choose. */
  public static final int PROTOCOL_MIN = 2;

  public static final int PROTOCOL_MAX = 3;

  /** The longest header: type, minus, 19 digits, line end. */
  private static final int HEADER_BYTES_MAX = 1 + IntegerText.BYTES_MAX + 2;

  /** A bulk string that fits into a piece, with its header and line end, behind the first byte. */
  private static final int PIECE_BULK_BYTES_MAX = LongReply.PIECE_BYTES - HEADER_BYTES_MAX - 3;

  /** Made with the first encoder, when the server starts, and not by a loop's first reply. */
  private static final BulkHeaders BULK_HEADERS = new BulkHeaders();

  private static final byte[] OK = ascii("+OK\r\n");
  private static final byte[] NULL_BULK = ascii("$-1\r\n");
  private static final byte[] NULL_ARRAY = ascii("*-1\r\n");
  private static final byte[] NULL = ascii("_\r\n");
  private static final byte[] TRUE = ascii("#t\r\n");
  private static final byte[] FALSE = ascii("#f\r\n");
  private static final byte[] LINE_END = ascii("\r\n");
  private static final byte[] ZEROES = new byte[4096];

  private int protocol = PROTOCOL_MIN;

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

  /**
   * An error: its code, a space, the text. Line ends behind it are left out, others in it become
   * spaces.
   */
  public void error(String codeAndText) {
    error(codeAndText.getBytes(StandardCharsets.UTF_8));
  }

  /** The same from bytes, for texts that quote what a client sent. */
  public void error(byte[] codeAndText) {
    int length = codeAndText.length;
    while (length > 0 && isOfLineEnd(codeAndText[length - 1])) {
      length--;
    }
    room(length + 3);
    bytes[end++] = '-';
    for (int i = 0; i < length; i++) {
      bytes[end++] = isOfLineEnd(codeAndText[i]) ? (byte) ' ' : codeAndText[i];
    }
    putLineEnd();
  }

  private static boolean isOfLineEnd(byte letter) {
    return letter == '\r' || letter == '\n';
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
    if (streamed != null && length > PIECE_BULK_BYTES_MAX) {
      // The value is there already: to make an array of all of the reply would take it once more.
      beginBulk(length);
      inPieces(value, from, length);
      endBulk();
      return;
    }
    room(HEADER_BYTES_MAX + 2L + length);
    if (length < BulkHeaders.LENGTHS) {
      end = BULK_HEADERS.put(length, bytes, end);
    } else {
      putHeader('$', length);
    }
    System.arraycopy(value, from, bytes, end, length);
    end += length;
    putLineEnd();
  }

  /**
   * A bulk string of so many bytes begins, which come by {@link #part} and {@link #zeroes}; {@link
   * #endBulk} follows. Where it is too long that is known before any of them is there.
   */
  public void beginBulk(int length) {
    if (streamed != null && length > PIECE_BULK_BYTES_MAX) {
      streamed.announce(length);
      header('$', length);
    } else {
      room(HEADER_BYTES_MAX + 2L + length);
      putHeader('$', length);
    }
  }

  /** The next bytes of it, {@code array[from, from + length)}. */
  public void part(byte[] array, int from, int length) {
    if (streamed != null) {
      inPieces(array, from, length);
    } else {
      System.arraycopy(array, from, bytes, end, length);
      end += length;
    }
  }

  /** So many bytes of it are 0. */
  public void zeroes(int count) {
    int left = count;
    while (left > 0) {
      int length = Math.min(left, ZEROES.length);
      part(ZEROES, 0, length);
      left -= length;
    }
  }

  /** That was all of it. */
  public void endBulk() {
    room(2);
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

  /**
   * An aggregate begins here, the size of which follows: for one of the {@code insert} methods, or
   * for none if nothing follows at all.
   */
  public int open() {
    if (streamed == null) {
      return end;
    }
    if (!streamed.isCounted()) {
      return streamed.open(end);
    }
    int aggregate = streamed.reopen();
    if (!streamed.isEmpty(aggregate)) {
      header(streamed.type(aggregate), streamed.size(aggregate));
    }
    return aggregate;
  }

  /** Makes what was written since {@link #open} an array of {@code size} elements. */
  public void insertArray(int aggregate, long size) {
    insert(aggregate, '*', size);
  }

  /** Makes what was written since {@link #open} a map of {@code size} pairs. */
  public void insertMap(int aggregate, long size) {
    insert(aggregate, mapType(), mapSize(size));
  }

  /** Makes what was written since {@link #open} a set of {@code size} members. */
  public void insertSet(int aggregate, long size) {
    insert(aggregate, setType(), size);
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

  private void insert(int aggregate, char type, long size) {
    int shift = 1 + IntegerText.length(size) + LINE_END.length;
    // First, because a piece that leaves now leaves without the header.
    room(shift);
    int mark = aggregate;
    if (streamed != null) {
      if (!streamed.close(aggregate, type, size)) {
        return;
      }
      mark = streamed.mark(aggregate);
    }
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

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
