package dev.varve.codec.zset;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.Keyspace;
import dev.varve.codec.KeyspaceCheck;
import dev.varve.codec.Meta;
import dev.varve.codec.RankCheck;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.rank.RankFormat;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;

/** Sorted sets against a map of scores and a sorted set of (score, member). Single-threaded. */
final class ZSetsModel {
  private static final byte[] KEY = Keyspace.bytes("k");
  private static final byte[] TARGET = Keyspace.bytes("target");
  private static final int MANY = 100;
  private static final double[] FEW_SCORES = {
    0, -0.0, 1, -1, 1.5, 1e300, -1e300, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY
  };
  private static final Comparator<ScoredMember> ORDER =
      Comparator.comparingDouble((ScoredMember each) -> each.score() + 0.0)
          .thenComparing(ScoredMember::member, Arrays::compareUnsigned);

  private final SplittableRandom random;
  private final Keyspace keyspace;
  private final int members;
  private int levelsMax;
  private final boolean sameScores;
  private final TreeMap<byte[], Double> scores = new TreeMap<>(Arrays::compareUnsigned);
  private final TreeSet<ScoredMember> sorted = new TreeSet<>(ORDER);

  private ZSetsModel(long seed, int members, boolean sameScores) {
    random = new SplittableRandom(seed);
    keyspace = new Keyspace(seed);
    this.members = members;
    this.sameScores = sameScores;
  }

  /**
   * Does random operations and compares all along.
   *
   * @return how many levels of counted buckets there were at most
   */
  static int run(long seed, int members, boolean sameScores, int operations) {
    return run(new ZSetsModel(seed, members, sameScores), seed, operations);
  }

  /** The same with counted buckets in memory. */
  static int runResident(long seed, int members, int operations) {
    ZSetsModel model = new ZSetsModel(seed, members, false);
    model.keyspace.store.keepResident();
    return run(model, seed, operations);
  }

  private static int run(ZSetsModel model, long seed, int operations) {
    try {
      for (int i = 0; i < operations; i++) {
        model.step(i * 10L / operations % 2 == 0);
        if (i % 200 == 0) {
          model.checkAll();
        }
      }
      model.checkAll();
      return model.levelsMax;
    } catch (AssertionError | RuntimeException failure) {
      throw new AssertionError("seed " + seed + ", " + model.members + " members", failure);
    }
  }

  /** For results that assertEquals takes as they are. */
  private long number(Function<Transaction, Long> operation) {
    return keyspace.run(operation);
  }

  private byte[] member() {
    int number = random.nextInt(members);
    // Binary, some empty, some the start of others.
    byte[] member = new byte[number % 7];
    Arrays.fill(member, (byte) (number * 31));
    byte[] whole = Arrays.copyOf(member, member.length + 2);
    whole[member.length] = (byte) (number >>> 8);
    whole[member.length + 1] = (byte) number;
    return number == 0 ? new byte[0] : whole;
  }

  private double score() {
    if (sameScores) {
      return 7;
    }
    return random.nextInt(10) == 0
        ? FEW_SCORES[random.nextInt(FEW_SCORES.length)]
        : random.nextInt(members) / 4.0 - 10;
  }

  private void step(boolean growing) {
    int kind = random.nextInt(100);
    if (kind < (growing ? 60 : 20)) {
      add();
    } else if (kind < (growing ? 65 : 45)) {
      remove();
    } else if (kind < 75) {
      increment();
    } else if (kind < 78) {
      pop();
    } else if (kind < 81) {
      removeRange();
    } else {
      read();
    }
  }

  private void put(byte[] member, double score) {
    drop(member);
    scores.put(member, score + 0.0);
    sorted.add(new ScoredMember(member, score + 0.0));
  }

  private void drop(byte[] member) {
    Double score = scores.remove(member);
    if (score != null) {
      sorted.remove(new ScoredMember(member, score));
    }
  }

  private void add() {
    int count = 1 + random.nextInt(isManyAtOnce() ? MANY : 4);
    List<byte[]> added = new ArrayList<>();
    double[] itsScores = new double[count];
    for (int i = 0; i < count; i++) {
      added.add(member());
      itsScores[i] = score();
    }
    boolean nx = random.nextInt(8) == 0;
    boolean xx = !nx && random.nextInt(8) == 0;
    boolean gt = !nx && random.nextInt(8) == 0;
    boolean lt = !nx && !gt && random.nextInt(8) == 0;
    long newOnes = 0;
    long updated = 0;
    for (int i = 0; i < count; i++) {
      Double old = scores.get(added.get(i));
      double score = itsScores[i] + 0.0;
      if (old == null ? xx : nx || (gt && score <= old) || (lt && score >= old)) {
        continue;
      }
      newOnes += old == null ? 1 : 0;
      updated += old != null && old != score ? 1 : 0;
      put(added.get(i), score);
    }
    ZSets.Added expected = new ZSets.Added(newOnes, updated);
    ZAddCondition condition = new ZAddCondition(nx, xx, gt, lt);
    assertEquals(expected, keyspace.run(t -> ZSets.add(t, 0, KEY, condition, itsScores, added)));
  }

