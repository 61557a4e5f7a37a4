package dev.varve.codec.check;

import static dev.varve.codec.Keyspace.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.CounterIds;
import dev.varve.codec.ExpireCondition;
import dev.varve.codec.GarbageRecord;
import dev.varve.codec.Keys;
import dev.varve.codec.Keyspace;
import dev.varve.codec.Members;
import dev.varve.codec.Meta;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.format.OrderedNumbers;
import dev.varve.codec.format.PackedMembers;
import dev.varve.codec.format.StreamId;
import dev.varve.codec.format.ValueType;
import dev.varve.codec.list.ListEnd;
import dev.varve.codec.list.Lists;
import dev.varve.codec.member.HashExpiry;
import dev.varve.codec.member.Hashes;
import dev.varve.codec.member.Sets;
import dev.varve.codec.rank.RankFormat;
import dev.varve.codec.store.StoreBatch;
import dev.varve.codec.store.StoreView;
import dev.varve.codec.stream.StreamGroups;
import dev.varve.codec.stream.Streams;
import dev.varve.codec.string.Strings;
import dev.varve.codec.zset.ZAddCondition;
import dev.varve.codec.zset.ZSets;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A store with keys of all types; then each of its entries is damaged in turn. */
class ContentCheckTest {
  private static final byte[] MEMBER_TAGS = withoutMetas(GarbageRecord.DATABASE_TAGS);

  private static final int FRAGMENT_BYTES = 16;

  private final Keyspace keyspace = new Keyspace();

  private static byte[] withoutMetas(byte[] tags) {
    ByteBuffer others = ByteBuffer.allocate(tags.length - 1);
    for (byte tag : tags) {
      if (tag != KeyFormat.META) {
        others.put(tag);
      }
    }
    return others.array();
  }

  @BeforeEach
  void fill() {
    keyspace.packedLimits =
        Members.SMALL_LIMITS.withStrings(40, 32, FRAGMENT_BYTES, FRAGMENT_BYTES);
    keyspace.apply(t -> Strings.set(t, 0, bytes("string"), bytes("in one piece")));
    keyspace.apply(t -> Strings.set(t, 0, bytes("fragments"), bytes("0123456789".repeat(10))));
    keyspace.apply(t -> Hashes.set(t, 0, bytes("packed hash"), named("f", 4)));
    keyspace.apply(t -> Hashes.set(t, 0, bytes("hash"), named("f", 20)));
    keyspace.apply(
        t ->
            HashExpiry.expireAt(
                t,
                0,
                bytes("hash"),
                t.nowMillis() + 500,
                ExpireCondition.ALWAYS,
                List.of(bytes("f1"), bytes("f2"))));
    keyspace.apply(t -> Sets.add(t, 0, bytes("packed set"), named("m", 3)));
    keyspace.apply(t -> Sets.add(t, 0, bytes("set"), named("m", 20)));
    keyspace.apply(t -> Sets.add(t, 0, bytes("integers"), named("", 20)));
    keyspace.apply(t -> Lists.push(t, 0, bytes("packed list"), ListEnd.TAIL, named("e", 3)));
    keyspace.apply(t -> Lists.push(t, 0, bytes("list"), ListEnd.TAIL, named("e", 300)));
    keyspace.apply(t -> Lists.remove(t, 0, bytes("list"), 0, bytes("e150")));
    addScored("packed sorted set", 3);
    addScored("sorted set", 600);
    addStream();
    keyspace.apply(t -> Sets.add(t, 3, bytes("old name"), named("m", 20)));
    keyspace.apply(t -> Keys.rename(t, 3, bytes("old name"), bytes("new name"), true));
    keyspace.apply(t -> Sets.add(t, 3, bytes("old name"), named("n", 9)));
    keyspace.apply(t -> expire(t, 0, "set"));
    keyspace.takeAllEvents();
  }

  private static byte[][] named(String start, int count) {
    return IntStream.range(0, count).mapToObj(i -> bytes(start + i)).toArray(byte[][]::new);
  }

