package dev.varve.server.resp;

import dev.varve.codec.format.IntegerText;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;

/**
 * Turns the bytes of one connection into requests, however they are split over reads.
 *
 * <p>Used by the connection's event loop only. It never allocates by an announced size: an
 * argument's array grows with the bytes that really came, and an array of arguments with the
 * arguments.
 */
public final class RespDecoder {

  /**
   * The longest inline request, and the longest line that announces a count or length, in bytes.
   */
  public static final int LINE_BYTES_MAX = 64 * 1024;

  /** The most parts one request can announce. */
  public static final int PARTS_MAX = Integer.MAX_VALUE;

  /** The longest argument, in bytes, unless configured otherwise: Redis's proto-max-bulk-len. */
  public static final int BULK_BYTES_MAX_DEFAULT = 512 * 1024 * 1024;

  /**
   * An argument that is no longer is never refused for its length: the least limit there can be.
   */
  public static final int BULK_BYTES_MAX_LEAST = 1024 * 1024;

  /** What a client that has not authenticated may announce. */
  static final int UNAUTHENTICATED_PARTS_MAX = 10;

  static final int UNAUTHENTICATED_BULK_BYTES_MAX = 16 * 1024;

  private static final int FIRST_PARTS_MAX = 16;

  /** An array's header and padding, and a reference in a list that has been grown to twice that. */
  private static final int PART_OVERHEAD_BYTES = 40;

  /** A request, its array of arguments, and its place among others. */
  private static final int REQUEST_OVERHEAD_BYTES = 64;

  /**
   * An argument's array is at first as long as what has come of it, or so long, and then at most so
   * many times what has come.
   */
  private static final int FIRST_BULK_BYTES_MAX = 4 * 1024;

  private static final int BULK_GROWTH = 4;
  private static final byte[][] NO_PARTS = {};
  private static final byte[] NO_BYTES = {};

  private enum State {
    REQUEST_START,
    INLINE_LINE,
    COUNT_LINE,
    LENGTH_LINE,
    BULK_BODY,
    BULK_END_FIRST,
    BULK_END_SECOND,
    BROKEN
  }

  private final byte[] scratch;
  private final BooleanSupplier unauthenticated;
  private final IntSupplier bulkBytesMax;

  private State state = State.REQUEST_START;

  /** Whether it stops behind the request that it has just handed over. */
  private boolean isPaused;

  /** The beginning of a line whose end has not come yet. */
  private byte[] line = NO_BYTES;

  private int lineBytes;

  private byte[][] parts = NO_PARTS;
  private int partsHere;

  /** What those that are here take, their arrays and the references to them too. */
  private long partBytes;

  /** What the requests take that were handed over since somebody asked. */
  private long requestBytes;

  private int partsAnnounced;

  /** The argument being filled, as far as it has come. */
  private byte[] bulk = NO_BYTES;

  private int bulkBytesHere;
  private int bulkBytesAnnounced;

  /**
   * @param scratch room to look at bytes of off-heap buffers; every decoder of one thread may share
   *     it
   * @param unauthenticated whether the client still has to authenticate: it may announce little
   *     then
   * @param bulkBytesMax the longest argument, in bytes, and not below {@link
   *     #BULK_BYTES_MAX_LEAST}; asked for longer ones than that, since it can change
   */
  public RespDecoder(byte[] scratch, BooleanSupplier unauthenticated, IntSupplier bulkBytesMax) {
    this.scratch = scratch;
    this.unauthenticated = unauthenticated;
    this.bulkBytesMax = bulkBytesMax;
  }

  /**
   * Consumes all of {@code in} and hands every request that ends in it to {@code sink}, unless that
   * calls {@link #pause}. After a protocol error, bytes are consumed and ignored.
   */
  public void decode(ByteBuf in, RequestSink sink) {
    isPaused = false;
    while (in.isReadable() && !isPaused) {
      if (state == State.BULK_BODY) {
        readBody(in);
      } else if (in.hasArray()) {
        int from = in.arrayOffset() + in.readerIndex();
        int used = decode(in.array(), from, from + in.readableBytes(), sink) - from;
        in.skipBytes(used);
      } else {
        int bytes = Math.min(in.readableBytes(), scratch.length);
        in.getBytes(in.readerIndex(), scratch, 0, bytes);
        in.skipBytes(decode(scratch, 0, bytes, sink));
      }
    }
    // A body that ends exactly with the buffer is complete, but its line end is still to come.
  }

  /**
   * Leaves what is behind the request that is being handed over where it is, for another call of
   * {@link #decode}. Of {@link RequestSink#request} only.
   */
  public void pause() {
    isPaused = true;
  }

