package dev.varve.codec.format;

import java.util.Arrays;

/**
 * The members of a small collection in one piece of memory, read and edited in place.
 *
 * <p>An entry is one item (list element, set member) or two (hash field and value, sorted set
 * member and score), in the order the collection keeps them. Entries are spoken of by their place,
 * which an edit at or before it changes. Single-threaded; never changes the array it was read from.
 */
public final class PackedMembers {
  /*
   * Layout: items as Varint, then each item as Varint length and its bytes. Each step checks the
   * length that it meets: most commands are after one item, and a walk over all of them beforehand
   * would take as long again.
   */
  private static final int FIRST_BYTES = 64;
  private static final int UNKNOWN = -1;

  private final int itemsPerEntry;
  private byte[] buffer;
  private int start;
  private int end;
  private int items;

  /** Or {@link #UNKNOWN}. */
  private int itemBytes;

  private boolean own;

  /** How much room a copy has before its members. */
  private final int room;

  private PackedMembers(int itemsPerEntry, byte[] buffer, int start, int end, int room) {
    this.itemsPerEntry = itemsPerEntry;
    this.buffer = buffer;
    this.start = start;
    this.end = end;
    this.room = room;
  }

  /** No members yet. */
  public static PackedMembers empty(ValueType type) {
    PackedMembers members = new PackedMembers(type.itemsPerEntry(), new byte[FIRST_BYTES], 0, 0, 0);
    members.own = true;
    return members;
  }

  /**
   * Reads the members that {@code array} holds from {@code offset} to its end.
   *
   * @throws DamagedValueException when they are not laid out as above
   */
  public static PackedMembers read(ValueType type, byte[] array, int offset) {
    PackedMembers members = in(type, array, offset, offset, array.length);
    members.check();
    return members;
  }

  /**
   * The members that are between {@code from} and {@code end}, of a value that begins at {@code
   * valueFrom}: what is wrong with one of them is found out by who comes across it.
   *
   * @throws DamagedValueException when it is clear at once that they are not laid out as above
   */
  public static PackedMembers in(ValueType type, byte[] array, int valueFrom, int from, int end) {
    int items = Varint.readLength(array, from, end);
    int start = from + Varint.bytes(items);
    if (items > end - start || items % type.itemsPerEntry() != 0) {
      throw new DamagedValueException(items + " packed items in " + (end - start) + " bytes");
    }
    PackedMembers members =
        new PackedMembers(type.itemsPerEntry(), array, start, end, start - valueFrom);
    members.items = items;
    members.itemBytes = UNKNOWN;
    return members;
  }

  /**
   * Looks at all of them.
   *
   * @throws DamagedValueException when they are not laid out as above
   */
  public void check() {
    int seen = 0;
    for (int at = start; at < end; at = after(at)) {
      seen++;
    }
    if (seen != items) {
      throw new DamagedValueException(seen + " packed items where " + items + " are announced");
    }
  }

  /** How many bytes {@link #write} writes. */
  public int encodedBytes() {
    return Varint.bytes(items) + end - start;
  }

  /**
   * An array that ends with all members and has room for {@code before} bytes of the caller's
   * before them: that of the latest edit, if it fits, which is nobody else's from then on.
   */
  public byte[] toValue(int before) {
    int from = before + Varint.bytes(items);
    if (own && start == from && end == buffer.length) {
      own = false;
      Varint.write(buffer, before, items);
      return buffer;
    }
    byte[] value = new byte[Math.addExact(before, encodedBytes())];
    write(value, before);
    return value;
  }

  /** Writes all members to {@code target} from {@code offset} on. */
  public void write(byte[] target, int offset) {
    int at = Varint.write(target, offset, items);
    System.arraycopy(buffer, start, target, at, end - start);
  }

  /** How many entries there are. */
  public int size() {
    return items / itemsPerEntry;
  }

