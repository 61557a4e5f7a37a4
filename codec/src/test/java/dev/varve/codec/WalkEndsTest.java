package dev.varve.codec;

import static dev.varve.codec.Keyspace.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.format.StreamId;
import dev.varve.codec.list.ListEnd;
import dev.varve.codec.list.Lists;
import dev.varve.codec.member.HashExpiry;
import dev.varve.codec.member.Hashes;
import dev.varve.codec.member.MemberCursor;
import dev.varve.codec.member.SetAlgebra;
import dev.varve.codec.member.Sets;
import dev.varve.codec.stream.StreamClaims;
import dev.varve.codec.stream.StreamGroups;
import dev.varve.codec.stream.StreamTrim;
import dev.varve.codec.stream.Streams;
import dev.varve.codec.string.StringBytes;
import dev.varve.codec.string.Strings;
import dev.varve.codec.zset.Ranks;
import dev.varve.codec.zset.ScoredMemberVisitor;
import dev.varve.codec.zset.ZAddCondition;
import dev.varve.codec.zset.ZAlgebra;
import dev.varve.codec.zset.ZLexBound;
import dev.varve.codec.zset.ZRandom;
import dev.varve.codec.zset.ZRange;
import dev.varve.codec.zset.ZScan;
import dev.varve.codec.zset.ZSets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Walks over a collection between two others of which all but one member was deleted: none looks at
 * what they have left behind, and there may be millions.
 */
class WalkEndsTest {
  /** In the order of their keys. */
  private static final String BEFORE = "A";

  private static final String KEY = "B";
  private static final String BEHIND = "C";
  private static final List<String> ALL = List.of(BEFORE, KEY, BEHIND);

  private static final int MEMBERS = 600;

  /** What a command has left behind itself, a walk of the next one may pass. */
  private static final int OWN_MAX = 2;

  private static final byte[] GROUP = bytes("z group");
  private static final byte[] CONSUMER = bytes("z consumer");
  private static final double INFINITY = Double.POSITIVE_INFINITY;
  private static final ScoredMemberVisitor NOBODY = (array, offset, length, score) -> {};

  private final Keyspace keyspace = new Keyspace();
  private final CountedWalks walks = new CountedWalks(keyspace);

  private static byte[] member(int number) {
    return bytes(String.format("m%05d", number));
  }

  private static void walk(MemberCursor members) {
    try (members) {
      while (members.next()) {
        assertTrue(members.length() > 0);
      }
    }
  }

  private static void hand(MemberCursor members) {
    try (members) {
      members.handRest((array, offset, length) -> assertTrue(length > 0));
    }
  }

  private void fillSets(String... keys) {
    for (String key : keys) {
      for (int i = 0; i < MEMBERS; i++) {
        byte[] member = member(i);
        keyspace.apply(t -> Sets.add(t, 0, bytes(key), member));
      }
    }
  }

  private void emptySet(String key) {
    // One after the other, as a client does; but for one, or all of it would be one record.
    for (int i = 1; i < MEMBERS; i++) {
      byte[] member = member(i);
      keyspace.apply(t -> Sets.remove(t, 0, bytes(key), member));
    }
  }

  private static void union(Transaction transaction, byte[] key) {
    ZAlgebra.compute(
        transaction,
        0,
        ZAlgebra.Operation.UNION,
        List.of(key),
        new double[] {1},
        ZAlgebra.Aggregate.SUM);
  }

  @Test
  void ofSets() {
    byte[] key = bytes(KEY);
    fillSets(BEFORE, KEY, BEHIND, "D");
    walks.put("SMEMBERS", t -> hand(Sets.members(t, 0, key)));
    walks.put("members by steps", t -> walk(Sets.members(t, 0, key)));
    walks.put("SSCAN", t -> Sets.scan(t, 0, key, 0, 10_000, null));
    walks.put("SRANDMEMBER", t -> Sets.randomMember(t, 0, key));
    walks.put("SRANDMEMBER of most", t -> Sets.randomMembers(t, 0, key, MEMBERS - 1));
    walks.put("SRANDMEMBER again and again", t -> walk(Sets.repeatingMembers(t, 0, key, 100)));
    for (SetAlgebra.Operation operation : SetAlgebra.Operation.values()) {
      walks.put("set " + operation, t -> walk(SetAlgebra.members(t, 0, operation, key)));
    }
    walks.put("COPY", t -> Keys.copy(t, 0, key, 1, bytes("copy"), true));
    walks.put("ZUNION", t -> union(t, key));
    // Those leave something behind themselves, so they are last.
    walks.put("SPOP of many", t -> Sets.pop(t, 0, key, MEMBERS / 2));
    emptySet(BEFORE);
    emptySet(BEHIND);
    walks.passAtMost(OWN_MAX);
  }

