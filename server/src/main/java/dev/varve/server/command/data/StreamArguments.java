package dev.varve.server.command.data;

import dev.varve.codec.DataException;
import dev.varve.codec.format.PackedMembers;
import dev.varve.codec.format.StreamId;
import dev.varve.codec.stream.StreamTrim;
import dev.varve.codec.stream.Streams;
import dev.varve.server.command.Arguments;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads ids and trims of streams, and writes entries.
 *
 * <p>Pure functions, any thread.
 */
final class StreamArguments {
  static final DataException INVALID_ID =
      new DataException("ERR Invalid stream ID specified as stream command argument");
  static final DataException INVALID_START =
      new DataException("ERR invalid start ID for the interval");
  private static final DataException INVALID_END =
      new DataException("ERR invalid end ID for the interval");
  private static final DataException LENGTH_NEGATIVE =
      new DataException("ERR The MAXLEN argument must be >= 0.");
  private static final DataException LIMIT_NEGATIVE =
      new DataException("ERR The LIMIT argument must be >= 0.");
  private static final DataException BOTH_STRATEGIES =
      new DataException(
          "ERR syntax error, MAXLEN and MINID options at the same time are not compatible");
  private static final DataException LIMIT_ALONE =
      new DataException(
          "ERR syntax error, LIMIT cannot be used without specifying a trimming strategy");
  private static final DataException LIMIT_EXACT =
      new DataException("ERR syntax error, LIMIT cannot be used without the special ~ option");

  private StreamArguments() {}

  /**
   * An id.
   *
   * @param missingSequence the number where only a moment is given
   */
  static StreamId id(Args args, int index, long missingSequence) {
    StreamId id = StreamId.parse(args.get(index), 0, missingSequence);
    if (id == null) {
      throw INVALID_ID;
    }
    return id;
  }

  /** The ids from one argument on. */
  static List<StreamId> ids(Args args, int from) {
    List<StreamId> ids = new ArrayList<>(args.count() - from);
    for (int i = from; i < args.count(); i++) {
      ids.add(id(args, i, 0));
    }
    return ids;
  }

  private static @Nullable StreamId edge(byte[] text) {
    if (text.length != 1) {
      return null;
    }
    return switch (text[0]) {
      case '-' -> StreamId.MIN;
      case '+' -> StreamId.MAX;
      default -> null;
    };
  }

  /** Where a range starts: {@code -}, {@code +}, an id, or one after {@code (}. */
  static StreamId start(Args args, int index) {
    return bound(args, index, 0);
  }

  /** Where a range ends; as {@link #start}. */
  static StreamId end(Args args, int index) {
    return bound(args, index, -1);
  }

  private static StreamId bound(Args args, int index, long missingSequence) {
    byte[] text = args.get(index);
    StreamId edge = edge(text);
    if (edge != null) {
      return edge;
    }
    boolean isExclusive = text.length > 1 && text[0] == '(';
    StreamId id = StreamId.parse(text, isExclusive ? 1 : 0, missingSequence);
    if (id == null) {
      throw INVALID_ID;
    }
    if (!isExclusive) {
      return id;
    }
    boolean isStart = missingSequence == 0;
    StreamId next = isStart ? id.next() : id.previous();
    if (next == null) {
      throw isStart ? INVALID_START : INVALID_END;
    }
    return next;
  }

  /** What an entry is to be called: {@code *}, a moment and {@code -*}, or an id. */
  static Streams.NewId newId(Args args, int index) {
    byte[] text = args.get(index);
    if (text.length == 1 && text[0] == '*') {
      return new Streams.NewId(0, 0, true, false);
    }
    int last = text.length - 1;
    if (last > 1 && text[last - 1] == '-' && text[last] == '*') {
      byte[] withNumber = text.clone();
      withNumber[last] = '0';
      StreamId any = StreamId.parse(withNumber, 0, 0);
      if (any == null) {
        throw INVALID_ID;
      }
      return new Streams.NewId(any.millis(), 0, false, true);
    }
    StreamId id = id(args, index, 0);
    return new Streams.NewId(id.millis(), id.sequence(), false, false);
  }