  /** Members that one command names come in an order of their own if they are many. */
  private boolean isManyAtOnce() {
    return random.nextInt(16) == 0;
  }

  private void remove() {
    List<byte[]> gone = Stream.generate(this::member).limit(isManyAtOnce() ? MANY : 2).toList();
    long expected = 0;
    for (byte[] member : gone) {
      expected += scores.containsKey(member) ? 1 : 0;
      drop(member);
    }
    assertEquals(expected, number(t -> ZSets.remove(t, 0, KEY, gone)));
  }

  private void increment() {
    byte[] member = member();
    double delta = sameScores ? 0 : random.nextInt(-40, 40) / 4.0;
    double score = scores.containsKey(member) ? scores.get(member) + delta : delta;
    if (sameScores && !scores.containsKey(member)) {
      return;
    }
    put(member, score);
    assertEquals(
        score + 0.0,
        keyspace.run(t -> ZSets.increment(t, 0, KEY, ZAddCondition.NONE, delta, member)) + 0.0);
  }

  private void pop() {
    boolean highest = random.nextBoolean();
    int count = random.nextInt(random.nextInt(10) == 0 ? members : 5);
    List<ScoredMember> expected = new ArrayList<>();
    for (int i = 0; i < count && !sorted.isEmpty(); i++) {
      ScoredMember end = highest ? sorted.last() : sorted.first();
      expected.add(end);
      drop(end.member());
    }
    assertEquals(expected, keyspace.run(t -> ZSets.pop(t, 0, KEY, highest, count)));
  }

  private ZRange range() {
    return switch (random.nextInt(sameScores ? 3 : 2)) {
      case 0 ->
          new ZRange.ByRank(random.nextLong(-members, members), random.nextLong(-members, members));
      case 1 -> new ZRange.ByScore(score(), random.nextBoolean(), score(), random.nextBoolean());
      default -> new ZRange.ByLex(lexBound(), lexBound());
    };
  }

  private ZLexBound lexBound() {
    return switch (random.nextInt(5)) {
      case 0 -> ZLexBound.LOWEST;
      case 1 -> ZLexBound.HIGHEST;
      case 2 -> ZLexBound.exclusive(member());
      default -> ZLexBound.inclusive(member());
    };
  }

  private List<ScoredMember> inRange(ZRange range, boolean reverse) {
    List<ScoredMember> all = new ArrayList<>(sorted);
    if (range instanceof ZRange.ByRank ranks) {
      if (reverse) {
        Collections.reverse(all);
      }
      long size = all.size();
      long from = Math.max(0, ranks.start() < 0 ? ranks.start() + size : ranks.start());
      long to = Math.min(size, (ranks.stop() < 0 ? ranks.stop() + size : ranks.stop()) + 1);
      return from >= to ? List.of() : all.subList((int) from, (int) to);
    }
    all.removeIf(each -> !isIn(range, each));
    if (reverse) {
      Collections.reverse(all);
    }
    return all;
  }

  private static boolean isIn(ZRange range, ScoredMember member) {
    if (range instanceof ZRange.ByScore by) {
      return (by.minExclusive() ? member.score() > by.min() : member.score() >= by.min())
          && (by.maxExclusive() ? member.score() < by.max() : member.score() <= by.max());
    }
    ZRange.ByLex by = (ZRange.ByLex) range;
    int low = compare(member.member(), by.min());
    int high = compare(member.member(), by.max());
    return (by.min().exclusive ? low > 0 : low >= 0) && (by.max().exclusive ? high < 0 : high <= 0);
  }

  private static int compare(byte[] member, ZLexBound bound) {
    if (bound.member == null) {
      return bound == ZLexBound.LOWEST ? 1 : -1;
    }
    return Arrays.compareUnsigned(member, bound.member);
  }

  private void removeRange() {
    ZRange range = range();
    List<ScoredMember> gone = List.copyOf(inRange(range, false));
    // Large ranges now and then only, or the set never grows.
    if (gone.size() > members / 20 && random.nextInt(20) != 0) {
      return;
    }
    for (ScoredMember each : gone) {
      drop(each.member());
    }
    assertEquals(gone.size(), number(t -> ZSets.removeRange(t, 0, KEY, range)));
  }

