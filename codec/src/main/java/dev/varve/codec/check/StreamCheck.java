package dev.varve.codec.check;

import dev.varve.codec.format.DamagedValueException;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.format.OrderedNumbers;
import dev.varve.codec.format.PackedMembers;
import dev.varve.codec.format.StreamId;
import dev.varve.codec.format.StreamState;
import dev.varve.codec.format.ValueType;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The entries of a stream, its groups, and what is pending in them. */
final class StreamCheck {
  private static final int STARTS_NODE = 1;
  private static final int REACHES_ON = 2;
  private static final int GROUP_PENDING_AT = StreamId.BYTES + Long.BYTES;
  private static final int GROUP_FROM_AT = StreamId.BYTES + 3 * Long.BYTES;
  private static final int CONSUMER_FROM_AT = 2 * Long.BYTES;
  private static final int OWNER_AT = 2 * Long.BYTES;

  /** What a group or a consumer says of what is pending, and what was found of it. */
  private static final class Pending {
    final String name;
    final long said;
    final StreamId from;
    long found;

    /** Of a group. */
    long consumersSaid;

    long consumersFound;

    Pending(String name, byte[] value, int countAt, int fromAt) {
      this.name = name;
      this.said = OrderedNumbers.unsignedLong(value, countAt);
      this.from =
          value.length >= fromAt + StreamId.BYTES ? StreamId.read(value, fromAt) : StreamId.MIN;
    }

    void take(CheckedKey checkedKey, StreamId id) {
      found++;
      checkedKey.require(
          id.compareTo(from) >= 0, () -> id + " is pending with " + name + " before its first");
    }
  }

  private final CheckedKey checkedKey;
  private final StreamState state;
  private final Map<ByteBuffer, Pending> groups = new HashMap<>();

  /** By what their keys have after the version. */
  private final Map<ByteBuffer, Pending> consumers = new HashMap<>();

  private long entries;
  private long bytes;
  private long others;
  private long frontEntries;
  private @Nullable StreamId first;
  private StreamId last = StreamId.MIN;

  private StreamCheck(CheckedKey checkedKey) {
    this.checkedKey = checkedKey;
    this.state = checkedKey.meta.stream();
  }

  static void check(CheckedKey checkedKey) {
    new StreamCheck(checkedKey).check();
  }

  private void check() {
    checkedKey.walk(KeyFormat.ENTRY, this::entry);
    checkedKey.walk(KeyFormat.GROUP, this::group);
    checkedKey.walk(KeyFormat.CONSUMER, this::consumer);
    checkedKey.walk(KeyFormat.PENDING, this::pending);
    checkedKey.walk(KeyFormat.OWNED, this::owned);
    checkedKey.requireCounted("entries", checkedKey.meta.count(), entries);
    checkedKey.requireCounted("bytes of all values", checkedKey.meta.bytes(), bytes);
    checkedKey.requireCounted("groups", state.groups, groups.size());
    checkedKey.requireCounted("keys of groups", state.others, others);
    checkedKey.require(
        state.first.equals(first == null ? StreamId.MIN : first),
        () -> "the first entry is said to be " + state.first + " and is " + first);
    checkedKey.require(
        last.compareTo(state.top) <= 0, () -> last + " is behind the top, " + state.top);
    checkedKey.require(
        state.top.compareTo(state.last) <= 0,
        () -> "the top, " + state.top + ", is behind the last id");
    checkedKey.require(
        !state.isFrontKnown() || state.frontEntries == frontEntries,
        () ->
            state.frontEntries
                + " entries of the first node are said, "
                + frontEntries
                + " are there");
    groups.values().forEach(this::finishGroup);
    consumers.values().forEach(this::finish);
  }

  private void finishGroup(Pending group) {
    finish(group);
    checkedKey.requireCounted(
        "consumers of " + group.name, group.consumersSaid, group.consumersFound);
  }

  private void finish(Pending owner) {
    checkedKey.requireCounted("entries pending with " + owner.name, owner.said, owner.found);
  }

  private void entry(byte[] stored, byte[] value) {
    StreamId id = id(stored, checkedKey.keys.suffixOffset());
    if (first == null) {
      first = id;
      checkedKey.require(
          value.length > 0 && (value[0] & STARTS_NODE) != 0,
          () -> "its first entry begins no node");
    }
    last = id;
    entries++;
    bytes += value.length;
    if (state.isFrontKnown() && id.compareTo(state.frontReach) <= 0) {
      frontEntries++;
    }
    int at = 1 + (value.length > 0 && (value[0] & REACHES_ON) != 0 ? StreamId.BYTES : 0);
    require(value, at + 1);
    int items = PackedMembers.read(ValueType.STREAM, value, at).size();
    checkedKey.require(
        items > 0 && items % 2 == 0, () -> id + " has " + items + " fields and values");
  }