  /** What has come of an unfinished request, in bytes of the heap. */
  public long bytesHeld() {
    return lineBytes + partBytes + bulkBytesHere;
  }

  /** The same with the room for what is still to come of it. */
  public long heapBytesHeld() {
    return line.length + partBytes + bulk.length;
  }

  /** The same with all of the argument that is under way; of those behind it nothing is known. */
  public long heapBytesAnnounced() {
    int its = state == State.BULK_BODY ? bulkBytesAnnounced : bulk.length;
    return line.length + partBytes + its;
  }

  /** About what those requests take, in bytes of the heap, that were handed over since the last. */
  public long takeRequestBytes() {
    long bytes = requestBytes;
    requestBytes = 0;
    return bytes;
  }

  /**
   * Goes on from {@code from}; returns where it stopped: at {@code to}, within a long body, or
   * behind a request.
   */
  private int decode(byte[] in, int from, int to, RequestSink sink) {
    int at = from;
    while (at < to && !isPaused) {
      switch (state) {
        case REQUEST_START:
          if (in[at] == '*') {
            at++;
            state = State.COUNT_LINE;
          } else {
            state = State.INLINE_LINE;
          }
          break;
        case INLINE_LINE:
          at = inlineLine(in, at, to, sink);
          break;
        case COUNT_LINE:
          at = announcement(in, at, to, sink, "too big mbulk count string");
          break;
        case LENGTH_LINE:
          at = announcement(in, at, to, sink, "too big bulk count string");
          break;
        case BULK_BODY:
          if (bulkBytesHere > 0 || to - at < bulkBytesAnnounced) {
            int taken = Math.min(to - at, bulkBytesAnnounced - bulkBytesHere);
            makeRoom(taken);
            System.arraycopy(in, at, bulk, bulkBytesHere, taken);
            bulkBytesHere += taken;
            at += taken;
            bodyGrew();
            return at;
          }
          bulk = Arrays.copyOfRange(in, at, at + bulkBytesAnnounced);
          bulkBytesHere = bulkBytesAnnounced;
          at += bulkBytesAnnounced;
          bodyGrew();
          break;
        case BULK_END_FIRST:
          // Redis skips two bytes here, whatever they are.
          at++;
          state = State.BULK_END_SECOND;
          break;
        case BULK_END_SECOND:
          at++;
          bulkEnds(sink);
          break;
        case BROKEN:
          return to;
      }
    }
    return at;
  }

  private void readBody(ByteBuf in) {
    int taken = Math.min(in.readableBytes(), bulkBytesAnnounced - bulkBytesHere);
    makeRoom(taken);
    in.readBytes(bulk, bulkBytesHere, taken);
    bulkBytesHere += taken;
    bodyGrew();
  }

  private void makeRoom(int bytes) {
    int needed = bulkBytesHere + bytes;
    if (bulk.length < needed || bulkBytesHere == 0) {
      // Many may have sent the beginning of something long, and be made to wait with that.
      long grown = bulkBytesHere == 0 ? needed : (long) needed * BULK_GROWTH;
      grown = Math.max(grown, FIRST_BULK_BYTES_MAX);
      bulk = Arrays.copyOf(bulk, (int) Math.min(grown, bulkBytesAnnounced));
    }
  }

  private void bodyGrew() {
    if (bulkBytesHere == bulkBytesAnnounced) {
      state = State.BULK_END_FIRST;
    }
  }

  private void bulkEnds(RequestSink sink) {
    if (partsHere == parts.length) {
      parts =
          Arrays.copyOf(parts, Math.min(partsAnnounced, Math.max(FIRST_PARTS_MAX, 2 * partsHere)));
    }
    parts[partsHere++] = bulk;
    partBytes += bulk.length + PART_OVERHEAD_BYTES;
    bulk = NO_BYTES;
    bulkBytesHere = 0;
    if (partsHere < partsAnnounced) {
      state = State.LENGTH_LINE;
      return;
    }
    Args args = new Args(parts, partsHere);
    requestBytes += partBytes + REQUEST_OVERHEAD_BYTES;
    parts = NO_PARTS;
    partsHere = 0;
    partBytes = 0;
    state = State.REQUEST_START;
    sink.request(args);
  }