  private static void expire(Transaction transaction, int database, String key) {
    long moment = transaction.nowMillis() + 1000;
    Keys.expireAt(transaction, database, bytes(key), moment, ExpireCondition.ALWAYS);
  }

  private void addScored(String key, int members) {
    double[] scores = IntStream.range(0, members).mapToDouble(i -> i / 7).toArray();
    List<byte[]> names = List.of(named("m", members));
    keyspace.apply(t -> ZSets.add(t, 0, bytes(key), ZAddCondition.NONE, scores, names));
  }

  private void addStream() {
    byte[] key = bytes("stream");
    for (int i = 1; i <= 9; i++) {
      Streams.NewId id = new Streams.NewId(i, 0, false, false);
      keyspace.apply(
          t -> Streams.add(t, 0, key, id, List.of(bytes("field"), bytes("v")), true, null));
    }
    keyspace.apply(
        t -> StreamGroups.create(t, 0, key, bytes("group"), null, StreamGroups.UNKNOWN, false));
    keyspace.apply(t -> StreamGroups.setId(t, 0, key, bytes("group"), StreamId.MIN, 0));
    for (String consumer : List.of("ann", "bob")) {
      keyspace.apply(
          t ->
              StreamGroups.readNew(
                  t, 0, key, bytes("group"), bytes(consumer), 3, false, (id, items) -> {}));
    }
  }

  /** What deletions leave behind: popped elements, dead versions, a database that is dead. */
  private void deleteSome() {
    keyspace.apply(t -> Lists.pop(t, 0, bytes("list"), ListEnd.HEAD, 180));
    keyspace.apply(t -> Keys.delete(t, 3, bytes("old name")));
    keyspace.apply(t -> Sets.add(t, 5, bytes("flushed"), named("m", 20)));
    keyspace.apply(t -> expire(t, 5, "flushed"));
    keyspace.apply(t -> t.flush(5));
  }

  private List<Inconsistency> found() {
    List<Inconsistency> found = new ArrayList<>();
    try (StoreView view = keyspace.store.view()) {
      ContentCheck.Summary summary =
          ContentCheck.run(view, keyspace.store::counter, 16, found::add);
      assertEquals(found.size(), summary.inconsistencies());
    }
    return found;
  }

  private void write(Consumer<StoreBatch> writes) {
    StoreBatch batch = new StoreBatch();
    writes.accept(batch);
    keyspace.store.write(batch);
  }

  /** Puts something in the place of an entry for as long as it takes to find it. */
  private List<Inconsistency> foundWith(byte[] stored, byte @Nullable [] value) {
    byte[] old = keyspace.storedValue(stored);
    set(stored, value);
    List<Inconsistency> found = found();
    set(stored, old);
    return found;
  }

  private void set(byte[] stored, byte @Nullable [] value) {
    write(
        batch -> {
          if (value == null) {
            batch.delete(stored);
          } else {
            batch.put(stored, value);
          }
        });
  }

  @Test
  void whatHangsTogetherIsFoundSo() {
    assertEquals(List.of(), found());
    deleteSome();
    assertEquals(List.of(), found());
  }

  @Test
  void keysAndEntriesAreCounted() {
    try (StoreView view = keyspace.store.view()) {
      ContentCheck.Summary summary =
          ContentCheck.run(view, keyspace.store::counter, 16, what -> {});
      assertEquals(14, summary.keys());
      long members = 0;
      for (byte tag : MEMBER_TAGS) {
        members += keyspace.stored(tag).size();
      }
      long expiryKeys = keyspace.stored(KeyFormat.EXPIRY).size();
      assertEquals(14 + members + expiryKeys, summary.entries());
    }
  }

  @Test
  void eachEntryThatIsMissingIsMissed() {
    for (byte tag : MEMBER_TAGS) {
      assertFalse(keyspace.stored(tag).isEmpty(), () -> "none of " + (char) tag);
      for (byte[] stored : keyspace.stored(tag)) {
        assertFalse(foundWith(stored, null).isEmpty(), () -> Names.entry(stored));
      }
    }
    for (byte tag : new byte[] {KeyFormat.META, KeyFormat.EXPIRY}) {
      for (byte[] stored : keyspace.stored(tag)) {
        assertFalse(foundWith(stored, null).isEmpty(), () -> Names.entry(stored));
      }
    }
    assertEquals(List.of(), found());
  }

