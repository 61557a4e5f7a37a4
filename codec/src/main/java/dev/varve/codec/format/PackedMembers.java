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
   * Layout: items as Varint, then each item as Varint length and its bytes. Reading checks all
   * lengths once, so that everything after can trust them.
   */
  private static final int FIRST_BYTES = 64;

  private final int itemsPerEntry;
  private byte[] buffer;
  private int start;
  private int end;
  private int items;
  private int itemBytes;
  private boolean own;

  private PackedMembers(int itemsPerEntry, byte[] buffer, int start, int end, boolean own) {
    this.itemsPerEntry = itemsPerEntry;
    this.buffer = buffer;
    this.start = start;
    this.end = end;
    this.own = own;
  }

  /** No members yet. */
  public static PackedMembers empty(ValueType type) {
    return new PackedMembers(type.itemsPerEntry(), new byte[FIRST_BYTES], 0, 0, true);
  }

  /**
   * Reads the members that {@code array} holds from {@code offset} to its end.
   *
   * @throws DamagedValueException when they are not laid out as above
   */
  public static PackedMembers read(ValueType type, byte[] array, int offset) {
    int items = Varint.readLength(array, offset, array.length);
    int start = offset + Varint.bytes(items);
    PackedMembers members =
        new PackedMembers(type.itemsPerEntry(), array, start, array.length, false);
    int at = start;
    int seen = 0;
    while (at < array.length) {
      int length = Varint.readLength(array, at, array.length);
      int from = at + Varint.bytes(length);
      if (length > array.length - from) {
        throw new DamagedValueException("a packed item of " + length + " bytes passes the end");
      }
      members.itemBytes += length;
      at = from + length;
      seen++;
    }
    if (seen != items || items % members.itemsPerEntry != 0) {
      throw new DamagedValueException(seen + " packed items where " + items + " are announced");
    }
    members.items = items;
    return members;
  }

  /** How many bytes {@link #write} writes. */
  public int encodedBytes() {
    return Varint.bytes(items) + end - start;
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
    return itemBytes;
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
    for (int at = start; at < end; at = next(at)) {
      if (itemEquals(at, 0, item)) {
        return at;
      }
    }
    return -1;
  }

  /** Item number {@code index} of the entry at {@code place}, until the next edit. */
  public Slice item(int place, int index) {
    int at = itemAt(place, index);
    int length = varint(at);
    return new Slice(buffer, at + Varint.bytes(length), length);
  }

  /** A copy of item number {@code index} of the entry at {@code place}. */
  public byte[] itemBytes(int place, int index) {
    int at = itemAt(place, index);
    int length = varint(at);
    int from = at + Varint.bytes(length);
    return Arrays.copyOfRange(buffer, from, from + length);
  }

  /** Whether item number {@code index} of the entry at {@code place} has these bytes. */
  public boolean itemEquals(int place, int index, byte[] item) {
    int at = itemAt(place, index);
    int length = varint(at);
    int from = at + Varint.bytes(length);
    return length == item.length
        && Arrays.equals(buffer, from, from + length, item, 0, item.length);
  }

  /** Unsigned byte order of item number {@code index} of the entry at {@code place} and these. */
  public int compareItem(int place, int index, byte[] item) {
    int at = itemAt(place, index);
    int length = varint(at);
    int from = at + Varint.bytes(length);
    return Arrays.compareUnsigned(buffer, from, from + length, item, 0, item.length);
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
    itemBytes += item.length;
  }

  /** Puts an entry of two items before the one at {@code place}. */
  public void insert(int place, byte[] item, byte[] second) {
    requireItems(2);
    int at = open(place, place, encodedBytes(item) + encodedBytes(second));
    writeItem(writeItem(at, item), second);
    items += 2;
    itemBytes += item.length + second.length;
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
    itemBytes += item.length - length;
  }

  /** Removes the entry at {@code place}; the one after it has that place now. */
  public void remove(int place) {
    remove(place, next(place));
  }

  /** Removes the entries from {@code place} up to and without {@code endPlace}. */
  public void remove(int place, int endPlace) {
    for (int at = place; at < endPlace; at = after(at)) {
      items--;
      itemBytes -= varint(at);
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
    byte[] target = new byte[Math.max(FIRST_BYTES, Math.addExact(grown, grown >> 1))];
    int head = from - start;
    System.arraycopy(buffer, start, target, 0, head);
    System.arraycopy(buffer, to, target, head + bytes, tail);
    buffer = target;
    own = true;
    start = 0;
    end = grown;
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
    int length = varint(at);
    return at + Varint.bytes(length) + length;
  }

  private int varint(int at) {
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
