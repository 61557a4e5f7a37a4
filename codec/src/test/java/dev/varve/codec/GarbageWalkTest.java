package dev.varve.codec;

import static dev.varve.codec.Keyspace.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.format.DamagedValueException;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.format.ValueType;
import dev.varve.codec.store.InMemoryStore;
import dev.varve.codec.store.StoreBatch;
import dev.varve.codec.store.StoreView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class GarbageWalkTest {
  private static final byte[] NO_BYTES = {};

  /** The example of docs/formats/values.md. */
  @Test
  void goldenBytesOfARecord() {
    byte[] key = KeyFormat.garbage(0, bytes("a"), 1);
    GarbageRecord record = new GarbageRecord(key, ValueType.HASH, 3, 12, 1_700_000_000_000L);
    byte[] value = record.value();
    assertEquals(
        "15" + "0000000000000003" + "000000000000000c" + "8000018bcfe56800",
        HexFormat.of().formatHex(value));
    assertEquals(record, GarbageRecord.read(key, value));
    for (int length = 0; length < value.length; length++) {
      byte[] cut = Arrays.copyOf(value, length);
      assertThrows(DamagedValueException.class, () -> GarbageRecord.read(key, cut));
    }
    byte[] database = KeyFormat.garbage(0);
    assertThrows(DamagedValueException.class, () -> GarbageRecord.read(database, value));
  }

  @Test
  void rangesOfOneDeadCollection() {
    Keyspace keyspace = new Keyspace();
    keyspace.apply(transaction -> SpreadHash.create(transaction, 0, bytes("a"), 3));
    keyspace.apply(transaction -> Keys.delete(transaction, 0, bytes("a")));
    try (StoreView view = keyspace.store.view()) {
      assertEquals(
          Stream.of("65", "66", "73")
              .map(tag -> tag + "00000000" + "00000001" + "61" + "0000000000000001")
              .toList(),
          starts(view, NO_BYTES));
    }
  }

  @Test
  void retiredRecordLeavesWithItsCounts() {
    Keyspace keyspace = new Keyspace();
    keyspace.apply(transaction -> SpreadHash.create(transaction, 0, bytes("a"), 3));
    keyspace.apply(transaction -> Keys.delete(transaction, 0, bytes("a")));
    keyspace.apply(
        transaction -> {
          byte[] key = keyspace.stored(KeyFormat.GARBAGE).get(0);
          GarbageRecord record = Garbage.record(key, Objects.requireNonNull(transaction.get(key)));
          Garbage.retire(transaction, record);
          Garbage.retire(transaction, record);
        });
    assertEquals(0, keyspace.store.counter(CounterIds.GARBAGE_ENTRIES));
    assertEquals(0, keyspace.store.counter(CounterIds.GARBAGE_BYTES));
    assertEquals(0, keyspace.stored(KeyFormat.GARBAGE).size());
  }

  @Test
  void recordsComeInTheOrderOfTheirKeys() {
    Keyspace keyspace = new Keyspace();
    for (int i = 0; i < 5; i++) {
      byte[] key = bytes("k" + i);
      keyspace.apply(transaction -> SpreadHash.create(transaction, 0, key, 1));
      keyspace.apply(transaction -> Keys.delete(transaction, 0, key));
    }
    try (StoreView view = keyspace.store.view()) {
      List<GarbageRecord> records = GarbageRecords.of(view);
      assertEquals(5, records.size());
      assertEquals(keyspace.nowMillis, records.get(4).diedMillis());
      assertEquals("k4", Keyspace.text(KeyFormat.userKey(records.get(4).storedKey())));
    }
  }

  /** Against the plain reading of all records: for every tag, the ranges of those that cover it. */
  @Test
  void walkFindsWhatReadingAllRecordsFinds() {
    for (int seed = 0; seed < 400; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      InMemoryStore store = new InMemoryStore();
      List<GarbageRecord> records = writeRandomRecords(random, store);
      try (StoreView view = store.view()) {
        for (int i = 0; i < 20; i++) {
          byte[] from = randomBound(random);
          assertEquals(
              expectedStarts(records, from), starts(view, from), "seed " + seed + " round " + i);
        }
      }
    }
  }

  private static List<GarbageRecord> writeRandomRecords(
      SplittableRandom random, InMemoryStore store) {
    List<GarbageRecord> records = new ArrayList<>();
    StoreBatch batch = new StoreBatch();
    int count = random.nextInt(20);
    ValueType[] types = ValueType.values();
    for (int i = 0; i < count; i++) {
      int databaseId = random.nextInt(4) - 1;
      boolean whole = random.nextInt(8) == 0;
      byte[] key =
          whole
              ? KeyFormat.garbage(databaseId)
              : KeyFormat.garbage(databaseId, randomKey(random), random.nextInt(3));
      ValueType type = whole ? null : types[random.nextInt(types.length)];
      GarbageRecord.Living living =
          type == ValueType.LIST && random.nextBoolean() ? randomLiving(random) : null;
      GarbageRecord record = new GarbageRecord(key, type, 1, 1, 1, living);
      records.removeIf(other -> Arrays.equals(other.storedKey(), key));
      records.add(record);
      batch.put(key, record.value());
    }
    store.write(batch);
    return records;
  }

  private static GarbageRecord.Living randomLiving(SplittableRandom random) {
    long from = random.nextInt(3) == 0 ? Long.MIN_VALUE : random.nextInt(-3, 3);
    long to = random.nextInt(3) == 0 ? Long.MAX_VALUE : random.nextInt(3, 6);
    return new GarbageRecord.Living(from, to);
  }

  private static byte[] randomKey(SplittableRandom random) {
    byte[] key = new byte[random.nextInt(3)];
    for (int i = 0; i < key.length; i++) {
      key[i] = (byte) (random.nextInt(3) - 1);
    }
    return key;
  }

  private static byte[] randomBound(SplittableRandom random) {
    byte[] tags = {'a', 'l', 'm', 'r', 's', 't', 'z', '~'};
    byte tag = tags[random.nextInt(tags.length)];
    CollectionKeys keys =
        new CollectionKeys(random.nextInt(4) - 1, randomKey(random), random.nextInt(3));
    byte[] bound =
        random.nextBoolean() ? keys.member(randomKey(random)) : keys.prefix(KeyFormat.MEMBER);
    bound[0] = tag;
    return random.nextInt(3) == 0 ? Arrays.copyOf(bound, random.nextInt(bound.length + 1)) : bound;
  }

  private static List<String> expectedStarts(List<GarbageRecord> records, byte[] from) {
    TreeSet<byte[]> starts = new TreeSet<>(Arrays::compareUnsigned);
    for (GarbageRecord record : records) {
      boolean inDeadDatabase =
          record.type() != null
              && records.stream()
                  .anyMatch(
                      other ->
                          other.type() == null
                              && KeyFormat.startsWith(record.storedKey(), other.storedKey()));
      if (inDeadDatabase) {
        continue;
      }
      for (byte tag : record.tags()) {
        for (DeadRange range : record.ranges(tag)) {
          if (Arrays.compareUnsigned(range.end(), from) > 0) {
            starts.add(range.start());
          }
        }
      }
    }
    return starts.stream().map(HexFormat.of()::formatHex).toList();
  }

  private static List<String> starts(StoreView view, byte[] from) {
    List<String> starts = new ArrayList<>();
    byte[] end = {};
    try (GarbageWalk ranges = new GarbageWalk(view, from)) {
      while (ranges.next()) {
        byte[] start = ranges.range().start();
        assertTrue(Arrays.compareUnsigned(start, end) >= 0, "disjoint and in order");
        end = ranges.range().end();
        starts.add(HexFormat.of().formatHex(start));
      }
    }
    return starts;
  }
}