  @Test
  void eachEntryOfAnotherVersionIsFound() {
    for (byte tag : MEMBER_TAGS) {
      for (byte[] stored : keyspace.stored(tag)) {
        CollectionKeys its = keys(stored, KeyFormat.version(stored));
        byte[] other = keys(stored, KeyFormat.version(stored) + 1000).translate(its, stored);
        List<Inconsistency> found =
            foundWith(other, Objects.requireNonNull(keyspace.storedValue(stored)));
        assertEquals(1, found.size(), () -> Names.entry(stored) + found);
        assertEquals("they belong to no key, and are not declared dead", found.get(0).what());
      }
    }
  }

  private static CollectionKeys keys(byte[] stored, long version) {
    return new CollectionKeys(KeyFormat.databaseId(stored), KeyFormat.userKey(stored), version);
  }

  @Test
  void aLivingCollectionThatIsDeclaredDeadIsFound() {
    for (String key : List.of("hash", "set", "list", "sorted set", "stream", "fragments")) {
      CollectionKeys keys = keyspace.held(0, bytes(key)).keys(0, bytes(key));
      byte[] record = bytes("\0".repeat(25));
      record[0] = (byte) (0x10 | keyspace.held(0, bytes(key)).type().code());
      record[17] = (byte) 0x80;
      List<Inconsistency> found = foundWith(keys.prefix(KeyFormat.GARBAGE), record);
      assertTrue(
          found.stream().anyMatch(one -> one.what().equals("it is declared dead")),
          found::toString);
    }
  }

  @Test
  void aGarbageRecordThatIsMissingIsMissed() {
    deleteSome();
    List<byte[]> records = keyspace.stored(KeyFormat.GARBAGE);
    assertEquals(3, records.size());
    for (byte[] stored : records) {
      assertFalse(foundWith(stored, null).isEmpty(), () -> Names.entry(stored));
    }
  }

  @Test
  void eachCounterIsHeldAgainstWhatItCounts() {
    deleteSome();
    for (long counter :
        new long[] {
          CounterIds.keys(0),
          CounterIds.keys(3),
          CounterIds.keys(7),
          CounterIds.expires(0),
          CounterIds.GARBAGE_ENTRIES,
          CounterIds.GARBAGE_BYTES
        }) {
      write(batch -> batch.count(counter, 1));
      assertEquals(1, found().size());
      write(batch -> batch.count(counter, -1));
    }
  }

  @Test
  void membersAndScoresThatDisagreeAreFound() {
    byte[] key = bytes("sorted set");
    CollectionKeys keys = keyspace.held(0, key).keys(0, key);
    byte[] score = new byte[Double.BYTES];
    OrderedNumbers.putDouble(score, 0, 3.5);
    assertFound("member \"m7\" is filed under a score", keys.member(bytes("m7")), score);
    byte[] bucket = keyspace.stored(KeyFormat.RANK).get(1);
    long entries = RankFormat.entries(Objects.requireNonNull(keyspace.storedValue(bucket)));
    assertFound(
        "counts " + (entries + 1) + " members", bucket, RankFormat.value(0, entries + 1, 0));
    byte[] moved = bucket.clone();
    moved[moved.length - 1]++;
    assertFound("a bucket of level 0 counts 0 members", moved, RankFormat.value(0, 0, 0));
  }

  @Test
  void aMemberUnderAnotherHashIsFound() {
    byte[] key = bytes("set");
    byte[] stored = keyspace.held(0, key).keys(0, key).member(bytes("other"));
    stored[stored.length - 6]++;
    assertFound("is filed under another hash", stored, new byte[0]);
  }

