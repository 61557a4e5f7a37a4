package dev.varve.codec.stream;

import dev.varve.codec.EventClass;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.format.StreamId;
import dev.varve.codec.store.StoreCursor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The groups of one stream with their consumers and pending entries, as one operation reads and
 * edits them.
 *
 * <p>Edits of entries take effect at once in the transaction, those of a group with {@link
 * #save(StreamGroup)}, and the counts with {@link StreamTable#save}. Belongs to the thread of its
 * transaction.
 */
public final class GroupTable {
  private static final byte[] NOTHING = new byte[0];

  private final StreamTable stream;
  private final Transaction transaction;
  private final StreamKeys keys;

  public GroupTable(StreamTable stream) {
    this.stream = stream;
    this.transaction = stream.transaction;
    this.keys = stream.keys;
  }

  private void put(byte[] stored, byte[] value, byte @Nullable [] old) {
    transaction.put(stored, value);
    stream.meta.add(0, value.length - (old == null ? 0 : old.length));
    stream.state().others += old == null ? 1 : 0;
  }

  private boolean delete(byte[] stored) {
    byte[] old = transaction.get(stored);
    if (old == null) {
      return false;
    }
    transaction.delete(stored);
    stream.meta.add(0, -old.length);
    stream.state().others--;
    return true;
  }

  // Groups ---------------------------------------------------------------------------------------

  @Nullable StreamGroup find(byte[] name) {
    byte[] value = transaction.get(keys.group(name));
    return value == null ? null : StreamGroup.read(name, value);
  }

  public void save(StreamGroup group) {
    byte[] stored = keys.group(group.name);
    byte[] old = transaction.get(stored);
    put(stored, group.value(), old);
    stream.state().groups += old == null ? 1 : 0;
  }

  public List<StreamGroup> all() {
    List<StreamGroup> groups = new ArrayList<>();
    try (StoreCursor cursor = transaction.cursor(keys.groupsEnd())) {
      boolean found = cursor.seek(keys.groups());
      for (; found && keys.isGroup(cursor.key()); found = cursor.next()) {
        groups.add(StreamGroup.read(keys.groupOf(cursor.key()), cursor.value()));
      }
    }
    return groups;
  }

  /** Removes a group with all that belongs to it. */
  void remove(StreamGroup group) {
    for (StreamConsumer consumer : consumers(group)) {
      removeConsumer(group, consumer.name());
    }
    delete(keys.group(group.name));
    stream.state().groups--;
  }

  // Consumers ------------------------------------------------------------------------------------

  @Nullable StreamConsumer consumer(StreamGroup group, byte[] name) {
    byte[] value = transaction.get(keys.consumer(group.name, name));
    return value == null ? null : StreamConsumer.read(name, value);
  }

  /** Notes that a consumer was heard of, creating it where there is none. */
  void see(StreamGroup group, byte[] name) {
    StreamConsumer known = consumer(group, name);
    if (known == null) {
      group.consumers++;
      put(new StreamConsumer(name, transaction.nowMillis(), 0), group);
      transaction.notice(EventClass.STREAM, "xgroup-createconsumer", stream.database, stream.key);
    } else {
      put(new StreamConsumer(name, transaction.nowMillis(), known.pending()), group);
    }
  }

  /** Adds a consumer as it was. */
  public void restore(StreamGroup group, StreamConsumer consumer) {
    group.consumers++;
    put(consumer, group);
  }

  private void put(StreamConsumer consumer, StreamGroup group) {
    byte[] stored = keys.consumer(group.name, consumer.name());
    put(stored, consumer.value(), transaction.get(stored));
  }

  private void countPending(StreamGroup group, byte[] name, long delta) {
    StreamConsumer known = consumer(group, name);
    if (known != null) {
      put(new StreamConsumer(name, known.seenMillis(), known.pending() + delta), group);
    }
  }

  public List<StreamConsumer> consumers(StreamGroup group) {
    List<StreamConsumer> consumers = new ArrayList<>();
    walk(
        keys.consumers(group.name),
        StreamId.MIN,
        false,
        (cursor) -> {
          byte[] name = keys.consumerOf(group.name, cursor.key());
          consumers.add(StreamConsumer.read(name, cursor.value()));
          return true;
        });
    return consumers;
  }

  /** Removes a consumer with its pending entries; returns how many those were. */
  long removeConsumer(StreamGroup group, byte[] name) {
    List<StreamId> owned = new ArrayList<>();
    walkOwned(group, name, StreamId.MIN, owned::add, id -> true);
    for (StreamId id : owned) {
      delete(keys.pending(group.name, id));
      delete(keys.owned(group.name, name, id));
    }
    group.pending -= owned.size();
    group.consumers--;
    delete(keys.consumer(group.name, name));
    return owned.size();
  }

  // Pending entries ------------------------------------------------------------------------------

  @Nullable PendingEntry pending(StreamGroup group, StreamId id) {
    byte[] value = transaction.get(keys.pending(group.name, id));
    return value == null ? null : PendingEntry.read(id, value);
  }

  /** Makes an entry pending, whosever it was. */
  public void put(StreamGroup group, PendingEntry entry, @Nullable PendingEntry old) {
    byte[] stored = keys.pending(group.name, entry.id());
    put(stored, entry.value(), old == null ? null : old.value());
    if (old == null) {
      group.pending++;
    } else if (Arrays.equals(old.consumer(), entry.consumer())) {
      return;
    } else {
      delete(keys.owned(group.name, old.consumer(), entry.id()));
      countPending(group, old.consumer(), -1);
    }
    put(keys.owned(group.name, entry.consumer(), entry.id()), NOTHING, null);
    countPending(group, entry.consumer(), 1);
  }

  /** Makes an entry pending no more; false if it was not. */
  boolean remove(StreamGroup group, StreamId id) {
    PendingEntry entry = pending(group, id);
    if (entry == null) {
      return false;
    }
    delete(keys.pending(group.name, id));
    delete(keys.owned(group.name, entry.consumer(), id));
    countPending(group, entry.consumer(), -1);
    group.pending--;
    return true;
  }

  /** Hands out the pending entries of a group from an id on, until {@code visitor} says no. */
  public void walkPending(StreamGroup group, StreamId from, Predicate<PendingEntry> visitor) {
    walk(
        keys.pending(group.name),
        from,
        true,
        cursor -> visitor.test(PendingEntry.read(StreamKeys.idOf(cursor.key()), cursor.value())));
  }

  /** Hands out the ids of a consumer's pending entries from one on, while {@code isWanted}. */
  public void walkOwned(
      StreamGroup group,
      byte[] consumer,
      StreamId from,
      Consumer<StreamId> visitor,
      Predicate<StreamId> isWanted) {
    walk(
        keys.owned(group.name, consumer),
        from,
        true,
        cursor -> {
          StreamId id = StreamKeys.idOf(cursor.key());
          if (!isWanted.test(id)) {
            return false;
          }
          visitor.accept(id);
          return true;
        });
  }

  /** The id of the last pending entry of a group, which has some. */
  StreamId lastPending(StreamGroup group) {
    byte[] prefix = keys.pending(group.name);
    byte[] end = KeyFormat.successor(prefix);
    try (StoreCursor cursor = transaction.cursor(prefix, end)) {
      if (!cursor.seekBefore(end) || !KeyFormat.startsWith(cursor.key(), prefix)) {
        throw new IllegalStateException("no pending entry where some are counted");
      }
      return StreamKeys.idOf(cursor.key());
    }
  }

  private void walk(byte[] prefix, StreamId from, boolean hasIds, Predicate<StoreCursor> visitor) {
    byte[] start = prefix;
    if (hasIds) {
      start = Arrays.copyOf(prefix, prefix.length + StreamId.BYTES);
      from.write(start, prefix.length);
    }
    try (StoreCursor cursor = transaction.cursor(KeyFormat.successor(prefix))) {
      boolean found = cursor.seek(start);
      while (found && KeyFormat.startsWith(cursor.key(), prefix) && visitor.test(cursor)) {
        found = cursor.next();
      }
    }
  }
}
