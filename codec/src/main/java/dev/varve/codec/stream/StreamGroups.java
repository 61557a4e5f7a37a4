package dev.varve.codec.stream;

import dev.varve.codec.DataException;
import dev.varve.codec.EventClass;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.PackedMembers;
import dev.varve.codec.format.StreamId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Groups of consumers that share a stream: each entry goes to one of them, and is pending until it
 * is acknowledged. Taking over what others have pending is in {@link StreamClaims}.
 *
 * <p>Pure functions of a transaction. Where a key holds another type they throw {@link
 * DataException#WRONG_TYPE}.
 */
public final class StreamGroups {
  /** How many entries were read, where nobody knows. */
  public static final long UNKNOWN = StreamGroup.UNKNOWN;

  /** Of a lag. */
  public static final long UNKNOWN_LAG = StreamGroup.UNKNOWN_LAG;

  private static final DataException NO_STREAM =
      new DataException(
          "ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want"
              + " to use the MKSTREAM option to create an empty stream automatically.");
  private static final DataException BUSY =
      new DataException("BUSYGROUP Consumer Group name already exists");

  private StreamGroups() {}

  /**
   * What a group remembers, for XINFO.
   *
   * @param read how many entries were read, or {@link #UNKNOWN}
   * @param lag how many are still to be delivered, or {@link #UNKNOWN_LAG}
   */
  public record Info(
      byte[] name, StreamId lastId, long read, long lag, long pending, long consumers) {}

  /** Is handed what a consumer gets. */
  @FunctionalInterface
  public interface DeliveryVisitor {
    /**
     * @param items fields and values in turns, or null for an entry that was deleted
     */
    void delivered(StreamId id, @Nullable PackedMembers items);
  }

  /** "NOGROUP No such key '…' or consumer group '…'", and what may follow. */
  public static DataException noGroup(byte[] key, byte[] group, String more) {
    return DataException.quoting(
        "NOGROUP No such key '", key, "' or consumer group '", group, "'" + more);
  }

  private static DataException noSuchGroup(byte[] key, byte[] group) {
    return DataException.quoting(
        "NOGROUP No such consumer group '", group, "' for key name '", key, "'");
  }

  private static StreamTable requireStream(Transaction transaction, int database, byte[] key) {
    StreamTable stream = StreamTable.findForWrite(transaction, database, key);
    if (stream == null) {
      throw NO_STREAM;
    }
    return stream;
  }

  private static StreamGroup requireGroup(GroupTable groups, byte[] key, byte[] name) {
    StreamGroup group = groups.find(name);
    if (group == null) {
      throw noSuchGroup(key, name);
    }
    return group;
  }

  /** Refuses a stream, or with a name a group, that is not there, as XGROUP does. */
  public static void requireStream(
      Transaction transaction, int database, byte[] key, byte @Nullable [] group) {
    StreamTable stream = requireStream(transaction, database, key);
    if (group != null) {
      requireGroup(new GroupTable(stream), key, group);
    }
  }

  /**
   * Creates a group.
   *
   * @param last behind which it begins, or null for behind the last one
   * @param read how many entries count as read, or {@link #UNKNOWN}
   * @param creates whether a stream is created where there is none
   */
  public static void create(
      Transaction transaction,
      int database,
      byte[] key,
      byte[] name,
      @Nullable StreamId last,
      long read,
      boolean creates) {
    StreamTable found = StreamTable.findForWrite(transaction, database, key);
    if (found == null && !creates) {
      throw NO_STREAM;
    }
    StreamTable stream = found == null ? StreamTable.create(transaction, database, key) : found;
    GroupTable groups = new GroupTable(stream);
    if (groups.find(name) != null) {
      throw BUSY;
    }
    StreamGroup group = new StreamGroup(name);
    group.last = last == null ? stream.state().last : last;
    group.read = read;
    groups.save(group);
    stream.save();
    if (found == null) {
      transaction.event(EventClass.STREAM, "xgroup-create", database, key);
    } else {
      transaction.notice(EventClass.STREAM, "xgroup-create", database, key);
    }
  }

  /** Sets behind which entry a group goes on; as {@link #create}. */
  public static void setId(
      Transaction transaction,
      int database,
      byte[] key,
      byte[] name,
      @Nullable StreamId last,
      long read) {
    StreamTable stream = requireStream(transaction, database, key);
    GroupTable groups = new GroupTable(stream);
    StreamGroup group = requireGroup(groups, key, name);
    group.last = last == null ? stream.state().last : last;
    group.read = read;
    groups.save(group);
    stream.save();
    transaction.notice(EventClass.STREAM, "xgroup-setid", database, key);
  }

  /** Removes a group; false if there is none. Takes as long as it has pending entries. */
  public static boolean destroy(Transaction transaction, int database, byte[] key, byte[] name) {
    StreamTable stream = requireStream(transaction, database, key);
    GroupTable groups = new GroupTable(stream);
    StreamGroup group = groups.find(name);
    if (group == null) {
      return false;
    }
    groups.remove(group);
    stream.save();
    transaction.notice(EventClass.STREAM, "xgroup-destroy", database, key);
    return true;
  }

  /** Creates a consumer; false if there is one. */
  public static boolean createConsumer(
      Transaction transaction, int database, byte[] key, byte[] name, byte[] consumer) {
    StreamTable stream = requireStream(transaction, database, key);
    GroupTable groups = new GroupTable(stream);
    StreamGroup group = requireGroup(groups, key, name);
    if (groups.consumer(group, consumer) != null) {
      return false;
    }
    groups.see(group, consumer);
    groups.save(group);
    stream.save();
    return true;
  }

  /** Removes a consumer with its pending entries; returns how many those were. */
  public static long deleteConsumer(
      Transaction transaction, int database, byte[] key, byte[] name, byte[] consumer) {
    StreamTable stream = requireStream(transaction, database, key);
    GroupTable groups = new GroupTable(stream);
    StreamGroup group = requireGroup(groups, key, name);
    if (groups.consumer(group, consumer) == null) {
      return 0;
    }
    long pending = groups.removeConsumer(group, consumer);
    groups.save(group);
    stream.save();
    transaction.notice(EventClass.STREAM, "xgroup-delconsumer", database, key);
    return pending;
  }

  /** Acknowledges entries; returns how many were pending. */
  public static long acknowledge(
      Transaction transaction, int database, byte[] key, byte[] name, List<StreamId> ids) {
    StreamTable stream = StreamTable.findForWrite(transaction, database, key);
    GroupTable groups = stream == null ? null : new GroupTable(stream);
    StreamGroup group = groups == null ? null : groups.find(name);
    if (stream == null || groups == null || group == null) {
      return 0;
    }
    long acknowledged = 0;
    for (StreamId id : ids) {
      if (groups.remove(group, id)) {
        acknowledged++;
      }
    }
    if (acknowledged > 0) {
      groups.save(group);
      stream.save();
    }
    return acknowledged;
  }

  /** Whether there is such a group. */
  public static boolean exists(Transaction transaction, int database, byte[] key, byte[] name) {
    StreamTable stream = StreamTable.find(transaction, database, key);
    return stream != null && new GroupTable(stream).find(name) != null;
  }

  /** Whether a group has entries that nobody was given. */
  public static boolean hasNew(Transaction transaction, int database, byte[] key, byte[] name) {
    StreamTable stream = StreamTable.find(transaction, database, key);
    StreamGroup group = stream == null ? null : new GroupTable(stream).find(name);
    StreamId next = group == null ? null : group.last.next();
    return stream != null && next != null && stream.firstFrom(next) != null;
  }

  /**
   * Gives a consumer entries that nobody was given.
   *
   * @param count how many at most, 0 for all
   * @param acknowledged whether they do not become pending
   * @return how many there were
   */
  public static long readNew(
      Transaction transaction,
      int database,
      byte[] key,
      byte[] name,
      byte[] consumer,
      long count,
      boolean acknowledged,
      DeliveryVisitor visitor) {
    StreamTable stream = requireStream(transaction, database, key);
    GroupTable groups = new GroupTable(stream);
    StreamGroup group = requireGroup(groups, key, name);
    groups.see(group, consumer);
    List<StreamId> told = new ArrayList<>();
    boolean isTold = transaction.effects().areWanted();
    long[] delivered = new long[1];
    StreamId first = group.last.next();
    if (first != null) {
      stream.walk(
          first,
          StreamId.MAX,
          false,
          (id, items) -> {
            group.delivered(stream, id);
            visitor.delivered(id, items);
            if (!acknowledged) {
              PendingEntry entry = new PendingEntry(id, consumer, transaction.nowMillis(), 1);
              groups.put(group, entry, groups.pending(group, id));
              if (isTold) {
                told.add(id);
              }
            }
            return ++delivered[0] != count;
          });
    }
    groups.save(group);
    stream.save();
    if (isTold) {
      GroupEffects.given(stream, groups, group, consumer, told);
      GroupEffects.movedOn(stream, group);
    }
    return delivered[0];
  }

  /** Gives a consumer again what it has pending after an id; as {@link #readNew}. */
  public static long readPending(
      Transaction transaction,
      int database,
      byte[] key,
      byte[] name,
      byte[] consumer,
      StreamId after,
      long count,
      DeliveryVisitor visitor) {
    StreamTable stream = requireStream(transaction, database, key);
    GroupTable groups = new GroupTable(stream);
    StreamGroup group = requireGroup(groups, key, name);
    groups.see(group, consumer);
    List<StreamId> ids = new ArrayList<>();
    StreamId first = after.next();
    if (first != null) {
      groups.walkOwned(group, consumer, first, ids::add, id -> count == 0 || ids.size() < count);
    }
    List<StreamId> given = new ArrayList<>();
    for (StreamId id : ids) {
      PackedMembers items = stream.get(id);
      PendingEntry old = groups.pending(group, id);
      visitor.delivered(id, items);
      if (items != null && old != null) {
        long now = transaction.nowMillis();
        groups.put(group, new PendingEntry(id, consumer, now, old.deliveries() + 1), old);
        given.add(id);
      }
    }
    groups.save(group);
    stream.save();
    if (transaction.effects().areWanted()) {
      // One that is deleted stays pending, which a claim would end.
      GroupEffects.given(stream, groups, group, consumer, given);
    }
    return ids.size();
  }

  // What is known of groups ----------------------------------------------------------------------

  /** The groups of a stream, or null if there is none. */
  public static @Nullable List<Info> groups(Transaction transaction, int database, byte[] key) {
    StreamTable stream = StreamTable.find(transaction, database, key);
    if (stream == null) {
      return null;
    }
    List<Info> infos = new ArrayList<>();
    for (StreamGroup group : new GroupTable(stream).all()) {
      infos.add(
          new Info(
              group.name,
              group.last,
              group.read,
              group.lag(stream),
              group.pendingCount(),
              group.consumers));
    }
    return infos;
  }

  /**
   * The consumers of a group.
   *
   * @throws DataException NO_SUCH_KEY or NOGROUP
   */
  public static List<StreamConsumer> consumers(
      Transaction transaction, int database, byte[] key, byte[] name) {
    StreamTable stream = StreamTable.find(transaction, database, key);
    if (stream == null) {
      throw DataException.NO_SUCH_KEY;
    }
    GroupTable groups = new GroupTable(stream);
    return groups.consumers(requireGroup(groups, key, name));
  }
}