  private int inlineLine(byte[] in, int from, int to, RequestSink sink) {
    int end = indexOf((byte) '\n', in, from, to);
    if (end < 0) {
      return keepLine(in, from, to, sink, "too big inline request");
    }
    byte[] text = in;
    int start = from;
    int stop = end;
    if (lineBytes > 0) {
      appendLine(in, from, end);
      text = line;
      start = 0;
      stop = lineBytes;
    }
    if (stop > start && text[stop - 1] == '\r') {
      stop--;
    }
    byte[][] words = InlineRequest.split(text, start, stop);
    dropLine();
    state = State.REQUEST_START;
    if (words == null) {
      fail(sink, "unbalanced quotes in request");
    } else if (words.length > 0) {
      requestBytes +=
          stop - start + (long) PART_OVERHEAD_BYTES * words.length + REQUEST_OVERHEAD_BYTES;
      sink.request(new Args(words, words.length));
    }
    return end + 1;
  }

  /** A line that ends with \r and one more byte: a count of parts or the length of a bulk. */
  private int announcement(byte[] in, int from, int to, RequestSink sink, String tooBig) {
    if (lineBytes > 0 && line[lineBytes - 1] == '\r') {
      announced(line, 0, lineBytes - 1, sink);
      return from + 1;
    }
    int end = indexOf((byte) '\r', in, from, to);
    if (end < 0) {
      return keepLine(in, from, to, sink, tooBig);
    }
    if (lineBytes == 0 && end + 1 < to) {
      announced(in, from, end, sink);
      return end + 2;
    }
    appendLine(in, from, end + 1);
    return end + 1;
  }

  private void announced(byte[] text, int from, int to, RequestSink sink) {
    if (state == State.COUNT_LINE) {
      countAnnounced(IntegerText.parse(text, from, to), text, from, to, sink);
    } else {
      lengthAnnounced(text, from, to, sink);
    }
    dropLine();
  }

  private void countAnnounced(long count, byte[] text, int from, int to, RequestSink sink) {
    if (count > PARTS_MAX || !IntegerText.isInteger(text, from, to)) {
      fail(sink, "invalid multibulk length");
    } else if (count > UNAUTHENTICATED_PARTS_MAX && unauthenticated.getAsBoolean()) {
      fail(sink, "unauthenticated multibulk length");
    } else if (count <= 0) {
      state = State.REQUEST_START;
    } else {
      partsAnnounced = (int) count;
      partsHere = 0;
      parts = new byte[Math.min(partsAnnounced, FIRST_PARTS_MAX)][];
      state = State.LENGTH_LINE;
    }
  }

  private void lengthAnnounced(byte[] text, int from, int to, RequestSink sink) {
    if (from == to || text[from] != '$') {
      char got = from == to ? ' ' : (char) (text[from] & 0xff);
      fail(sink, "expected '$', got '" + got + "'");
      return;
    }
    long length = IntegerText.parse(text, from + 1, to);
    boolean isLong = length > BULK_BYTES_MAX_LEAST;
    if (length < 0 || (isLong && length > bulkBytesMax.getAsInt())) {
      fail(sink, "invalid bulk length");
    } else if (length > UNAUTHENTICATED_BULK_BYTES_MAX && unauthenticated.getAsBoolean()) {
      fail(sink, "unauthenticated bulk length");
    } else {
      bulkBytesAnnounced = (int) length;
      bulkBytesHere = 0;
      // Empty or not, each argument is an array of its own: that is how commands tell them apart.
      bulk = length == 0 ? new byte[0] : NO_BYTES;
      state = length == 0 ? State.BULK_END_FIRST : State.BULK_BODY;
    }
  }

  private int keepLine(byte[] in, int from, int to, RequestSink sink, String tooBig) {
    if (lineBytes + (to - from) > LINE_BYTES_MAX) {
      fail(sink, tooBig);
    } else {
      appendLine(in, from, to);
    }
    return to;
  }

  private void appendLine(byte[] in, int from, int to) {
    int needed = lineBytes + to - from;
    if (line.length < needed) {
      line = Arrays.copyOf(line, Math.max(needed, 2 * line.length));
    }
    System.arraycopy(in, from, line, lineBytes, to - from);
    lineBytes = needed;
  }

  private void dropLine() {
    line = NO_BYTES;
    lineBytes = 0;
  }

  private void fail(RequestSink sink, String what) {
    drop();
    sink.protocolError(what);
  }

  /** Forgets what has come of an unfinished request; what comes from here on is ignored. */
  public void drop() {
    state = State.BROKEN;
    dropLine();
    parts = NO_PARTS;
    partsHere = 0;
    partBytes = 0;
    bulk = NO_BYTES;
    bulkBytesHere = 0;
  }

  private static int indexOf(byte wanted, byte[] in, int from, int to) {
    for (int i = from; i < to; i++) {
      if (in[i] == wanted) {
        return i;
      }
    }
    return -1;
  }
}
