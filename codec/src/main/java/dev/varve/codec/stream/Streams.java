package dev.varve.codec.stream;

import dev.varve.codec.DataException;
import dev.varve.codec.EventClass;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.PackedMembers;
import dev.varve.codec.format.StreamId;
import dev.varve.codec.format.StreamState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Streams: entries of fields and values, in the order in which they were added. Groups of consumers
 * are in {@link StreamGroups}.
 *
 * <p>Pure functions of a transaction. Where a key holds another type they throw {@link
 * DataException#WRONG_TYPE}.
 */
public final class Streams {
  private static final DataException EXHAUSTED =
      new DataException(
          "ERR The stream has exhausted the last possible ID, unable to add more items");
  private static final DataException NOT_ABOVE =
      new DataException(
          "ERR The ID specified in XADD is equal or smaller than the target stream top item");
  private static final DataException TOO_LARGE =
      new DataException("ERR Elements are too large to be stored");
  private static final DataException BELOW_TOP =
      new DataException(
          "ERR The ID specified in XSETID is smaller than the target stream top item");
  private static final DataException FEWER_THAN_THERE_ARE =
      new DataException(
          "ERR The entries_added specified in XSETID is smaller than the target stream length");

  private Streams() {}

  /** Is handed entries in order. */
  @FunctionalInterface
  public interface EntryVisitor {
    /**
     * Returns whether to go on.
     *
     * @param items fields and values in turns, which hold until the next entry
     */
    boolean entry(StreamId id, PackedMembers items);
  }

  /**
   * What an entry is to be called.
   *
   * @param millis the moment, or -1 with {@code isTimed} for now
   * @param isTimed whether the moment is left to the clock
   * @param isCounted whether the number is the next one of the moment
   */
  public record NewId(long millis, long sequence, boolean isTimed, boolean isCounted) {}

  /** What a stream remembers, for XINFO. */
  public record Info(
      long length,
      long groups,
      StreamId lastId,
      StreamId maxDeletedId,
      StreamId firstId,
      long added) {}

  /**
   * Adds an entry, and then trims; returns its id, or null if there is no stream and none is made.
   *
   * @param items fields and values in turns
   * @throws DataException when no such id can be added
   */
  public static @Nullable StreamId add(
      Transaction transaction,
      int database,
      byte[] key,
      NewId newId,
      List<byte[]> items,
      boolean creates,
      @Nullable StreamTrim trim) {
    StreamTable found = StreamTable.findForWrite(transaction, database, key);
    if (found == null && !creates) {
      return null;
    }
    StreamId last = found == null ? StreamId.MIN : found.state().last;
    if (last.equals(StreamId.MAX)) {
      throw EXHAUSTED;
    }
    StreamId id = id(transaction, last, newId);
    StreamTable stream = found == null ? StreamTable.create(transaction, database, key) : found;
    stream.append(id, items);
    if (found == null) {
      stream.save();
    }
    transaction.event(EventClass.STREAM, "xadd", database, key);
    if (trim != null && stream.trim(trim) > 0) {
      transaction.event(EventClass.STREAM, "xtrim", database, key);
    }
    stream.save();
    return id;
  }

  private static StreamId id(Transaction transaction, StreamId last, NewId asked) {
    StreamId id;
    if (asked.isTimed) {
      StreamId now = new StreamId(transaction.nowMillis(), 0);
      StreamId next = last.next();
      id = next != null && now.compareTo(next) < 0 ? next : now;
    } else if (asked.isCounted) {
      int compared = Long.compareUnsigned(asked.millis, last.millis());
      if (compared < 0) {
        throw NOT_ABOVE;
      }
      if (compared == 0 && last.sequence() == -1) {
        throw TOO_LARGE;
      }
      id = new StreamId(asked.millis, compared == 0 ? last.sequence() + 1 : 0);
      if (id.isZero()) {
        id = new StreamId(0, 1);
      }
    } else {
      id = new StreamId(asked.millis, asked.sequence);
    }
    if (id.compareTo(last) <= 0) {
      throw NOT_ABOVE;
    }
    return id;
  }

  /** How many entries there are. */
  public static long length(Transaction transaction, int database, byte[] key) {
    StreamTable stream = StreamTable.find(transaction, database, key);
    return stream == null ? 0 : stream.length();
  }

  /** Hands out the entries between two ids, both included, or backwards. */
  public static void walk(
      Transaction transaction,
      int database,
      byte[] key,
      StreamId from,
      StreamId to,
      boolean reverse,
      EntryVisitor visitor) {
    StreamTable stream = StreamTable.find(transaction, database, key);
    if (stream != null) {
      stream.walk(from, to, reverse, visitor::entry);
    }
  }

  /** The first entry after an id, or null: what a client that waits behind that id is told of. */
  public static @Nullable StreamId firstAfter(
      Transaction transaction, int database, byte[] key, StreamId id) {
    StreamTable stream = StreamTable.find(transaction, database, key);
    StreamId next = id.next();
    return stream == null || next == null ? null : stream.firstFrom(next);
  }

  /** The last id that a stream has given, 0-0 if there is none: what $ means. */
  public static StreamId lastId(Transaction transaction, int database, byte[] key) {
    StreamTable stream = StreamTable.find(transaction, database, key);
    return stream == null ? StreamId.MIN : stream.state().last;
  }

  /** The id of the last entry that is there, or null if there is none: what + means to XREAD. */
  public static @Nullable StreamId lastEntryId(Transaction transaction, int database, byte[] key) {
    @Nullable StreamId[] last = new @Nullable StreamId[1];
    walk(
        transaction,
        database,
        key,
        StreamId.MIN,
        StreamId.MAX,
        true,
        (id, items) -> {
          last[0] = id;
          return false;
        });
    return last[0];
  }

  /** Deletes entries; returns how many there were. */
  public static long delete(Transaction transaction, int database, byte[] key, List<StreamId> ids) {
    StreamTable stream = StreamTable.findForWrite(transaction, database, key);
    if (stream == null) {
      return 0;
    }
    long deleted = 0;
    for (StreamId id : ids) {
      if (stream.remove(id)) {
        deleted++;
        if (id.compareTo(stream.state().maxDeleted) > 0) {
          stream.state().maxDeleted = id;
        }
      }
    }
    if (deleted > 0) {
      stream.save();
      transaction.event(EventClass.STREAM, "xdel", database, key);
    }
    return deleted;
  }

  /** Removes entries at the front; returns how many. */
  public static long trim(Transaction transaction, int database, byte[] key, StreamTrim trim) {
    StreamTable stream = StreamTable.findForWrite(transaction, database, key);
    if (stream == null) {
      return 0;
    }
    long trimmed;
    if (stream.isLessToKeep(trim)) {
      trimmed = stream.length() - trim.lengthMax();
      transaction.replace(database, key, stream.meta, stream.last(trim.lengthMax()).meta);
    } else {
      trimmed = stream.trim(trim);
      if (trimmed == 0) {
        return 0;
      }
      stream.save();
    }
    transaction.event(EventClass.STREAM, "xtrim", database, key);
    return trimmed;
  }

  /**
   * Sets what a stream remembers.
   *
   * @param added how many entries it ever had, or -1 to leave that
   * @param maxDeleted the highest id that was deleted, or null to leave that
   * @throws DataException NO_SUCH_KEY, or that it does not fit what is there
   */
  public static void setId(
      Transaction transaction,
      int database,
      byte[] key,
      StreamId last,
      long added,
      @Nullable StreamId maxDeleted) {
    StreamTable stream = StreamTable.findForWrite(transaction, database, key);
    if (stream == null) {
      throw DataException.NO_SUCH_KEY;
    }
    StreamState state = stream.state();
    if (stream.length() > 0) {
      StreamId top = stream.lastEntry();
      if (top != null && last.compareTo(top) < 0) {
        throw BELOW_TOP;
      }
      if (added != -1 && stream.length() > added) {
        throw FEWER_THAN_THERE_ARE;
      }
    }
    state.last = last;
    if (added != -1) {
      state.added = added;
    }
    if (maxDeleted != null && !maxDeleted.isZero()) {
      state.maxDeleted = maxDeleted;
    }
    stream.save();
    transaction.notice(EventClass.STREAM, "xsetid", database, key);
  }

  /** What a stream remembers, or null if there is none. */
  public static @Nullable Info info(Transaction transaction, int database, byte[] key) {
    StreamTable stream = StreamTable.find(transaction, database, key);
    if (stream == null) {
      return null;
    }
    StreamState state = stream.state();
    return new Info(
        stream.length(), state.groups, state.last, state.maxDeleted, state.first, state.added);
  }
}
