package dev.varve.codec.dump;

import static dev.varve.codec.dump.DumpInput.damaged;

import dev.varve.codec.dump.DumpedStream.Entry;
import dev.varve.codec.dump.DumpedStream.Group;
import dev.varve.codec.dump.DumpedStream.Id;
import dev.varve.codec.dump.DumpedStream.Pending;
import dev.varve.codec.format.Slice;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads a stream out of a payload, and hands it out in pieces if it is long.
 *
 * <p>For one stream, on one thread. Throws DamagedValueException where the bytes are not laid out
 * as {@link StreamWriter} says.
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

  private final DumpInput input;
  private final Version version;
  private final ValueReader.Limit limit;
  private final Consumer<DumpedStream> pieces;

  /** How many entries there were, and the id of the last of them. */
  private long length;

  private Id lastEntry = new Id(0, 0);
  private long lastNodeEntries;

  // The piece that is being read.
  private List<Entry> entries = new ArrayList<>();
  private DumpedStream.@Nullable State state;
  private List<Group> groups = new ArrayList<>();
  private int size;
  private long bytes;

  /**
   * @param limit how much is one piece, in entries, pending ones too, and in bytes
   * @param pieces is given the stream, at least one piece
   */
  StreamReader(
      DumpInput input, Version version, ValueReader.Limit limit, Consumer<DumpedStream> pieces) {
    this.input = input;
    this.version = version;
    this.limit = limit;
    this.pieces = pieces;
  }

  void read() {
    for (int left = input.count(2); left > 0; left--) {
      byte[] master = input.string();
      if (master.length != ID_BYTES) {
        throw damaged("a stream node whose name has " + master.length + " bytes");
      }
      List<byte[]> items = new ArrayList<>();
      Listpack.read(input.string(), input.into(items));
      lastNodeEntries = node(new Id(bigEndian(master, 0), bigEndian(master, Long.BYTES)), items);
    }
    long announced = input.length();
    Id last = id();
    Id maxDeleted = new Id(0, 0);
    long added = announced;
    if (version.isFrom(Version.OF_REDIS_7)) {
      id();
      maxDeleted = id();
      added = input.length();
    }
    if (announced != length || lastEntry.isAfter(last)) {
      throw damaged(length + " entries of a stream where " + announced + " are announced");
    }
    state = new DumpedStream.State(last, maxDeleted, added);
    Set<Slice> names = new HashSet<>();
    for (int left = input.count(1); left > 0; left--) {
      byte[] name = input.string();
      require(names.add(Slice.of(name)), "a group twice");
      group(name);
    }
    handOut();
  }

  // The piece that is being read ---------------------------------------------------------------

  /** One more is about to be part of it, or of the next one if it is full; whether it was. */
  private boolean next(long itsBytes) {
    boolean isFull = size >= limit.entries() || bytes >= limit.bytes();
    if (isFull) {
      handOut();
    }
    size++;
    bytes += itsBytes;
    return isFull;
  }

  private void handOut() {
    pieces.accept(new DumpedStream(entries, lastNodeEntries, state, groups));
    entries = new ArrayList<>();
    groups = new ArrayList<>();
    size = 0;
    bytes = 0;
  }

  // What it consists of ------------------------------------------------------------------------

  private Id id() {
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
  private long node(Id master, List<byte[]> blob) {
    Items items = new Items(blob);
    int live = items.count();
    int deleted = items.count();
    List<byte[]> fields = new ArrayList<>();
    for (int left = items.count(); left > 0; left--) {
      fields.add(items.next());
    }
    require(items.number() == 0, "a stream node without an end of its fields");
    long before = length;
    Id reach = master;
    for (long left = (long) live + deleted; left > 0; left--) {
      reach = entry(master, items, fields, length == before);
    }
    require(length - before == live && items.isAtEnd(), "a stream node that counts wrong");
    if (live > 0 && reach.isAfter(lastEntry)) {
      // It is still here: a piece is handed out when the next entry comes.
      int at = entries.size() - 1;
      Entry last = entries.get(at);
      entries.set(at, new Entry(last.id(), last.items(), last.startsNode(), reach));
    }
    return (long) live + deleted;
  }

  /** Adds an entry, unless it is deleted; returns its id. */
  private Id entry(Id master, Items items, List<byte[]> fields, boolean startsNode) {
    long flags = items.number();
    Id id = new Id(master.millis() + items.number(), master.sequence() + items.number());
    boolean isSame = (flags & SAME_FIELDS) != 0;
    int count = isSame ? fields.size() : items.count();
    List<byte[]> its = new ArrayList<>(2 * count);
    long itsBytes = 0;
    for (int i = 0; i < count; i++) {
      byte[] field = isSame ? fields.get(i) : items.next();
      byte[] value = items.next();
      its.add(field);
      its.add(value);
      itsBytes += field.length + value.length;
    }
    require(items.number() == (isSame ? count + 3 : 2L * count + 4), "an entry that counts wrong");
    if ((flags & DELETED) == 0) {
      require(id.isAfter(lastEntry) && count > 0, "entries of a stream that are in no order");
      next(itsBytes);
      entries.add(new Entry(id, its, startsNode, id));
      lastEntry = id;
      length++;
    }
    return id;
  }

  private void group(byte[] name) {
    Id last = id();
    long read = version.isFrom(Version.OF_REDIS_7) ? input.length() : DumpedStream.READ_NOT_TOLD;
    Map<Id, Pending> open = new HashMap<>();
    for (int left = input.count(ID_BYTES); left > 0; left--) {
      Id id = input.rawId();
      Pending one = new Pending(id, input.littleEndian(Long.BYTES), input.length());
      require(open.put(id, one) == null, "a pending entry twice");
    }
    next(name.length);
    Group group = begin(new Group(name, last, read, new ArrayList<>()));
    Set<Slice> names = new HashSet<>();
    for (int left = input.count(1); left > 0; left--) {
      byte[] consumer = input.string();
      require(names.add(Slice.of(consumer)), "a consumer twice");
      long seenMillis = input.littleEndian(Long.BYTES);
      if (version.isFrom(Version.OF_REDIS_7_2)) {
        // When it was active last, which nothing here tells.
        input.littleEndian(Long.BYTES);
      }
      if (next(consumer.length)) {
        group = begin(group.further());
      }
      DumpedStream.Consumer its =
          new DumpedStream.Consumer(consumer, seenMillis, new ArrayList<>());
      group.consumers().add(its);
      for (int ids = input.count(ID_BYTES); ids > 0; ids--) {
        Pending one = open.remove(input.rawId());
        if (one == null) {
          throw damaged("a pending entry of nobody or of two");
        }
        if (next(ID_BYTES)) {
          group = begin(group.further());
          its = its.further();
          group.consumers().add(its);
        }
        its.pending().add(one);
      }
    }
    require(open.isEmpty(), "a pending entry of nobody");
  }

  private Group begin(Group group) {
    groups.add(group);
    return group;
  }
}