  @Test
  void ofHashes() {
    byte[] key = bytes(KEY);
    long soon = keyspace.nowMillis + 1_000;
    for (String each : ALL) {
      for (int i = 0; i < MEMBERS; i++) {
        byte[] field = member(i);
        keyspace.apply(t -> Hashes.set(t, 0, bytes(each), field, bytes("value")));
        keyspace.apply(
            t ->
                HashExpiry.expireAt(
                    t, 0, bytes(each), soon, ExpireCondition.ALWAYS, List.of(field)));
      }
    }
    walks.put("HGETALL", t -> hand(Hashes.fields(t, 0, key)));
    walks.put("HSCAN", t -> Hashes.scan(t, 0, key, 0, 10_000, null));
    walks.put("HRANDFIELD", t -> Hashes.randomField(t, 0, key));
    walks.put("HRANDFIELD of most", t -> Hashes.randomFields(t, 0, key, MEMBERS - 1, true));
    walks.put("COPY", t -> Keys.copy(t, 0, key, 1, bytes("copy"), true));
    walks.put(
        "HPERSIST",
        t -> {
          for (int i = 0; i < MEMBERS; i++) {
            HashExpiry.persist(t, 0, key, List.of(member(i)));
          }
        });
    for (String each : List.of(BEFORE, BEHIND)) {
      for (int i = 1; i < MEMBERS; i++) {
        byte[] field = member(i);
        keyspace.apply(t -> Hashes.delete(t, 0, bytes(each), field));
      }
    }
    walks.passAtMost(OWN_MAX);
  }

  @Test
  void ofFieldsThatExpire() {
    byte[] key = bytes(KEY);
    long soon = keyspace.nowMillis + 1_000;
    for (String each : ALL) {
      for (int i = 0; i < MEMBERS; i++) {
        byte[] field = member(i);
        keyspace.apply(t -> Hashes.set(t, 0, bytes(each), field, bytes("value")));
        if (i > 0) {
          keyspace.apply(
              t ->
                  HashExpiry.expireAt(
                      t, 0, bytes(each), soon, ExpireCondition.ALWAYS, List.of(field)));
        }
      }
    }
    for (String each : List.of(BEFORE, BEHIND)) {
      for (int i = 2; i < MEMBERS; i++) {
        byte[] field = member(i);
        keyspace.apply(t -> Hashes.delete(t, 0, bytes(each), field));
      }
    }
    keyspace.nowMillis = soon + 1;
    walks.put("HLEN of what has expired", t -> assertEquals(1, Hashes.size(t, 0, key)));
    walks.passAtMost(OWN_MAX);
  }

  private void fillSortedSets(int members) {
    for (String each : ALL) {
      for (int i = 0; i < members; i++) {
        double[] score = {i};
        List<byte[]> member = List.of(member(i));
        keyspace.apply(t -> ZSets.add(t, 0, bytes(each), ZAddCondition.NONE, score, member));
      }
    }
  }

  /** The walks of a sorted set that change nothing. */
  private void readSortedSet(byte[] key, int from, int to) {
    ZRange all = new ZRange.ByScore(-INFINITY, false, INFINITY, false);
    ZRange ranks = new ZRange.ByRank(0, -1);
    ZRange middle = new ZRange.ByRank((to - from) / 2, (to - from) / 2 + 9);
    for (boolean reverse : new boolean[] {false, true}) {
      String way = reverse ? " back" : "";
      walks.put("by score" + way, t -> ZSets.range(t, 0, key, all, reverse, 0, -1, NOBODY));
      walks.put("by rank" + way, t -> ZSets.range(t, 0, key, ranks, reverse, 0, -1, NOBODY));
      walks.put("in the middle" + way, t -> ZSets.range(t, 0, key, middle, reverse, 0, -1, NOBODY));
      walks.put("offset" + way, t -> ZSets.range(t, 0, key, all, reverse, 200, -1, NOBODY));
      walks.put("rank" + way, t -> Ranks.rank(t, 0, key, member(to - 1), reverse));
    }
    walks.put("ZCOUNT", t -> assertEquals(to - from, ZSets.count(t, 0, key, all)));
    walks.put(
        "ZLEXCOUNT",
        t -> ZSets.count(t, 0, key, new ZRange.ByLex(ZLexBound.LOWEST, ZLexBound.HIGHEST)));
    walks.put("ZRANDMEMBER", t -> ZRandom.any(t, 0, key, 50, NOBODY));
    walks.put("ZRANDMEMBER of most", t -> ZRandom.distinct(t, 0, key, to - from - 1, NOBODY));
  }