  /** How many bytes all items have together. */
  public int itemBytes() {
    if (itemBytes == UNKNOWN) {
      int bytes = 0;
      for (int at = start; at < end; at = after(at)) {
        bytes += varint(at);
      }
      itemBytes = bytes;
    }
    return itemBytes;
  }

  private void countBytes(int more) {
    if (itemBytes != UNKNOWN) {
      itemBytes += more;
    }
  }

  /** The place of the first entry; {@link #end()} if there is none. */
  public int first() {
    return start;
  }

  /** The place after the last entry. */
  public int end() {
    return end;
  }

  /** The place of the entry after the one at {@code place}. */
  public int next(int place) {
    int at = place;
    for (int i = 0; i < itemsPerEntry; i++) {
      at = after(at);
    }
    return at;
  }

  /** The place of the entry number {@code index}, counted from 0; {@link #end()} for the size. */
  public int place(int index) {
    int at = start;
    for (int i = 0; i < index; i++) {
      at = next(at);
    }
    return at;
  }

  /** The places of all entries in order, for walks from the end or at random. */
  public int[] places() {
    int[] places = new int[size()];
    int at = start;
    for (int i = 0; i < places.length; i++) {
      places[i] = at;
      at = next(at);
    }
    return places;
  }

  /** The place of the entry whose first item is {@code item}, or -1. */
  public int find(byte[] item) {
    int at = start;
    while (at < end) {
      int length = varint(at);
      int itsEnd = end(at, length);
      if (length == item.length
          && Arrays.equals(buffer, itsEnd - length, itsEnd, item, 0, item.length)) {
        return at;
      }
      at = itsEnd;
      for (int i = 1; i < itemsPerEntry; i++) {
        at = after(at);
      }
    }
    return -1;
  }

  /** Item number {@code index} of the entry at {@code place}, until the next edit. */
  public Slice item(int place, int index) {
    int at = itemAt(place, index);
    int length = varint(at);
    return new Slice(buffer, end(at, length) - length, length);
  }

  /** A copy of item number {@code index} of the entry at {@code place}. */
  public byte[] itemBytes(int place, int index) {
    int at = itemAt(place, index);
    int length = varint(at);
    int itsEnd = end(at, length);
    return Arrays.copyOfRange(buffer, itsEnd - length, itsEnd);
  }

  /** Whether item number {@code index} of the entry at {@code place} has these bytes. */
  public boolean itemEquals(int place, int index, byte[] item) {
    int at = itemAt(place, index);
    int length = varint(at);
    int itsEnd = end(at, length);
    return length == item.length
        && Arrays.equals(buffer, itsEnd - length, itsEnd, item, 0, item.length);
  }

  /** Unsigned byte order of item number {@code index} of the entry at {@code place} and these. */
  public int compareItem(int place, int index, byte[] item) {
    int at = itemAt(place, index);
    int length = varint(at);
    int itsEnd = end(at, length);
    return Arrays.compareUnsigned(buffer, itsEnd - length, itsEnd, item, 0, item.length);
  }

  /** The length of item number {@code index} of the entry at {@code place}. */
  public int itemLength(int place, int index) {
    return varint(itemAt(place, index));
  }

  /** Puts an entry of one item before the one at {@code place}. */
  public void insert(int place, byte[] item) {
    requireItems(1);
    int at = open(place, place, encodedBytes(item));
    writeItem(at, item);
    items++;
    countBytes(item.length);
  }

  /** Puts an entry of two items before the one at {@code place}. */
  public void insert(int place, byte[] item, byte[] second) {
    requireItems(2);
    int at = open(place, place, encodedBytes(item) + encodedBytes(second));
    writeItem(writeItem(at, item), second);
    items += 2;
    countBytes(item.length + second.length);
  }

  /** Puts an entry of one item after all others. */
  public void append(byte[] item) {
    insert(end, item);
  }