  private void group(byte[] stored, byte[] value) {
    take(value);
    require(value, GROUP_FROM_AT);
    byte[] name = checkedKey.keys.suffixOf(stored);
    Pending group =
        new Pending("group " + Names.quoted(name), value, GROUP_PENDING_AT, GROUP_FROM_AT);
    group.consumersSaid = OrderedNumbers.unsignedLong(value, GROUP_PENDING_AT + Long.BYTES);
    groups.put(ByteBuffer.wrap(name), group);
  }

  private void consumer(byte[] stored, byte[] value) {
    take(value);
    require(value, CONSUMER_FROM_AT);
    byte[] suffix = checkedKey.keys.suffixOf(stored);
    int nameAt = framed(suffix, 0);
    Pending group = group(suffix, nameAt);
    if (group != null) {
      group.consumersFound++;
    }
    String name = "consumer " + Names.quoted(Arrays.copyOfRange(suffix, nameAt, suffix.length));
    consumers.put(ByteBuffer.wrap(suffix), new Pending(name, value, Long.BYTES, CONSUMER_FROM_AT));
  }

  private void pending(byte[] stored, byte[] value) {
    take(value);
    require(value, OWNER_AT);
    byte[] suffix = checkedKey.keys.suffixOf(stored);
    int idAt = framed(suffix, 0);
    StreamId id = id(suffix, idAt);
    Pending group = group(suffix, idAt);
    if (group != null) {
      group.take(checkedKey, id);
    }
    byte[] consumer = Arrays.copyOfRange(value, OWNER_AT, value.length);
    byte[] owned =
        ByteBuffer.allocate(idAt + Integer.BYTES + consumer.length + StreamId.BYTES)
            .put(suffix, 0, idAt)
            .putInt(consumer.length)
            .put(consumer)
            .put(id.bytes())
            .array();
    checkedKey.require(
        checkedKey.get(checkedKey.keys.suffixed(KeyFormat.OWNED, owned)) != null,
        () ->
            id + " is pending with consumer " + Names.quoted(consumer) + ", who does not have it");
  }

  private void owned(byte[] stored, byte[] value) {
    take(value);
    byte[] suffix = checkedKey.keys.suffixOf(stored);
    int groupBytes = framed(suffix, 0);
    int idAt = framed(suffix, groupBytes);
    StreamId id = id(suffix, idAt);
    // The key of its consumer has no length before the name.
    byte[] owner =
        ByteBuffer.allocate(idAt - Integer.BYTES)
            .put(suffix, 0, groupBytes)
            .put(suffix, groupBytes + Integer.BYTES, idAt - groupBytes - Integer.BYTES)
            .array();
    Pending consumer = consumers.get(ByteBuffer.wrap(owner));
    if (consumer == null) {
      checkedKey.wrong(id + " is pending with a consumer that is not there");
    } else {
      consumer.take(checkedKey, id);
    }
  }

  /** Counts what is no entry. */
  private void take(byte[] value) {
    others++;
    bytes += value.length;
  }

  private @Nullable Pending group(byte[] suffix, int end) {
    byte[] name = Arrays.copyOfRange(suffix, Integer.BYTES, end);
    Pending group = groups.get(ByteBuffer.wrap(name));
    checkedKey.require(
        group != null, () -> "something of group " + Names.quoted(name) + ", which is not there");
    return group;
  }

  /** Where a byte string ends that has its length before it. */
  private static int framed(byte[] suffix, int at) {
    require(suffix, at + Integer.BYTES);
    long end = at + Integer.BYTES + Integer.toUnsignedLong(OrderedNumbers.unsignedInt(suffix, at));
    if (end > suffix.length) {
      throw new DamagedValueException("a key of a stream that is cut off");
    }
    return (int) end;
  }

  private static StreamId id(byte[] bytes, int at) {
    if (bytes.length != at + StreamId.BYTES) {
      throw new DamagedValueException("a key of a stream that ends with no id");
    }
    return StreamId.read(bytes, at);
  }

  private static void require(byte[] value, int bytes) {
    if (value.length < bytes) {
      throw new DamagedValueException("a part of a stream of only " + value.length + " bytes");
    }
  }
}
