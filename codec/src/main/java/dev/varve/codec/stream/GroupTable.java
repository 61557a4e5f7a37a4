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
import java.util.function.UnaryOperator;
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

  /**
   * What is pending first is looked for once in so many times that some of it has gone, at random:
   * so much is soon passed, and most acknowledgements need no walk.
   */
  private static final int GONE_PER_LOOK = 32;

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

  public @Nullable StreamGroup find(byte[] name) {
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
    byte[] prefix = keys.groups();
    walk(
        prefix,
        prefix,
        stream.state().groups,
        cursor -> groups.add(StreamGroup.read(keys.groupOf(cursor.key()), cursor.value())));
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

  public @Nullable StreamConsumer consumer(StreamGroup group, byte[] name) {
    byte[] value = transaction.get(keys.consumer(group.name, name));
    return value == null ? null : StreamConsumer.read(name, value);
  }

  /** Notes that a consumer was heard of, creating it where there is none. */
  void see(StreamGroup group, byte[] name) {
    StreamConsumer known = consumer(group, name);
    if (known == null) {
      group.consumers++;
      put(new StreamConsumer(name, transaction.nowMillis()), group);
      transaction.notice(EventClass.STREAM, "xgroup-createconsumer", stream.database, stream.key);
    } else {
      put(known.seenAt(transaction.nowMillis()), group);
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

  /** Changes what is pending with a consumer, if there is one of that name. */
  private void change(StreamGroup group, byte[] name, UnaryOperator<PendingIds> change) {
    StreamConsumer known = consumer(group, name);
    if (known != null) {
      put(known.with(change.apply(known.pending())), group);
    }
  }

  public List<StreamConsumer> consumers(StreamGroup group) {
    List<StreamConsumer> consumers = new ArrayList<>();
    byte[] prefix = keys.consumers(group.name);
    walk(
        prefix,
        prefix,
        group.consumers,
        cursor -> {
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
      group.pending = group.pending.without();
    }
    group.pending = beginningWithFirst(keys.pending(group.name), group.pending);
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
      group.pending = group.pending.with(entry.id());
    } else if (Arrays.equals(old.consumer(), entry.consumer())) {
      return;
    } else {
      delete(keys.owned(group.name, old.consumer(), entry.id()));
      change(group, old.consumer(), PendingIds::without);
      lookNowAndThen(group, old.consumer());
    }
    put(keys.owned(group.name, entry.consumer(), entry.id()), NOTHING, null);
    change(group, entry.consumer(), its -> its.with(entry.id()));
  }

  /** Makes an entry pending no more; false if it was not. */
  boolean remove(StreamGroup group, StreamId id) {
    PendingEntry entry = pending(group, id);
    if (entry == null) {
      return false;
    }
    delete(keys.pending(group.name, id));
    delete(keys.owned(group.name, entry.consumer(), id));
    change(group, entry.consumer(), PendingIds::without);
    group.pending = group.pending.without();
    lookNowAndThen(group, entry.consumer());
    return true;
  }

  /** Notes with which id what is pending begins, in a group and with a consumer. */
  private void lookNowAndThen(StreamGroup group, byte[] consumer) {
    if (transaction.random().nextInt(GONE_PER_LOOK) != 0) {
      return;
    }
    group.pending = beginningWithFirst(keys.pending(group.name), group.pending);
    byte[] owned = keys.owned(group.name, consumer);
    change(group, consumer, its -> beginningWithFirst(owned, its));
  }

  private PendingIds beginningWithFirst(byte[] prefix, PendingIds ids) {
    StreamId[] first = {ids.from()};
    walkIds(
        prefix,
        ids,
        StreamId.MIN,
        cursor -> {
          first[0] = StreamKeys.idOf(cursor.key());
          return false;
        });
    return ids.beginningWith(first[0]);
  }

  /** Hands out the pending entries of a group from an id on, until {@code visitor} says no. */
  public void walkPending(StreamGroup group, StreamId from, Predicate<PendingEntry> visitor) {
    walkIds(
        keys.pending(group.name),
        group.pending,
        from,
        cursor -> visitor.test(PendingEntry.read(StreamKeys.idOf(cursor.key()), cursor.value())));
  }

  /** Hands out the ids of a consumer's pending entries from one on, while {@code isWanted}. */
  public void walkOwned(
      StreamGroup group,
      byte[] consumer,
      StreamId from,
      Consumer<StreamId> visitor,
      Predicate<StreamId> isWanted) {
    StreamConsumer known = consumer(group, consumer);
    walkIds(
        keys.owned(group.name, consumer),
        known == null ? PendingIds.NONE : known.pending(),
        from,
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

  /** Goes over what is pending, from an id on. */
  private void walkIds(
      byte[] prefix, PendingIds ids, StreamId from, Predicate<StoreCursor> visitor) {
    byte[] start = Arrays.copyOf(prefix, prefix.length + StreamId.BYTES);
    StreamId.max(from, ids.from()).write(start, prefix.length);
    walk(prefix, start, ids.count(), visitor);
  }

  /** Goes over the entries under a prefix; there are no more than {@code max}. */
  private void walk(byte[] prefix, byte[] start, long max, Predicate<StoreCursor> visitor) {
    if (max == 0) {
      return;
    }
    try (StoreCursor cursor = transaction.cursor(KeyFormat.successor(prefix))) {
      boolean found = cursor.seek(start);
      // Behind the last one may be what was deleted.
      for (long left = max; found && KeyFormat.startsWith(cursor.key(), prefix); left--) {
        found = visitor.test(cursor) && left > 1 && cursor.next();
      }
    }
  }
}