  /** Puts an entry of two items after all others. */
  public void append(byte[] item, byte[] second) {
    insert(end, item, second);
  }

  /** Replaces item number {@code index} of the entry at {@code place}. */
  public void replace(int place, int index, byte[] item) {
    int at = itemAt(place, index);
    int length = varint(at);
    at = open(at, after(at), encodedBytes(item));
    writeItem(at, item);
    countBytes(item.length - length);
  }

  /**
   * Gives the entry at {@code place} another second item, as long as the one it has, and puts it
   * before the one at {@code to}.
   */
  public void move(int place, int to, byte[] second) {
    requireItems(2);
    int moved = makeOwn();
    int from = place + moved;
    int target = to + moved;
    int next = next(from);
    if (itemLength(from, 1) != second.length) {
      throw new IllegalArgumentException("another item of " + second.length + " bytes");
    }
    System.arraycopy(second, 0, buffer, next - second.length, second.length);
    byte[] entry = Arrays.copyOfRange(buffer, from, next);
    if (target > from) {
      System.arraycopy(buffer, next, buffer, from, target - next);
      target -= entry.length;
    } else {
      System.arraycopy(buffer, target, buffer, target + entry.length, from - target);
    }
    System.arraycopy(entry, 0, buffer, target, entry.length);
  }

  /** Copies what is somebody else's; returns by how much that moves all places. */
  private int makeOwn() {
    int before = start;
    if (!own) {
      open(start, start, 0);
    }
    return start - before;
  }

  /** Removes the entry at {@code place}; the one after it has that place now. */
  public void remove(int place) {
    remove(place, next(place));
  }

  /** Removes the entries from {@code place} up to and without {@code endPlace}. */
  public void remove(int place, int endPlace) {
    for (int at = place; at < endPlace; at = after(at)) {
      items--;
      countBytes(-varint(at));
    }
    open(place, endPlace, 0);
  }

  /** Makes room of {@code bytes} for what is between two places now; returns where it starts. */
  private int open(int from, int to, int bytes) {
    int tail = end - to;
    int grown = Math.addExact(from - start + tail, bytes);
    if (own && start + grown <= buffer.length) {
      System.arraycopy(buffer, to, buffer, from + bytes, tail);
      end = start + grown;
      return from;
    }
    // Most commands edit once, and what that comes to is the value then: see toValue.
    int capacity = own ? Math.addExact(grown, grown >> 1) : grown;
    byte[] target = new byte[Math.addExact(room, capacity)];
    int head = room + from - start;
    System.arraycopy(buffer, start, target, room, from - start);
    System.arraycopy(buffer, to, target, head + bytes, tail);
    buffer = target;
    own = true;
    start = room;
    end = room + grown;
    return head;
  }

  private int writeItem(int at, byte[] item) {
    int from = Varint.write(buffer, at, item.length);
    System.arraycopy(item, 0, buffer, from, item.length);
    return from + item.length;
  }

  private int itemAt(int place, int index) {
    int at = place;
    for (int i = 0; i < index; i++) {
      at = after(at);
    }
    return at;
  }

  private int after(int at) {
    return end(at, varint(at));
  }

  /** Where an item of that length ends, which begins at {@code at}. */
  private int end(int at, int length) {
    int from = at + Varint.bytes(length);
    if (length > end - from) {
      throw new DamagedValueException("a packed item of " + length + " bytes passes the end");
    }
    return from + length;
  }

  private int varint(int at) {
    if (at >= end) {
      throw new DamagedValueException("fewer packed items than the " + items + " announced");
    }
    int first = buffer[at];
    return first >= 0 ? first : Varint.readLength(buffer, at, end);
  }

  private void requireItems(int expected) {
    if (itemsPerEntry != expected) {
      throw new IllegalArgumentException("an entry here has " + itemsPerEntry + " items");
    }
  }

  private static int encodedBytes(byte[] item) {
    return Varint.bytes(item.length) + item.length;
  }
}