  @Test
  void elementsWhereNoneMayBeAreFound() {
    byte[] key = bytes("list");
    CollectionKeys keys = keyspace.held(0, key).keys(0, key);
    assertFound("in a gap", keys.element(150), bytes("e150"));
    assertFound("what was popped at position 400", keys.element(400), bytes("e"));
    assertFound("bytes of elements are said", keys.element(7), bytes("longer than before"));
  }

  @Test
  void fragmentsThatAreNotWithinTheirStringAreFound() {
    byte[] key = bytes("fragments");
    CollectionKeys keys = keyspace.held(0, key).keys(0, key);
    byte[] whole = bytes("x".repeat(FRAGMENT_BYTES));
    assertFound("fragment 6 of 16 bytes is not within", keys.element(6), whole);
    assertFound("ends with a zero", keys.element(3), new byte[FRAGMENT_BYTES]);
  }

  @Test
  void fieldsThatExpireAndAreNotKnownToAreFound() {
    byte[] key = bytes("hash");
    CollectionKeys keys = keyspace.held(0, key).keys(0, key);
    byte[] moment = new byte[Long.BYTES];
    OrderedNumbers.putLong(moment, 0, keyspace.nowMillis + 700);
    assertFound("is not found by that", keys.field(bytes("f1")), moment);
    assertFound("expires and is not there", keys.field(bytes("f99")), moment);
    OrderedNumbers.putLong(moment, 0, keyspace.nowMillis);
    assertFound("before the first one of its hash", keys.field(bytes("f1")), moment);
  }

  @Test
  void packedMembersThatAreOutOfOrderAreFound() {
    PackedMembers twice = PackedMembers.empty(ValueType.SET);
    twice.append(bytes("red"));
    twice.append(bytes("red"));
    assertFound("is there twice", KeyFormat.meta(0, bytes("packed set")), packed(0x13, twice));
    PackedMembers reversed = PackedMembers.empty(ValueType.ZSET);
    byte[] score = new byte[Double.BYTES];
    OrderedNumbers.putDouble(score, 0, 1);
    reversed.append(bytes("b"), score);
    reversed.append(bytes("a"), score);
    assertFound(
        "not in their order",
        KeyFormat.meta(0, bytes("packed sorted set")),
        packed(0x14, reversed));
    assertFound(
        "without members",
        KeyFormat.meta(0, bytes("packed list")),
        packed(0x12, PackedMembers.empty(ValueType.LIST)));
  }

  private static byte[] packed(int start, PackedMembers members) {
    byte[] value = members.toValue(2);
    value[0] = (byte) start;
    return value;
  }

  /** What cannot be read is said, and all else is read nevertheless. */
  @Test
  void valuesOfNoLayoutAreFound() {
    for (byte tag :
        new byte[] {
          KeyFormat.META, KeyFormat.GROUP, KeyFormat.CONSUMER, KeyFormat.PENDING, KeyFormat.ENTRY
        }) {
      for (byte[] stored : keyspace.stored(tag)) {
        byte[] value = Objects.requireNonNull(keyspace.storedValue(stored));
        List<Inconsistency> found = foundWith(stored, Arrays.copyOf(value, 1));
        assertTrue(
            found.stream().anyMatch(one -> one.what().contains("of only 1 bytes")),
            () -> Names.entry(stored) + found);
      }
    }
  }

  @Test
  void whatIsWrongNamesItsKey() {
    byte[] key = bytes("new name");
    Meta meta = keyspace.held(3, key);
    byte[] member = meta.keys(3, key).member(bytes("m1"));
    assertEquals(
        List.of(
            "key \"new name\" of database 3: 20 members are said, 19 are there",
            "key \"new name\" of database 3: 50 bytes of members are said, 48 are there"),
        foundWith(member, null).stream().map(Inconsistency::toString).toList());
  }

  private void assertFound(String what, byte[] stored, byte[] value) {
    List<Inconsistency> found = foundWith(stored, value);
    Stream<String> all = found.stream().map(Inconsistency::what);
    assertTrue(all.anyMatch(one -> one.contains(what)), () -> what + ": " + found);
  }
}
