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
import dev.varve.codec.KeyspaceCheck;
import dev.varve.codec.Meta;
import dev.varve.codec.PackedLimits;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.format.MemberHash;
import dev.varve.codec.rank.RankFormat;
import dev.varve.codec.store.StoreView;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ZSetsTest extends ZSetFixture {
  private static final ZRange ALL = new ZRange.ByRank(0, -1);

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

  @Test
  void copiesKeepTheirRanks() {
    fill("k", 1000);
    keyspace.apply(t -> Keys.copy(t, 0, KEY, 3, bytes("copy"), false));
    assertEquals(
        700L, keyspace.<Long>run(t -> Ranks.rank(t, 3, bytes("copy"), bytes("m00700"), false)));
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

  /** What is popped stays in the store until the end of the transaction, and stores may show it. */
  @ParameterizedTest
  @ValueSource(ints = {200, 600, 2_000})
  void whatATransactionHasPoppedItDoesNotCount(int members) {
    keyspace.store.showBeyondBounds();
    ZRange upper = new ZRange.ByScore(members / 2, false, INFINITY, false);
    ZRange lower = new ZRange.ByScore(-INFINITY, false, members / 2, true);
    fill("k", members);
    for (int popped : new int[] {1, 3, 99}) {
      int left = members / 2 - popped;
      keyspace.apply(
          t -> {
            assertEquals(popped, ZSets.pop(t, 0, KEY, true, popped).size());
            assertEquals(left, ZSets.count(t, 0, KEY, upper));
            assertEquals(popped, ZSets.pop(t, 0, KEY, false, popped).size());
            assertEquals(left, ZSets.count(t, 0, KEY, lower));
            assertEquals(2 * left, ZSets.size(t, 0, KEY));
            assertEquals(left, ZSets.removeRange(t, 0, KEY, upper));
            assertEquals(left, ZSets.size(t, 0, KEY));
          });
      KeyspaceCheck.assertConsistent(keyspace);
      keyspace.apply(t -> Keys.delete(t, 0, KEY));
      fill("k", members);
    }
  }
}