  /** The options of XADD and XTRIM, up to what is none. */
  static final class TrimOptions {
    @Nullable StreamTrim trim;
    boolean creates = true;

    /** The first argument that is no option. */
    int end;

    /**
     * @param isAdd whether an id follows, and there may be none of these
     * @param isMaster whether they are a master's, who has put what it did in the place of a limit,
     *     and left that there
     */
    TrimOptions(Args args, int first, boolean isAdd, boolean isMaster) {
      boolean hasLength = false;
      boolean hasId = false;
      boolean isApproximate = false;
      long lengthMax = -1;
      StreamId idMin = StreamId.MIN;
      long limit = StreamTrim.USUAL;
      int i = first;
      for (; i < args.count(); i++) {
        int left = args.count() - 1 - i;
        boolean isLength = args.is(i, "MAXLEN");
        if (isAdd && isNewId(args.get(i))) {
          break;
        }
        if ((isLength || args.is(i, "MINID")) && left >= 1) {
          // As in Redis, the same one twice is refused with this sentence too.
          if (hasId || hasLength) {
            throw BOTH_STRATEGIES;
          }
          isApproximate = false;
          if (left >= 2 && (args.is(i + 1, "~") || args.is(i + 1, "="))) {
            isApproximate = args.is(i + 1, "~");
            i++;
          }
          i++;
          if (isLength) {
            hasLength = true;
            lengthMax = Arguments.integer(args, i);
            if (lengthMax < 0) {
              throw LENGTH_NEGATIVE;
            }
          } else {
            hasId = true;
            idMin = id(args, i, 0);
          }
        } else if (args.is(i, "LIMIT") && left >= 1) {
          limit = Arguments.integer(args, ++i);
          if (limit < 0) {
            throw LIMIT_NEGATIVE;
          }
        } else if (isAdd && args.is(i, "NOMKSTREAM")) {
          creates = false;
        } else if (isAdd) {
          // As in Redis, an id that is none is refused before options that do not fit.
          newId(args, i);
          break;
        } else {
          throw Arguments.SYNTAX_ERROR;
        }
      }
      end = i;
      if (limit != StreamTrim.USUAL && !hasLength && !hasId) {
        throw LIMIT_ALONE;
      }
      if (!isAdd && !hasLength && !hasId) {
        throw Arguments.SYNTAX_ERROR;
      }
      if (limit != StreamTrim.USUAL && !isApproximate) {
        if (!isMaster) {
          throw LIMIT_EXACT;
        }
        limit = StreamTrim.USUAL;
      }
      if (hasLength) {
        trim = StreamTrim.toLength(lengthMax, isApproximate, limit);
      } else if (hasId) {
        trim = StreamTrim.toId(idMin, isApproximate, limit);
      }
    }

    private static boolean isNewId(byte[] text) {
      return text.length == 1 && text[0] == '*';
    }
  }

  /** COUNT of a range: -1 if there is none; a negative one is 0, as in Redis. */
  static long count(Args args, int from) {
    long count = -1;
    for (int i = from; i < args.count(); i++) {
      if (!args.is(i, "COUNT") || i + 1 == args.count()) {
        throw Arguments.SYNTAX_ERROR;
      }
      count = Math.max(0, Arguments.integer(args, ++i));
    }
    return count;
  }

  /** An entry: its id, then its fields and values; null for one that was deleted. */
  static void entry(RespEncoder reply, StreamId id, @Nullable PackedMembers items) {
    reply.array(2);
    reply.bulk(id.text());
    if (items == null) {
      reply.nullArray();
      return;
    }
    reply.array(items.size());
    for (int place = items.first(); place < items.end(); place = items.next(place)) {
      MemberReply.bulk(reply, items.item(place, 0));
    }
  }
}
