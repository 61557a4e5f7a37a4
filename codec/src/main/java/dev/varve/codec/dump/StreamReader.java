package dev.varve.codec.dump;

import static dev.varve.codec.dump.DumpInput.damaged;

import dev.varve.codec.dump.DumpedStream.Consumer;
import dev.varve.codec.dump.DumpedStream.Entry;
import dev.varve.codec.dump.DumpedStream.Group;
import dev.varve.codec.dump.DumpedStream.Id;
import dev.varve.codec.dump.DumpedStream.Pending;
import dev.varve.codec.format.Slice;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Reads a stream out of a payload.
 *
 * <p>Pure functions, for any thread. They throw DamagedValueException where the bytes are not laid
 * out as {@link StreamWriter} says.
 */
final class StreamReader {
  private static final int ID_BYTES = 2 * Long.BYTES;
  private static final int DELETED = 1;
  private static final int SAME_FIELDS = 2;

  /** How much is remembered of a stream, of which each has more than those before it. */
  enum Version {
    OF_REDIS_5,
    /** First and deleted entries, and how many entries groups have read. */
    OF_REDIS_7,
    /** When consumers were active last. */
    OF_REDIS_7_2;

    boolean isFrom(Version other) {
      return compareTo(other) >= 0;
    }
  }

  private StreamReader() {}

  static DumpedStream read(DumpInput input, Version version) {
    List<Entry> entries = new ArrayList<>();
    long lastNodeEntries = 0;
    for (int left = input.count(2); left > 0; left--) {
      byte[] master = input.string();
      if (master.length != ID_BYTES) {
        throw damaged("a stream node whose name has " + master.length + " bytes");
      }
      List<byte[]> items = new ArrayList<>();
      Listpack.read(input.string(), items);
      lastNodeEntries =
          node(new Id(bigEndian(master, 0), bigEndian(master, Long.BYTES)), items, entries);
    }
    long length = input.length();
    Id last = id(input);
    Id maxDeleted = new Id(0, 0);
    long added = length;
    if (version.isFrom(Version.OF_REDIS_7)) {
      id(input);
      maxDeleted = id(input);
      added = input.length();
    }
    if (length != entries.size()
        || (!entries.isEmpty() && entries.get(entries.size() - 1).id().isAfter(last))) {
      throw damaged(entries.size() + " entries of a stream where " + length + " are announced");
    }
    List<Group> groups = new ArrayList<>();
    Set<Slice> names = new HashSet<>();
    for (int left = input.count(1); left > 0; left--) {
      Group group = group(input, version);
      require(names.add(Slice.of(group.name())), "a group twice");
      groups.add(group);
    }
    return new DumpedStream(entries, last, maxDeleted, added, lastNodeEntries, groups);
  }

  private static Id id(DumpInput input) {
    return new Id(input.length(), input.length());
  }

  private static long bigEndian(byte[] bytes, int offset) {
    long value = 0;
    for (int i = 0; i < Long.BYTES; i++) {
      value = value << Byte.SIZE | bytes[offset + i] & 0xFF;
    }
    return value;
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw damaged(otherwise);
    }
  }

  /** The items of a node one after the other. */
  private static final class Items {
    private final List<byte[]> items;
    private int at;

    Items(List<byte[]> items) {
      this.items = items;
    }

    byte[] next() {
      require(at < items.size(), "a stream node that ends too soon");
      return items.get(at++);
    }

    long number() {
      return DumpInput.number(next(), "a stream node with a word where a number should be");
    }

    int count() {
      long count = number();
      require(count >= 0 && count <= items.size() - at, "a stream node of " + count + " fields");
      return (int) count;
    }

    boolean isAtEnd() {
      return at == items.size();
    }
  }

  /** Adds what is left of a node, which may be nothing; returns how many entries it has had. */
  private static long node(Id master, List<byte[]> blob, List<Entry> entries) {
    Items items = new Items(blob);
    int live = items.count();
    int deleted = items.count();
    List<byte[]> fields = new ArrayList<>();
    for (int left = items.count(); left > 0; left--) {
      fields.add(items.next());
    }
    require(items.number() == 0, "a stream node without an end of its fields");
    int first = entries.size();
    Id reach = master;
    for (long left = (long) live + deleted; left > 0; left--) {
      reach = entry(master, items, fields, first, entries);
    }
    int end = entries.size();
    require(end - first == live && items.isAtEnd(), "a stream node that counts wrong");
    if (end > first && reach.isAfter(entries.get(end - 1).id())) {
      Entry last = entries.get(end - 1);
      entries.set(end - 1, new Entry(last.id(), last.items(), last.startsNode(), reach));
    }
    return (long) live + deleted;
  }

  /** Adds an entry, unless it is deleted; returns its id. */
  private static Id entry(
      Id master, Items items, List<byte[]> fields, int first, List<Entry> entries) {
    long flags = items.number();
    Id id = new Id(master.millis() + items.number(), master.sequence() + items.number());
    boolean isSame = (flags & SAME_FIELDS) != 0;
    int count = isSame ? fields.size() : items.count();
    List<byte[]> its = new ArrayList<>(2 * count);
    for (int i = 0; i < count; i++) {
      its.add(isSame ? fields.get(i) : items.next());
      its.add(items.next());
    }
    require(items.number() == (isSame ? count + 3 : 2L * count + 4), "an entry that counts wrong");
    if ((flags & DELETED) == 0) {
      Id before = entries.isEmpty() ? new Id(0, 0) : entries.get(entries.size() - 1).id();
      require(id.isAfter(before) && count > 0, "entries of a stream that are in no order");
      entries.add(new Entry(id, its, entries.size() == first, id));
    }
    return id;
  }

  private static Group group(DumpInput input, Version version) {
    byte[] name = input.string();
    Id last = id(input);
    long read = version.isFrom(Version.OF_REDIS_7) ? input.length() : DumpedStream.READ_NOT_TOLD;
    List<Pending> pending = new ArrayList<>();
    Set<Id> open = new HashSet<>();
    for (int left = input.count(ID_BYTES); left > 0; left--) {
      Id id = input.rawId();
      require(open.add(id), "a pending entry twice");
      pending.add(new Pending(id, input.littleEndian(Long.BYTES), input.length()));
    }
    List<Consumer> consumers = new ArrayList<>();
    Set<Slice> names = new HashSet<>();
    for (int left = input.count(1); left > 0; left--) {
      byte[] consumer = input.string();
      require(names.add(Slice.of(consumer)), "a consumer twice");
      long seenMillis = input.littleEndian(Long.BYTES);
      if (version.isFrom(Version.OF_REDIS_7_2)) {
        // When it was active last, which nothing here tells.
        input.littleEndian(Long.BYTES);
      }
      List<Id> its = new ArrayList<>();
      for (int ids = input.count(ID_BYTES); ids > 0; ids--) {
        Id id = input.rawId();
        require(open.remove(id), "a pending entry of nobody or of two");
        its.add(id);
      }
      consumers.add(new Consumer(consumer, seenMillis, its));
    }
    require(open.isEmpty(), "a pending entry of nobody");
    return new Group(name, last, read, pending, consumers);
  }
}