  private void read() {
    byte[] member = member();
    Double score = scores.get(member);
    double found = keyspace.run(t -> ZSets.score(t, 0, KEY, member));
    assertEquals(score == null ? ZSets.NO_SCORE : score.doubleValue(), found);
    boolean reverse = random.nextBoolean();
    long rank = -1;
    if (score != null) {
      ScoredMember it = new ScoredMember(member, score);
      rank = reverse ? sorted.tailSet(it, false).size() : sorted.headSet(it).size();
    }
    assertEquals(rank, number(t -> Ranks.rank(t, 0, KEY, member, reverse)));

    ZRange range = range();
    assertEquals(inRange(range, false).size(), number(t -> ZSets.count(t, 0, KEY, range)));
    List<ScoredMember> all = inRange(range, reverse);
    long offset = random.nextInt(3) == 0 ? offset() : 0;
    long count = random.nextInt(3) == 0 ? random.nextInt(20) : -1;
    List<ScoredMember> expected =
        all.stream().skip(offset).limit(count < 0 ? Long.MAX_VALUE : count).toList();
    ScoredMemberList list = new ScoredMemberList();
    long handed = number(t -> ZSets.range(t, 0, KEY, range, reverse, offset, count, list));
    assertEquals(expected, list.members());
    assertEquals(expected.size(), handed);
    if (random.nextInt(20) == 0) {
      storeRange(range, reverse, offset, count, expected);
      drawAtRandom();
    }
  }

  private long offset() {
    return random.nextInt(8) == 0
        ? Long.MAX_VALUE - random.nextInt(members)
        : random.nextInt(members);
  }

  private void storeRange(
      ZRange range, boolean reverse, long offset, long count, List<ScoredMember> expected) {
    assertEquals(
        expected.size(),
        number(t -> ZSets.storeRange(t, 0, TARGET, KEY, range, reverse, offset, count)));
    List<ScoredMember> upwards = new ArrayList<>(expected);
    upwards.sort(ORDER);
    assertEquals(upwards, all(TARGET));
    check(TARGET);
  }

  private List<ScoredMember> all(byte[] key) {
    ScoredMemberList list = new ScoredMemberList();
    ZRange all = new ZRange.ByRank(0, -1);
    number(t -> ZSets.range(t, 0, key, all, false, 0, -1, list));
    return list.members();
  }

  private void drawAtRandom() {
    int count = random.nextInt(members);
    ScoredMemberList distinct = new ScoredMemberList();
    long drawn = number(t -> ZRandom.distinct(t, 0, KEY, count, distinct));
    assertEquals(Math.min(count, sorted.size()), drawn);
    Set<ScoredMember> found = new HashSet<>(distinct.members());
    assertEquals(drawn, found.size());
    assertTrue(sorted.containsAll(found));
    ScoredMemberList any = new ScoredMemberList();
    long drawnAgain = number(t -> ZRandom.any(t, 0, KEY, 5, any));
    assertEquals(sorted.isEmpty() ? 0 : 5, drawnAgain);
    assertTrue(sorted.containsAll(any.members()));
  }

  private void checkAll() {
    assertEquals(new ArrayList<>(sorted), all(KEY));
    assertEquals(sorted.size(), number(t -> ZSets.size(t, 0, KEY)));
    Map<ScoredMember, Integer> scanned = new HashMap<>();
    long position = 0;
    do {
      long from = position;
      ScoredMemberList step = new ScoredMemberList();
      position = number(t -> ZScan.scan(t, 0, KEY, from, 10, null, step));
      step.members().forEach(each -> scanned.merge(each, 1, Integer::sum));
    } while (position != 0);
    assertEquals(sorted.size(), scanned.size());
    assertTrue(scanned.values().stream().allMatch(times -> times == 1));
    assertTrue(sorted.containsAll(scanned.keySet()));
    check(KEY);
    KeyspaceCheck.assertConsistent(keyspace);
  }

  private void check(byte[] key) {
    keyspace.apply(
        transaction -> {
          Meta meta = transaction.find(0, key);
          if (meta != null && meta.isSpread()) {
            levelsMax = Math.max(levelsMax, meta.rankLevels());
            if (Arrays.equals(key, KEY)) {
              long bytes = sorted.stream().mapToLong(each -> each.member().length + 8L).sum();
              assertEquals(bytes, meta.bytes());
            }
            RankCheck.assertConsistent(transaction, meta.keys(0, key), meta, RankFormat.SIZES);
          }
        });
    assertEquals(
        sorted.isEmpty() ? 0 : 1,
        keyspace.stored(KeyFormat.META).stream()
            .filter(stored -> Arrays.equals(KeyFormat.userKey(stored), KEY))
            .count());
  }
}
