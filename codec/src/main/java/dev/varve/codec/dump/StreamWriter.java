package dev.varve.codec.dump;

import dev.varve.codec.dump.DumpedStream.Id;
import dev.varve.codec.format.PackedMembers;
import dev.varve.codec.format.Slice;
import java.util.Arrays;

/**
 * Writes a stream into a payload: how many nodes it has, entries one after the other, then what it
 * remembers, then groups. No more than a node is kept.
 *
 * <p>Single-threaded.
 */
final class StreamWriter {
  /*
   * nodes, each: 16 bytes (the id of its first entry, big-endian) as a string, a listpack as a string
   * length; last id (two lengths); first id; highest deleted id; entries ever added
   * groups, each: name, last id, entries read (a length, of 64 bits where unknown)
   *   pending entries, each: id (16 bytes), delivered (8 bytes little-endian, ms), deliveries
   *   consumers, each: name, seen (8 bytes little-endian, ms), pending, each: id (16 bytes)
   *
   * The listpack of a node: live entries, deleted ones, common fields, these fields, 0; then of each
   * entry: flags (1 deleted, 2 it has the common fields), id less that of the node (two numbers),
   * fields, each field and its value, how many items these were. Version 9 has no first id, highest
   * deleted id, entries added and entries read. No common fields are written, and no deleted entry
   * but one at the end of a node that has had more.
   */
  private static final int DELETED = 1;

  /** A node that the stream has with more bytes than that is to be written as several. */
  static final int NODE_BYTES_MAX = 64 * 1024;

  private final DumpOutput output;
  private ListpackWriter node = new ListpackWriter();
  private int entries;
  private Id master = new Id(0, 0);
  private Id last = master;
  private Id reach = master;

  /**
   * Begins.
   *
   * @param nodes how many will begin
   */
  StreamWriter(DumpOutput output, long nodes) {
    this.output = output;
    output.length(nodes);
  }

  /**
   * The next entry.
   *
   * @param startsNode whether it is in another node than those before
   * @param itsReach the last id that its node has had, should no entry of that node follow
   */
  public void entry(Id id, PackedMembers items, boolean startsNode, Id itsReach) {
    if (startsNode) {
      endNode();
    }
    if (entries == 0) {
      master = id;
    }
    begin(0, id, items.size() / 2);
    for (int place = items.first(); place < items.end(); place = items.next(place)) {
      node.item(items.item(place, 0));
    }
    node.number(items.size() + 4L);
    entries++;
    last = id;
    reach = itsReach;
  }

  private void begin(int flags, Id id, int fields) {
    node.number(flags);
    node.number(id.millis() - master.millis());
    node.number(id.sequence() - master.sequence());
    node.number(fields);
  }

  private void endNode() {
    if (entries == 0) {
      return;
    }
    boolean reachesOn = !reach.equals(last);
    if (reachesOn) {
      begin(DELETED, reach, 0);
      node.number(4);
    }
    ListpackWriter whole = new ListpackWriter();
    whole.number(entries);
    whole.number(reachesOn ? 1 : 0);
    whole.number(0);
    whole.number(0);
    whole.append(node);
    byte[] name = new byte[2 * Long.BYTES];
    bigEndian(name, 0, master.millis());
    bigEndian(name, Long.BYTES, master.sequence());
    output.string(name);
    output.string(whole.finish());
    node = new ListpackWriter();
    entries = 0;
  }

  static void bigEndian(byte[] target, int offset, long value) {
    for (int i = 0; i < Long.BYTES; i++) {
      target[offset + i] = (byte) (value >>> Byte.SIZE * (Long.BYTES - 1 - i));
    }
  }

  /** After all entries: what the stream remembers, and how many groups follow. */
  public void remember(long length, Id last, Id first, Id maxDeleted, long added, long groups) {
    endNode();
    output.length(length);
    id(last);
    id(first);
    id(maxDeleted);
    output.length(added);
    output.length(groups);
  }

  private void id(Id id) {
    output.length(id.millis());
    output.length(id.sequence());
  }

  /** A group, of which so many pending entries follow. */
  public void group(byte[] name, Id last, long read, long pending) {
    output.string(name);
    id(last);
    output.length(read);
    output.length(pending);
  }

  /** A pending entry of the group. */
  public void pending(Id id, long deliveredMillis, long deliveries) {
    rawId(id);
    output.littleEndian(deliveredMillis, Long.BYTES);
    output.length(deliveries);
  }

  /** After its pending entries: how many consumers of the group follow. */
  public void consumers(long count) {
    output.length(count);
  }

  /** A consumer, of which the ids of so many pending entries follow. */
  public void consumer(byte[] name, long seenMillis, long pending) {
    output.string(name);
    output.littleEndian(seenMillis, Long.BYTES);
    output.length(pending);
  }

  /** A pending entry of the consumer. */
  public void rawId(Id id) {
    byte[] raw = new byte[2 * Long.BYTES];
    bigEndian(raw, 0, id.millis());
    bigEndian(raw, Long.BYTES, id.sequence());
    output.bytes(raw);
  }

  /** Items of a listpack one after the other. */
  private static final class ListpackWriter {
    private static final int FIRST_BYTES = 256;
    private static final int NUMBER_BYTES_MAX = 10;

    private byte[] bytes = new byte[FIRST_BYTES];
    private int end = Listpack.HEADER_BYTES;
    private int items;

    private void room(int more) {
      if (end + more > bytes.length) {
        bytes = Arrays.copyOf(bytes, Math.max(end + more, Math.multiplyExact(2, bytes.length)));
      }
    }

    void number(long value) {
      room(NUMBER_BYTES_MAX);
      end = Listpack.writeNumber(bytes, end, value);
      items++;
    }

    void item(Slice item) {
      room(Listpack.itemBytes(item));
      end = Listpack.write(bytes, end, item);
      items++;
    }

    void append(ListpackWriter other) {
      int more = other.end - Listpack.HEADER_BYTES;
      room(more);
      System.arraycopy(other.bytes, Listpack.HEADER_BYTES, bytes, end, more);
      end += more;
      items += other.items;
    }

    byte[] finish() {
      byte[] whole = Arrays.copyOf(bytes, end + 1);
      whole[end] = (byte) Listpack.END;
      for (int i = 0; i < Integer.BYTES; i++) {
        whole[i] = (byte) (whole.length >> Byte.SIZE * i);
      }
      int count = Math.min(items, Listpack.COUNT_UNKNOWN);
      whole[Integer.BYTES] = (byte) count;
      whole[Integer.BYTES + 1] = (byte) (count >> Byte.SIZE);
      return whole;
    }
  }
}
