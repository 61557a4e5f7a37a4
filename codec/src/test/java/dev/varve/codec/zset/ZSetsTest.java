package dev.varve.codec.zset;

import static dev.varve.codec.Keyspace.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.DataException;
import dev.varve.codec.Glob;
import dev.varve.codec.Keys;
import dev.varve.codec.Keyspace;
import dev.varve.codec.KeyspaceCheck;
import dev.varve.codec.Meta;
import dev.varve.codec.PackedLimits;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.format.MemberHash;
import dev.varve.codec.format.ValueType;
import dev.varve.codec.member.Sets;
import dev.varve.codec.rank.RankFormat;
import dev.varve.codec.store.StoreView;
import dev.varve.codec.zset.ZAlgebra.Aggregate;
import dev.varve.codec.zset.ZAlgebra.Operation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ZSetsTest {
  private static final byte[] KEY = bytes("k");
  private static final ZRange ALL = new ZRange.ByRank(0, -1);
  private static final double INFINITY = Double.POSITIVE_INFINITY;

  private final Keyspace keyspace = new Keyspace();

  private ZSets.Added add(String key, Object... scoresAndMembers) {
    double[] scores = new double[scoresAndMembers.length / 2];
    List<byte[]> members = new ArrayList<>();
    for (int i = 0; i < scores.length; i++) {
      scores[i] = ((Number) scoresAndMembers[2 * i]).doubleValue();
      members.add(bytes((String) scoresAndMembers[2 * i + 1]));
    }
    return keyspace.run(t -> ZSets.add(t, 0, bytes(key), ZAddCondition.NONE, scores, members));
  }

  private void addSet(String key, String... members) {
    keyspace.apply(
        transaction -> {
          Meta meta = Meta.ofPacked(ValueType.SET);
          for (String member : members) {
            meta.packed().append(bytes(member));
          }
          transaction.save(0, bytes(key), meta);
        });
  }

  private String all(String key) {
    return all(key, 0, -1);
  }

  private String all(String key, long start, long stop) {
    ScoredMemberList list = new ScoredMemberList();
    ZRange ranks = new ZRange.ByRank(start, stop);
    keyspace.apply(t -> ZSets.range(t, 0, bytes(key), ranks, false, 0, -1, list));
    return list.members().toString();
  }

  private void fill(String key, int members) {
    double[] scores = new double[members];
    List<byte[]> names = new ArrayList<>();
    for (int i = 0; i < members; i++) {
      scores[i] = i;
      names.add(bytes(String.format("m%05d", i)));
    }
    keyspace.apply(t -> ZSets.add(t, 0, bytes(key), ZAddCondition.NONE, scores, names));
  }

  private Meta meta(String key) {
    return Objects.requireNonNull(keyspace.run(t -> t.find(0, bytes(key), ValueType.ZSET)));
  }

  private static List<byte[]> names(String... names) {
    return Stream.of(names).map(Keyspace::bytes).toList();
  }

  /** The examples of docs/formats/sorted-sets.md. */
  @Test
  void goldenBytes() {
    add("k", 2.5, "red", -1, "blue");
    byte[] packed = stored(KeyFormat.meta(0, KEY));
    assertEquals(
        "14 00 04 04 626c7565 08 400fffffffffffff 03 726564 08 c004000000000000",
        spaced(packed, 1, 2, 3, 4, 8, 9, 17, 18, 21, 22));

    fill("big", 513);
    List<byte[]> buckets = keyspace.stored(KeyFormat.RANK);
    assertEquals(2, buckets.size());
    String prefix = "72 00000000 00000003 626967 " + version("big") + " 00";
    assertEquals(prefix, spaced(buckets.get(0), 1, 5, 9, 12, 20));
    assertEquals("0000000000000100", spaced(stored(buckets.get(0))));
    assertEquals(
        prefix + " c070000000000000 6d3030323536", spaced(buckets.get(1), 1, 5, 9, 12, 20, 21, 29));
    assertEquals("0000000000000101", spaced(stored(buckets.get(1))));
    assertEquals("00000000000003e8 00000003", spaced(RankFormat.value(1, 1000, 3), 8));
  }

  private String version(String key) {
    return String.format("%016x", meta(key).version());
  }

  private byte[] stored(byte[] storedKey) {
    try (StoreView view = keyspace.store.view()) {
      return Objects.requireNonNull(view.get(storedKey));
    }
  }

  private static String spaced(byte[] bytes, int... cuts) {
    StringBuilder text = new StringBuilder();
    int from = 0;
    for (int cut : cuts) {
      text.append(HexFormat.of().formatHex(bytes, from, cut)).append(' ');
      from = cut;
    }
    return text.append(HexFormat.of().formatHex(bytes, from, bytes.length)).toString();
  }

  @Test
  void membersAreOrderedByScoreThenBytes() {
    add("k", 1, "b", INFINITY, "d", 1, "a", -INFINITY, "e", -0.0, "z", 0, "c");
    assertEquals("[e=-Infinity, c=0.0, z=0.0, a=1.0, b=1.0, d=Infinity]", all("k"));
  }

  @Test
  void aChangeThatChangesNothingIsNoEvent() {
    add("k", 1, "a", 0, "zero");
    assertEquals(List.of("zadd:k"), keyspace.takeEvents());
    assertEquals(new ZSets.Added(0, 0), add("k", 1, "a", -0.0, "zero"));
    assertEquals(List.of(), keyspace.takeEvents());
    assertEquals(new ZSets.Added(1, 1), add("k", 2, "a", 5, "b"));
    assertEquals(List.of("zadd:k"), keyspace.takeEvents());
  }

  @Test
  void infinitiesThatCancelOutAreRefusedAndChangeNothing() {
    add("k", INFINITY, "a");
    DataException refused =
        assertThrows(
            DataException.class,
            () ->
                keyspace.run(
                    t -> ZSets.increment(t, 0, KEY, ZAddCondition.NONE, -INFINITY, bytes("a"))));
    assertEquals("ERR resulting score is not a number (NaN)", refused.error());
    assertEquals("[a=Infinity]", all("k"));
  }

  private double increment(ZAddCondition condition, double delta, String member) {
    return keyspace.run(t -> ZSets.increment(t, 0, KEY, condition, delta, bytes(member)));
  }

  @Test
  void incrementsKeepToTheirCondition() {
    ZAddCondition onlyNew = new ZAddCondition(true, false, false, false);
    ZAddCondition onlyExisting = new ZAddCondition(false, true, false, false);
    ZAddCondition onlyGreater = new ZAddCondition(false, false, true, false);
    ZAddCondition onlyLess = new ZAddCondition(false, false, false, true);
    double none = ZSets.NO_SCORE;
    assertEquals(none, increment(onlyExisting, 1, "a"));
    assertEquals(List.of(), keyspace.takeEvents());
    assertEquals(0, keyspace.store.size());
    assertEquals(1, increment(onlyNew, 1, "a"));
    assertEquals(none, increment(onlyNew, 1, "a"));
    assertEquals(3, increment(onlyExisting, 2, "a"));
    assertEquals(none, increment(onlyExisting, 2, "b"));
    assertEquals(none, increment(onlyGreater, 0, "a"));
    assertEquals(none, increment(onlyGreater, -1, "a"));
    assertEquals(4, increment(onlyGreater, 1, "a"));
    assertEquals(none, increment(onlyLess, 0, "a"));
    assertEquals(none, increment(onlyLess, 1, "a"));
    assertEquals(2, increment(onlyLess, -2, "a"));
    assertEquals(7, increment(onlyLess, 7, "new"));
    assertEquals("[a=2.0, new=7.0]", all("k"));
    add("k", INFINITY, "top");
    assertEquals(none, increment(onlyNew, -INFINITY, "top"));
    keyspace.takeEvents();
    assertEquals(2, increment(ZAddCondition.NONE, 0, "a"));
    assertEquals(List.of(), keyspace.takeEvents());
    assertEquals(0, increment(ZAddCondition.NONE, 0, "zero"));
    assertEquals(List.of("zincr:k"), keyspace.takeEvents());
  }

  @Test
  void outgrowingThePackedLimitsSpreads() {
    fill("count", PackedLimits.DEFAULT.zsetEntriesMax());
    assertFalse(meta("count").isSpread());
    add("count", 1, "one more");
    assertTrue(meta("count").isSpread());
    assertEquals(129, meta("count").count());
    add("length", 1, "x".repeat(64));
    assertFalse(meta("length").isSpread());
    add("length", 1, "x".repeat(65));
    assertTrue(meta("length").isSpread());
    assertEquals(64 + 65 + 2 * 8, meta("length").bytes());
  }

  @Test
  void emptyingDeletesTheKeyWithItsExpiry() {
    for (int size : new int[] {3, 300}) {
      fill("k", size);
      Meta meta = meta("k");
      meta.setExpiryMillis(keyspace.nowMillis + 1000);
      keyspace.apply(t -> t.save(0, KEY, meta));
      keyspace.takeEvents();
      List<byte[]> names = new ArrayList<>();
      for (int i = 0; i < size; i++) {
        names.add(bytes(String.format("m%05d", i)));
      }
      keyspace.apply(t -> ZSets.remove(t, 0, KEY, names));
      assertEquals(List.of("zrem:k", "del:k"), keyspace.takeEvents());
      assertEquals(0, keyspace.store.size());
    }
  }

  @Test
  void removingAllBySomeRangeTakesOneGarbageRecord() {
    fill("k", 1000);
    keyspace.takeEvents();
    assertEquals(1000L, keyspace.<Long>run(t -> ZSets.removeRange(t, 0, KEY, ALL)));
    assertEquals(List.of("zremrangebyrank:k", "del:k"), keyspace.takeEvents());
    assertEquals(1, keyspace.stored(KeyFormat.GARBAGE).size());
    fill("k", 1000);
    assertEquals(1000, keyspace.run(t -> ZSets.pop(t, 0, KEY, true, 2000)).size());
    assertNull(keyspace.run(t -> t.find(0, KEY)));
    KeyspaceCheck.assertConsistent(keyspace);
  }

  @Test
  void whatIsLeftOfALargeSetIsWrittenAnew() {
    fill("k", 3000);
    Meta meta = meta("k");
    meta.setExpiryMillis(keyspace.nowMillis + 1000);
    keyspace.apply(t -> t.save(0, KEY, meta));
    keyspace.takeEvents();
    String lowest = all("k", 0, 9);
    String highest = all("k", -40, -1);
    long writes =
        keyspace.number(
            t -> {
              assertEquals(2950, ZSets.removeRange(t, 0, KEY, new ZRange.ByRank(10, -41)));
              return t.batch().writeCount();
            });
    assertTrue(writes <= 2 * 50 + 3, writes + " writes");
    assertEquals(List.of("zremrangebyrank:k"), keyspace.takeEvents());
    assertEquals(lowest, all("k", 0, 9));
    assertEquals(highest, all("k", 10, -1));
    assertTrue(meta("k").isSpread());
    assertEquals(keyspace.nowMillis + 1000, meta("k").expiryMillis());
    assertEquals(1, keyspace.stored(KeyFormat.EXPIRY).size());
    KeyspaceCheck.assertConsistent(keyspace);
  }

  @Test
  void expiredSetsAreGone() {
    fill("k", 300);
    Meta meta = meta("k");
    meta.setExpiryMillis(keyspace.nowMillis + 10);
    keyspace.apply(t -> t.save(0, KEY, meta));
    keyspace.nowMillis += 10;
    assertEquals("[]", all("k"));
    assertEquals(new ZSets.Added(1, 0), add("k", 5, "new"));
    assertEquals("[new=5.0]", all("k"));
  }

  @Test
  void otherTypesAreRefused() {
    addSet("k", "a");
    assertThrows(DataException.class, () -> add("k", 1, "a"));
    assertThrows(DataException.class, () -> all("k"));
  }

  private String compute(
      Operation operation, Aggregate aggregate, double @Nullable [] weights, String... keys) {
    return keyspace
        .run(t -> ZAlgebra.compute(t, 0, operation, names(keys), weights, aggregate))
        .toString();
  }

  private String compute(Operation operation, String... keys) {
    return compute(operation, Aggregate.SUM, null, keys);
  }

  @Test
  void unionsAddUpWeightedScores() {
    add("a", 1, "x", 2, "y", INFINITY, "i");
    add("b", 10, "y", 20, "z", -INFINITY, "i");
    addSet("s", "x", "z");
    assertEquals("[i=0.0, x=1.0, y=12.0, z=20.0]", compute(Operation.UNION, "a", "b", "none"));
    assertEquals(
        "[i=0.0, y=0.0, x=2.0, z=2.0]",
        compute(Operation.UNION, Aggregate.SUM, new double[] {2, 0}, "s", "b"));
    assertEquals(
        "[i=-Infinity, x=1.0, y=2.0, z=20.0]",
        compute(Operation.UNION, Aggregate.MIN, null, "a", "b"));
    assertEquals(
        "[x=1.0, y=10.0, z=20.0, i=Infinity]",
        compute(Operation.UNION, Aggregate.MAX, null, "a", "b"));
  }

  @Test
  void intersectionsAndDifferencesTakeSetsToo() {
    add("a", 1, "x", 2, "y", 3, "z");
    fill("big", 300);
    add("big", 10, "y", 20, "z");
    addSet("s", "z", "m00003");
    assertEquals("[y=12.0, z=23.0]", compute(Operation.INTERSECTION, "a", "big"));
    assertEquals("[z=24.0]", compute(Operation.INTERSECTION, "big", "s", "a"));
    assertEquals("[]", compute(Operation.INTERSECTION, "a", "none"));
    assertEquals("[x=1.0]", compute(Operation.DIFFERENCE, "a", "big", "s"));
    assertEquals("[]", compute(Operation.DIFFERENCE, "none", "a"));
    assertEquals("[]", compute(Operation.DIFFERENCE, "a", "a"));
    assertEquals(2, (long) keyspace.run(t -> ZAlgebra.countIntersection(t, 0, both(), 0)));
    assertEquals(1, (long) keyspace.run(t -> ZAlgebra.countIntersection(t, 0, both(), 1)));
    keyspace.apply(t -> t.save(0, bytes("text"), Meta.ofString(bytes("x"))));
    assertThrows(DataException.class, () -> compute(Operation.UNION, "none", "text"));
  }

  @Test
  void spreadSetsAreInputsLikePackedOnes() {
    List<byte[]> members = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      members.add(bytes("m" + i));
    }
    keyspace.run(t -> Sets.add(t, 0, bytes("s"), members.toArray(byte[][]::new)));
    add("a", 5, "m7", 6, "m299", 7, "other", 8, "m300");
    assertEquals("[m7=6.0, m299=7.0]", compute(Operation.INTERSECTION, "s", "a"));
    assertEquals("[other=7.0, m300=8.0]", compute(Operation.DIFFERENCE, "a", "s"));
    assertEquals(298, keyspace.run(t -> difference(t, "s", "a")).size());
    assertEquals(300 + 2, (long) storeUnion("s", "a"));
  }

  private static List<ScoredMember> difference(Transaction transaction, String... keys) {
    return ZAlgebra.compute(transaction, 0, Operation.DIFFERENCE, names(keys), null, Aggregate.SUM);
  }

  @Test
  void intersectionsWeightEachSet() {
    add("a", 3, "x");
    add("b", 5, "x", 1, "y");
    double[] weights = {10, 100};
    assertEquals("[x=530.0]", compute(Operation.INTERSECTION, Aggregate.SUM, weights, "a", "b"));
    assertEquals("[x=350.0]", compute(Operation.INTERSECTION, Aggregate.SUM, weights, "b", "a"));
    assertEquals("[x=500.0]", compute(Operation.INTERSECTION, Aggregate.MAX, weights, "a", "b"));
  }

  /** Where infinities meet, the order of adding up is seen in the sum. */
  @Test
  void scoresAddUpFromTheSmallestSetOn() {
    add("one", INFINITY, "x");
    add("two", -INFINITY, "x", 0, "y");
    add("three", 5, "x", 1, "y", 2, "z");
    assertEquals("[x=5.0]", compute(Operation.INTERSECTION, "three", "one", "two"));
    assertEquals("[y=1.0, z=2.0, x=5.0]", compute(Operation.UNION, "three", "one", "two"));
  }

  private static List<byte[]> both() {
    return names("big", "a");
  }

  @Test
  void storingOverwritesWhateverTheTargetHeld() {
    add("a", 1, "x", 2, "y");
    addSet("target", "something");
    keyspace.takeEvents();
    assertEquals(2, (long) storeUnion("a", "none"));
    assertEquals("[x=1.0, y=2.0]", all("target"));
    assertEquals(List.of("zunionstore:target"), keyspace.takeEvents());
    assertEquals(0, (long) storeUnion("none"));
    assertEquals(List.of("del:target"), keyspace.takeEvents());
    assertEquals(0, (long) storeUnion("none"));
    assertEquals(List.of(), keyspace.takeEvents());
    fill("big", 60_000);
    assertEquals(60_000, (long) storeUnion("big"));
    assertEquals(2, meta("target").rankLevels());
    assertEquals(20_000, (long) rank("target", "m20000"));
    KeyspaceCheck.assertConsistent(keyspace);
  }

  @Test
  void storedSetsArePackedUpToTheLimits() {
    fill("count", 128);
    assertEquals(128, (long) storeUnion("count"));
    assertFalse(meta("target").isSpread());
    add("count", 1, "one more");
    storeUnion("count");
    assertTrue(meta("target").isSpread());
    add("length", 1, "x".repeat(64));
    storeUnion("length");
    assertFalse(meta("target").isSpread());
    add("length", 1, "x".repeat(65));
    storeUnion("length");
    assertTrue(meta("target").isSpread());
  }

  private Long storeUnion(String... keys) {
    return keyspace.run(
        t ->
            ZAlgebra.store(
                t, 0, bytes("target"), Operation.UNION, names(keys), null, Aggregate.SUM));
  }

  private Long rank(String key, String member) {
    return keyspace.run(t -> ZSets.rank(t, 0, bytes(key), bytes(member), false));
  }

  @Test
  void copiesKeepTheirRanks() {
    fill("k", 1000);
    keyspace.apply(t -> Keys.copy(t, 0, KEY, 3, bytes("copy"), false));
    assertEquals(
        700L, keyspace.<Long>run(t -> ZSets.rank(t, 3, bytes("copy"), bytes("m00700"), false)));
    keyspace.apply(t -> Keys.rename(t, 0, KEY, bytes("renamed"), false));
    add("renamed", 0.5, "between");
    assertEquals(701, (long) rank("renamed", "m00700"));
  }

  @Test
  void scansFilterAndEndWhateverThePosition() {
    fill("k", 1000);
    ScoredMemberList found = new ScoredMemberList();
    long position = 0;
    do {
      long from = position;
      position =
          keyspace.run(t -> ZScan.scan(t, 0, KEY, from, 7, new Glob(bytes("m0000?")), found));
    } while (position != 0);
    assertEquals(10, found.members().size());
    for (long beyond : new long[] {-1, 1L << 32, Long.MIN_VALUE}) {
      assertEquals(0, (long) keyspace.run(t -> ZScan.scan(t, 0, KEY, beyond, 7, null, found)));
    }
    assertEquals(10, found.members().size());
    keyspace.apply(t -> ZScan.scan(t, 0, KEY, 0, 25, null, found));
    assertEquals(35, found.members().size());
  }

  @Test
  void scansDoNotPartMembersOfOneHash() {
    Map<Integer, String> byHash = new HashMap<>();
    String twin = "";
    String other = null;
    for (int i = 0; other == null; i++) {
      twin = "t" + i;
      other = byHash.putIfAbsent(MemberHash.of(bytes(twin), 0, twin.length()), twin);
    }
    fill("k", 300);
    add("k", 1, twin, 2, other);
    ScoredMemberList found = new ScoredMemberList();
    long position = 0;
    int steps = 0;
    do {
      long from = position;
      position = keyspace.run(t -> ZScan.scan(t, 0, KEY, from, 1, null, found));
      steps++;
    } while (position != 0 && steps < 400);
    assertEquals(301, steps);
    assertEquals(302, found.members().size());
    assertEquals(302, new HashSet<>(found.members()).size());
  }

  @Test
  void fewOfManyRandomMembersAreDifferentOnes() {
    fill("k", 6400);
    Set<ScoredMember> everDrawn = new HashSet<>();
    for (int i = 0; i < 20; i++) {
      ScoredMemberList drawn = new ScoredMemberList();
      keyspace.apply(t -> ZRandom.distinct(t, 0, KEY, 90, drawn));
      assertEquals(90, new HashSet<>(drawn.members()).size());
      everDrawn.addAll(drawn.members());
    }
    assertTrue(everDrawn.size() > 1000, everDrawn.size() + " of 1800 draws");
  }

  @Test
  void mixedScoresInRangesByBytesAreNoError() {
    add("k", 1, "b", 2, "a", 3, "c");
    ZRange range =
        new ZRange.ByLex(ZLexBound.inclusive(bytes("a")), ZLexBound.inclusive(bytes("b")));
    assertEquals(2, (long) keyspace.run(t -> ZSets.count(t, 0, KEY, range)));
  }

  @Test
  void whatIsLeftIsFoundAfterAPopFromASetThatWasSpreadWhileEmpty() {
    String long65 = "x".repeat(65);
    add("k", 9, long65, -9, "m");
    keyspace.run(t -> ZSets.pop(t, 0, KEY, false, 1));
    assertEquals("[" + long65 + "=9.0]", all("k"));
    add("other", 9, long65, 1, "a", -9, "m");
    keyspace.run(t -> ZSets.remove(t, 0, bytes("other"), List.of(bytes("a"))));
    assertEquals("[m=-9.0, " + long65 + "=9.0]", all("other"));
  }
}