  @Test
  void ofSortedSets() {
    byte[] key = bytes(KEY);
    // So many that there is a level of buckets above those that count members.
    int members = 3 * 512;
    fillSortedSets(members);
    for (String each : List.of(BEFORE, BEHIND)) {
      for (int i = 1; i < members; i++) {
        List<byte[]> member = List.of(member(i));
        keyspace.apply(t -> ZSets.remove(t, 0, bytes(each), member));
      }
    }
    readSortedSet(key, 0, members);
    walks.put("ZSCAN", t -> ZScan.scan(t, 0, key, 0, 10_000, null, NOBODY));
    walks.put("COPY", t -> Keys.copy(t, 0, key, 1, bytes("copy"), true));
    walks.put("ZUNION", t -> union(t, key));
    walks.put(
        "ZADD behind",
        t -> {
          for (int i = 0; i < 600; i++) {
            ZSets.add(
                t,
                0,
                key,
                ZAddCondition.NONE,
                new double[] {members + i},
                List.of(member(members + i)));
          }
        });
    walks.put(
        "ZADD moves",
        t -> {
          for (int i = 0; i < 200; i++) {
            ZSets.add(
                t,
                0,
                key,
                ZAddCondition.NONE,
                new double[] {members + 600 + i},
                List.of(member(2 * i)));
          }
        });
    walks.put("ZPOPMAX", t -> ZSets.pop(t, 0, key, true, 1));
    walks.put("ZPOPMIN", t -> ZSets.pop(t, 0, key, false, 1));
    walks.put("ZREMRANGEBYRANK", t -> ZSets.removeRange(t, 0, key, new ZRange.ByRank(-600, -1)));
    walks.passAtMost(OWN_MAX);
  }

  @Test
  void ofSortedSetsWithPoppedEnds() {
    byte[] key = bytes(KEY);
    int members = 20 * 512;
    int popped = 4_700;
    fillSortedSets(members);
    for (int i = 0; i < popped; i++) {
      keyspace.apply(t -> ZSets.pop(t, 0, key, false, 1));
      keyspace.apply(t -> ZSets.pop(t, 0, key, true, 1));
    }
    readSortedSet(key, popped, members - popped);
    walks.passAtMost(OWN_MAX);
  }

  @Test
  void ofLongStrings() {
    byte[] key = bytes(KEY);
    keyspace.packedLimits = PackedLimits.DEFAULT.withStrings(100, 100, 16, 16);
    byte[] zeroes = new byte[16 * MEMBERS - 16];
    for (String each : ALL) {
      keyspace.apply(t -> Strings.set(t, 0, bytes(each), bytes("x".repeat(16 * MEMBERS))));
    }
    for (String each : List.of(BEFORE, BEHIND)) {
      keyspace.apply(t -> Strings.setRange(t, 0, bytes(each), 0, zeroes, Strings.BYTES_MAX));
    }
    walks.put("GETRANGE", t -> StringBytes.of(Strings.getRange(t, 0, key, 0, -1)));
    walks.put("COPY", t -> Keys.copy(t, 0, key, 1, bytes("copy"), true));
    walks.passAtMost(OWN_MAX);
  }

  @Test
  void ofListsBeforeKeysThatWereDeleted() {
    byte[] key = bytes("a list");
    keyspace.packedLimits = new PackedLimits(8, 64, 8, 64, 8, 64, 8, 64);
    for (int i = 0; i < MEMBERS; i++) {
      byte[] element = member(i);
      keyspace.apply(t -> Lists.push(t, 0, key, ListEnd.TAIL, element));
      // The keys are what comes behind all elements.
      keyspace.apply(t -> Strings.set(t, 0, element, bytes("value")));
      keyspace.apply(t -> Keys.delete(t, 0, element));
    }
    walks.put("LRANGE", t -> walk(Lists.range(t, 0, key, 0, -1)));
    walks.put("LRANGE handed", t -> hand(Lists.elements(t, 0, key)));
    walks.put("COPY", t -> Keys.copy(t, 0, key, 1, bytes("copy"), true));
    walks.passAtMost(OWN_MAX);
  }

  private void addToStream(String key, int id) {
    Streams.NewId newId = new Streams.NewId(id, 0, false, false);
    List<byte[]> items = List.of(bytes("field"), bytes("value"));
    keyspace.apply(t -> Streams.add(t, 0, bytes(key), newId, items, true, null));
  }

  private static StreamId id(int millis) {
    return new StreamId(millis, 0);
  }

