package dev.varve.lsm.table;

import dev.varve.lsm.entry.EntryCursor;
import dev.varve.lsm.entry.KeyComparator;
import dev.varve.lsm.entry.Lookup;
import dev.varve.lsm.entry.ValueCopy;
import dev.varve.lsm.version.TableMeta;
import dev.varve.wal.OffHeap;
import dev.varve.wal.StorageDirectory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a table should hold: the oracle of the tests here, and the source they write tables from.
 */
final class ModelTable {

  /** Where an entry sorts. */
  record Place(byte[] key, long sequence) implements Comparable<Place> {
    @Override
    public int compareTo(Place other) {
      int byKey = Arrays.compareUnsigned(key, other.key);
      return byKey != 0 ? byKey : Long.compare(other.sequence, sequence);
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Place that && compareTo(that) == 0;
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(key) + Long.hashCode(sequence);
    }

    @Override
    public String toString() {
      return Arrays.toString(key) + "@" + sequence;
    }
  }

  /** A value of null is a tombstone. */
  final TreeMap<Place, byte @Nullable []> entries = new TreeMap<>();

  void put(byte[] key, long sequence, byte @Nullable [] value) {
    entries.put(new Place(key, sequence), value);
  }

  /**
   * Entries with all that is awkward: shared prefixes, 0x00 and 0xFF, empty keys, many versions.
   */
  static ModelTable random(Random random, int count, int valueBytesMax) {
    ModelTable model = new ModelTable();
    KeyShapes keys = new KeyShapes(random);
    byte[] key = keys.next();
    for (int i = 0; i < count; i++) {
      if (random.nextInt(4) != 0) {
        key = keys.next();
      }
      byte[] value = new byte[random.nextInt(valueBytesMax + 1)];
      if (random.nextBoolean()) {
        random.nextBytes(value);
      }
      model.put(key, random.nextInt(count * 2), random.nextInt(5) == 0 ? null : value);
    }
    return model;
  }

  TableMeta write(StorageDirectory directory, long number, TableOptions options, OffHeap offHeap)
      throws IOException {
    TableWriter writer =
        new TableWriter(directory, number, options, KeyComparator.BYTEWISE, offHeap);
    try {
      addTo(writer);
      return writer.finish(7);
    } finally {
      writer.abandon();
    }
  }

  /** Adds all entries; every other value comes from memory off the heap. */
  void addTo(TableWriter writer) throws IOException {
    boolean direct = false;
    for (Map.Entry<Place, byte @Nullable []> entry : entries.entrySet()) {
      byte[] key = entry.getKey().key;
      byte[] bytes = entry.getValue();
      byte[] value = bytes == null ? new byte[0] : bytes;
      long sequence = entry.getKey().sequence;
      if (direct) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(value.length + 3).put(3, value);
        writer.add(key, 0, key.length, sequence, bytes == null, buffer, 3, value.length);
      } else {
        writer.add(
            key, 0, key.length, sequence, bytes == null, ByteBuffer.wrap(value), 0, value.length);
      }
      direct = !direct;
    }
  }

  /** What a table says of a place. */
  static byte @Nullable [] get(TableReader table, Place place, ReadContext context) {
    long hash = KeyHash.hash(place.key, 0, place.key.length);
    return table.get(place.key, hash, place.sequence, context, ValueCopy.WHOLE);
  }

  byte @Nullable [] get(byte[] key, long sequence) {
    Map.Entry<Place, byte @Nullable []> found = entries.ceilingEntry(new Place(key, sequence));
    if (found == null || !Arrays.equals(found.getKey().key, key)) {
      return null;
    }
    byte[] value = found.getValue();
    return value == null ? Lookup.TOMBSTONE : value;
  }

  /** The place a cursor is at, checked to hold what it should; null if it is at none. */
  @Nullable Place placeOf(EntryCursor cursor) {
    if (!cursor.isValid()) {
      return null;
    }
    Place place = new Place(cursor.copyKey(), cursor.sequence());
    if (!entries.containsKey(place)) {
      throw new AssertionError("no such entry: " + place);
    }
    byte[] value = entries.get(place);
    if (cursor.isTombstone() != (value == null)
        || !Arrays.equals(cursor.copyValue(), value == null ? new byte[0] : value)) {
      throw new AssertionError("another value at " + place);
    }
    return place;
  }
}
