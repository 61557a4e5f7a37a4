package dev.varve.codec.zset;

import dev.varve.codec.Transaction;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Unions, intersections and differences of sorted sets and sets.
 *
 * <p>Pure functions of a transaction. All throw DataException WRONG_TYPE when a key holds something
 * else, before anything is written. A key that does not exist is an empty set; a set's members have
 * the score 1.
 */
public final class ZAlgebra {

  private ZAlgebra() {}

  /** What becomes of the scores that a member has in several sets. */
  public enum Aggregate {
    SUM,
    MIN,
    MAX;

    double of(double left, double right) {
      return switch (this) {
        case SUM -> unlessNaN(left + right);
        case MIN -> right < left ? right : left;
        case MAX -> right > left ? right : left;
      };
    }
  }

  /** What is done with the sets; with the name of the event when the result is stored. */
  public enum Operation {
    UNION("zunionstore"),
    INTERSECTION("zinterstore"),
    DIFFERENCE("zdiffstore");

    private final String event;

    Operation(String event) {
      this.event = event;
    }
  }

  private record Weighted(ZSource source, double weight) {
    /** Infinity times zero counts as zero, as Redis has it. */
    double weighted(double score) {
      return unlessNaN(weight * score);
    }
  }

  /**
   * Looks at the types of keys alone.
   *
   * @throws dev.varve.codec.DataException WRONG_TYPE when one holds neither a sorted set nor a set
   */
  public static void requireSets(Transaction transaction, int database, List<byte[]> keys) {
    keys.forEach(key -> new ZSource(transaction, database, key));
  }

  /**
   * The members of the result in their order. Of a difference the scores are those of the first
   * key, and weights and aggregate do not matter.
   *
   * @param keys one or more
   * @param weights the factor for the scores of each key, none NaN; null for all 1
   */
  public static List<ScoredMember> compute(
      Transaction transaction,
      int database,
      Operation operation,
      List<byte[]> keys,
      double @Nullable [] weights,
      Aggregate aggregate) {
    List<Weighted> sources = new ArrayList<>();
    for (int i = 0; i < keys.size(); i++) {
      ZSource source = new ZSource(transaction, database, keys.get(i));
      sources.add(new Weighted(source, weights == null ? 1 : weights[i]));
    }
    if (operation == Operation.DIFFERENCE) {
      return difference(transaction, sources).sort();
    }
    // Sums of doubles depend on the order: Redis has the smallest set first.
    sources.sort(Comparator.comparingLong(each -> each.source().size()));
    return operation == Operation.UNION
        ? union(transaction, sources, aggregate).sort()
        : intersection(transaction, sources, aggregate).sort();
  }

  /**
   * Makes the result what {@code target} holds, whatever it held.
   *
   * @return how many members {@code target} has now; with none, the key is gone
   */
  public static long store(
      Transaction transaction,
      int database,
      byte[] target,
      Operation operation,
      List<byte[]> keys,
      double @Nullable [] weights,
      Aggregate aggregate) {
    List<ScoredMember> result = compute(transaction, database, operation, keys, weights, aggregate);
    return ZSets.store(transaction, database, target, result, operation.event);
  }

  /**
   * How many members are in all sets.
   *
   * @param limit up to how many to count; 0 for no limit
   */
  public static long countIntersection(
      Transaction transaction, int database, List<byte[]> keys, long limit) {
    List<Weighted> sources = new ArrayList<>();
    for (byte[] key : keys) {
      sources.add(new Weighted(new ZSource(transaction, database, key), 1));
    }
    sources.sort(Comparator.comparingLong(each -> each.source().size()));
    long count = 0;
    try (ZSource.Walk walk = sources.get(0).source().walk()) {
      while (walk.next() && (limit == 0 || count < limit)) {
        if (isInAll(sources, walk.member())) {
          count++;
        }
      }
    }
    return count;
  }

  private static boolean isInAll(List<Weighted> sources, byte[] member) {
    for (int i = 1; i < sources.size(); i++) {
      if (Double.isNaN(sources.get(i).source().score(member))) {
        return false;
      }
    }
    return true;
  }

  private static ScoredMembers union(
      Transaction transaction, List<Weighted> sources, Aggregate aggregate) {
    ScoredMembers members = new ScoredMembers();
    for (Weighted each : sources) {
      try (ZSource.Walk walk = each.source().walk()) {
        while (walk.next()) {
          members.add(walk.member(), each.weighted(walk.score()));
          transaction.need(members.heldBytes());
        }
      }
    }
    if (sources.size() > 1) {
      members.unite(aggregate);
    }
    return members;
  }

  private static ScoredMembers intersection(
      Transaction transaction, List<Weighted> sources, Aggregate aggregate) {
    ScoredMembers members = new ScoredMembers();
    Weighted smallest = sources.get(0);
    try (ZSource.Walk walk = smallest.source().walk()) {
      while (walk.next()) {
        double score = smallest.weighted(walk.score());
        for (int i = 1; i < sources.size() && !Double.isNaN(score); i++) {
          double other = sources.get(i).source().score(walk.member());
          score =
              Double.isNaN(other)
                  ? Double.NaN
                  : aggregate.of(score, sources.get(i).weight() * other);
        }
        if (!Double.isNaN(score)) {
          members.add(walk.member(), score);
          transaction.need(members.heldBytes());
        }
      }
    }
    return members;
  }

  private static ScoredMembers difference(Transaction transaction, List<Weighted> sources) {
    ScoredMembers members = new ScoredMembers();
    try (ZSource.Walk walk = sources.get(0).source().walk()) {
      while (walk.next()) {
        boolean elsewhere = false;
        for (int i = 1; i < sources.size() && !elsewhere; i++) {
          elsewhere = !Double.isNaN(sources.get(i).source().score(walk.member()));
        }
        if (!elsewhere) {
          members.add(walk.member(), walk.score());
          transaction.need(members.heldBytes());
        }
      }
    }
    return members;
  }

  private static double unlessNaN(double score) {
    return Double.isNaN(score) ? 0 : score;
  }
}