  @Test
  void ofStreams() {
    byte[] key = bytes(KEY);
    for (String each : ALL) {
      for (int i = 1; i <= 2 * MEMBERS; i++) {
        addToStream(each, i);
      }
      // Its own front is trimmed.
      StreamTrim trim = StreamTrim.toLength(MEMBERS, false, 0);
      keyspace.apply(t -> Streams.trim(t, 0, bytes(each), trim));
    }
    for (String each : List.of(BEFORE, BEHIND)) {
      for (int i = MEMBERS + 1; i < 2 * MEMBERS; i++) {
        List<StreamId> ids = List.of(id(i));
        keyspace.apply(t -> Streams.delete(t, 0, bytes(each), ids));
      }
    }
    for (boolean reverse : new boolean[] {false, true}) {
      walks.put(
          "XRANGE" + (reverse ? " back" : ""),
          t -> Streams.walk(t, 0, key, StreamId.MIN, StreamId.MAX, reverse, (id, items) -> true));
    }
    walks.put("XREAD at the end", t -> Streams.firstAfter(t, 0, key, id(2 * MEMBERS)));
    walks.put("XREAD before it", t -> Streams.firstAfter(t, 0, key, id(2 * MEMBERS - 1)));
    walks.put("COPY", t -> Keys.copy(t, 0, key, 1, bytes("copy"), true));
    walks.put("XDEL of the last", t -> Streams.delete(t, 0, key, List.of(id(2 * MEMBERS))));
    walks.put("XTRIM", t -> Streams.trim(t, 0, key, StreamTrim.toLength(0, false, 0)));
    walks.passAtMost(OWN_MAX);
  }

  @Test
  void whatIsOfAStreamsGroup() {
    byte[] key = bytes(KEY);
    List<byte[]> names = new ArrayList<>(List.of(GROUP));
    for (int i = 0; i < MEMBERS; i++) {
      names.add(member(i));
    }
    for (String each : ALL) {
      boolean isIt = each.equals(KEY);
      for (int i = 1; i <= MEMBERS; i++) {
        addToStream(each, i);
      }
      for (byte[] name : names.subList(0, isIt ? 1 : names.size())) {
        keyspace.apply(t -> StreamGroups.create(t, 0, bytes(each), name, StreamId.MIN, -1, false));
      }
      for (byte[] consumer : names.subList(1, isIt ? 3 : names.size())) {
        keyspace.apply(t -> StreamGroups.createConsumer(t, 0, bytes(each), GROUP, consumer));
      }
      keyspace.number(
          t ->
              StreamGroups.readNew(
                  t, 0, bytes(each), GROUP, CONSUMER, 0, false, (id, items) -> {}));
    }
    for (String each : List.of(BEFORE, BEHIND)) {
      for (byte[] name : names.subList(1, names.size())) {
        keyspace.apply(t -> StreamGroups.deleteConsumer(t, 0, bytes(each), GROUP, name));
        keyspace.apply(t -> StreamGroups.destroy(t, 0, bytes(each), name));
      }
      for (int i = 1; i < MEMBERS; i++) {
        List<StreamId> ids = List.of(id(i));
        keyspace.apply(t -> StreamGroups.acknowledge(t, 0, bytes(each), GROUP, ids));
      }
    }
    walks.put("XINFO GROUPS", t -> StreamGroups.groups(t, 0, key));
    walks.put("XINFO CONSUMERS", t -> StreamGroups.consumers(t, 0, key, GROUP));
    walks.put("XPENDING", t -> StreamClaims.summary(t, 0, key, GROUP));
    walks.put(
        "XPENDING of all",
        t ->
            StreamClaims.pending(
                t, 0, key, GROUP, null, StreamId.MIN, StreamId.MAX, entry -> true));
    walks.put(
        "XPENDING of one",
        t ->
            StreamClaims.pending(
                t, 0, key, GROUP, CONSUMER, StreamId.MIN, StreamId.MAX, entry -> true));
    walks.put(
        "XREADGROUP again",
        t ->
            StreamGroups.readPending(
                t, 0, key, GROUP, CONSUMER, StreamId.MIN, 0, (id, items) -> {}));
    walks.put("COPY", t -> Keys.copy(t, 0, key, 1, bytes("copy"), true));
    walks.put("XGROUP DELCONSUMER", t -> StreamGroups.deleteConsumer(t, 0, key, GROUP, CONSUMER));
    walks.put("XGROUP DESTROY", t -> StreamGroups.destroy(t, 0, key, GROUP));
    walks.passAtMost(OWN_MAX);
  }
}
