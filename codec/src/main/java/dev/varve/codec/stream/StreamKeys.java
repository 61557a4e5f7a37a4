package dev.varve.codec.stream;

import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.format.DamagedValueException;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.format.OrderedNumbers;
import dev.varve.codec.format.StreamId;
import java.util.Arrays;

/**
 * Builds and takes apart the stored keys of one stream.
 *
 * <p>The layouts are on {@link KeyFormat}. Immutable, for any thread.
 */
final class StreamKeys {
  private final CollectionKeys keys;
  private final int prefixBytes;

  StreamKeys(CollectionKeys keys) {
    this.keys = keys;
    this.prefixBytes = keys.prefix(KeyFormat.ENTRY).length;
  }

  /** Before all entries at and after an id. */
  byte[] entry(StreamId id) {
    return keys.suffixed(KeyFormat.ENTRY, id.bytes());
  }

  /** After all entries up to and with an id. */
  byte[] entryEnd(StreamId id) {
    StreamId next = id.next();
    return next == null ? entriesEnd() : entry(next);
  }

  /** After all entries. */
  byte[] entriesEnd() {
    return keys.end(KeyFormat.ENTRY);
  }

  boolean isEntry(byte[] stored) {
    return keys.owns(KeyFormat.ENTRY, stored);
  }

  /** The id at the end of a stored key. */
  static StreamId idOf(byte[] stored) {
    return StreamId.read(stored, stored.length - StreamId.BYTES);
  }

  byte[] group(byte[] group) {
    return keys.suffixed(KeyFormat.GROUP, group);
  }

  /** Before all groups. */
  byte[] groups() {
    return keys.prefix(KeyFormat.GROUP);
  }

  byte[] groupOf(byte[] stored) {
    return Arrays.copyOfRange(stored, prefixBytes, stored.length);
  }

  /** Before all consumers of a group; what their keys start with. */
  byte[] consumers(byte[] group) {
    return keys.suffixed(KeyFormat.CONSUMER, framed(group));
  }

  byte[] consumer(byte[] group, byte[] consumer) {
    return keys.suffixed(KeyFormat.CONSUMER, joined(framed(group), consumer));
  }

  byte[] consumerOf(byte[] group, byte[] stored) {
    return Arrays.copyOfRange(stored, prefixBytes + Integer.BYTES + group.length, stored.length);
  }

  /** Before all pending entries of a group; what their keys start with. */
  byte[] pending(byte[] group) {
    return keys.suffixed(KeyFormat.PENDING, framed(group));
  }

  byte[] pending(byte[] group, StreamId id) {
    return keys.suffixed(KeyFormat.PENDING, joined(framed(group), id.bytes()));
  }

  /** Before all pending entries of a consumer; what their keys start with. */
  byte[] owned(byte[] group, byte[] consumer) {
    return keys.suffixed(KeyFormat.OWNED, joined(framed(group), framed(consumer)));
  }

  byte[] owned(byte[] group, byte[] consumer, StreamId id) {
    byte[] owner = joined(framed(group), framed(consumer));
    return keys.suffixed(KeyFormat.OWNED, joined(owner, id.bytes()));
  }

  private static byte[] framed(byte[] name) {
    byte[] framed = new byte[Integer.BYTES + name.length];
    OrderedNumbers.putUnsignedInt(framed, 0, name.length);
    System.arraycopy(name, 0, framed, Integer.BYTES, name.length);
    return framed;
  }

  private static byte[] joined(byte[] first, byte[] second) {
    byte[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }

  /** Refuses the value of an entry, group or consumer that is too short for its layout. */
  static void require(byte[] value, int bytes) {
    if (value.length < bytes) {
      throw new DamagedValueException("a part of a stream of only " + value.length + " bytes");
    }
  }
}
