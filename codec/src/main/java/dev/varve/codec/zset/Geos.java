package dev.varve.codec.zset;

import dev.varve.codec.DataException;
import dev.varve.codec.Transaction;
import dev.varve.codec.geo.GeoCell;
import dev.varve.codec.geo.GeoPoint;
import dev.varve.codec.geo.GeoShape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sorted sets whose scores are places on the earth.
 *
 * <p>Pure functions of a transaction. Where a key holds another type they throw {@link
 * DataException#WRONG_TYPE}.
 */
public final class Geos {
  private static final DataException NO_MEMBER =
      new DataException("ERR could not decode requested zset member");

  private Geos() {}

  /** In which order a search returns what it finds. */
  public enum Order {
    NONE,
    NEAREST_FIRST,
    FARTHEST_FIRST
  }

  /**
   * What a search found.
   *
   * @param score as it is stored
   * @param meters from the center
   */
  public record Found(byte[] member, double score, GeoPoint point, double meters) {
    @Override
    public boolean equals(Object other) {
      return other instanceof Found that
          && Arrays.equals(member, that.member)
          && score == that.score;
    }

    @Override
    public int hashCode() {
      return 31 * Arrays.hashCode(member) + Double.hashCode(score);
    }
  }

  /** The score that stands for a place of the map. */
  public static double score(GeoPoint point) {
    return GeoCell.of(point, GeoCell.STEP_MAX).bits();
  }

  /** Where a member is, or null. */
  public static @Nullable GeoPoint point(
      Transaction transaction, int database, byte[] key, byte[] member) {
    double score = ZSets.score(transaction, database, key, member);
    return Double.isNaN(score) ? null : GeoCell.ofScore(score).center();
  }

  /** As the other one, refusing a member that is not there. */
  public static GeoPoint requirePoint(
      Transaction transaction, int database, byte[] key, byte[] member) {
    GeoPoint point = point(transaction, database, key, member);
    if (point == null) {
      throw NO_MEMBER;
    }
    return point;
  }

  /** Where a member is as a standard geohash, or null. */
  public static byte @Nullable [] geohash(
      Transaction transaction, int database, byte[] key, byte[] member) {
    double score = ZSets.score(transaction, database, key, member);
    return Double.isNaN(score) ? null : GeoCell.ofScore(score).geohash();
  }

  /**
   * The members in a shape.
   *
   * @param count how many at most, the first in their order; 0 for all
   * @param isAny whether any of them do, the first that are met
   */
  public static List<Found> search(
      Transaction transaction,
      int database,
      byte[] key,
      GeoShape shape,
      Order order,
      long count,
      boolean isAny) {
    ZMembers set = ZSets.open(transaction, database, key);
    if (set == null) {
      return List.of();
    }
    Finds finds = new Finds(transaction, order, count);
    long limit = isAny && count > 0 ? count : Long.MAX_VALUE;
    for (GeoCell cell : shape.cells()) {
      if (finds.size() >= limit) {
        break;
      }
      collect(set, cell, shape, limit, finds);
    }
    return finds.inOrder();
  }

  /**
   * What a search has found so far. Of those that come after the first ones in their order not many
   * more are kept than are wanted, and there is a place for all in what reads share.
   */
  private static final class Finds {
    /** About what one takes besides its member. */
    private static final int OBJECT_BYTES = 128;

    private static final int KEPT_MIN = 1024;

    private final Transaction transaction;
    private final Order order;
    private final long count;

    /** How many there are when those that are not wanted go. */
    private final long keptMax;

    private final List<Found> found = new ArrayList<>();
    private long bytes;

    Finds(Transaction transaction, Order order, long count) {
      this.transaction = transaction;
      this.order = order;
      this.count = count;
      this.keptMax =
          order == Order.NONE || count <= 0 || count > Integer.MAX_VALUE / 2
              ? Long.MAX_VALUE
              : Math.max(KEPT_MIN, 2 * count);
    }

    int size() {
      return found.size();
    }

    void add(Found one) {
      found.add(one);
      bytes += bytes(one);
      if (found.size() >= keptMax) {
        keepFirst();
      } else {
        transaction.need(bytes);
      }
    }

    private static int bytes(Found one) {
      return OBJECT_BYTES + one.member().length;
    }

    /** Sorting is stable: of those that are as far away, the first that was met comes first. */
    private void keepFirst() {
      sort();
      found.subList((int) count, found.size()).clear();
      bytes = 0;
      for (Found one : found) {
        bytes += bytes(one);
      }
    }

    private void sort() {
      switch (order) {
        case NONE -> {}
        case NEAREST_FIRST -> found.sort(Comparator.comparingDouble(Found::meters));
        case FARTHEST_FIRST -> found.sort(Comparator.comparingDouble(Found::meters).reversed());
      }
    }

    List<Found> inOrder() {
      sort();
      return count > 0 && count < found.size() ? found.subList(0, (int) count) : found;
    }
  }

  /** How many members are looked at between two looks at the limit. */
  private static final int LOOKED_AT_ONCE = 1024;

  private static void collect(ZMembers set, GeoCell cell, GeoShape shape, long limit, Finds finds) {
    byte[] from = ZPlace.before(cell.scoreMin());
    byte[] to = ZPlace.before(cell.scoreEnd());
    long walked;
    long skip = 0;
    long atOnce = limit == Long.MAX_VALUE ? Long.MAX_VALUE : LOOKED_AT_ONCE;
    do {
      walked =
          set.walk(
              from,
              to,
              false,
              skip,
              atOnce,
              (array, offset, length, score) -> {
                GeoPoint point = GeoCell.ofScore(score).center();
                double meters = shape.meters(point);
                if (meters != GeoShape.OUTSIDE && finds.size() < limit) {
                  byte[] member = Arrays.copyOfRange(array, offset, offset + length);
                  finds.add(new Found(member, score, point, meters));
                }
              });
      skip += walked;
    } while (walked == atOnce && finds.size() < limit);
  }

  /**
   * Makes what a search found what {@code target} holds, whatever it held; with nothing found the
   * key is gone.
   *
   * @param center from where distances are the scores, or null to keep the places
   * @param metersPerUnit in which unit distances are
   */
  public static long store(
      Transaction transaction,
      int database,
      byte[] target,
      List<Found> found,
      @Nullable GeoPoint center,
      double metersPerUnit,
      String event) {
    List<ScoredMember> members = new ArrayList<>(found.size());
    for (Found one : found) {
      double score =
          center == null ? one.score : center.metersToTheLastDigit(one.point) / metersPerUnit;
      members.add(new ScoredMember(one.member, score));
    }
    members.sort(
        Comparator.comparingDouble(ScoredMember::score)
            .thenComparing(ScoredMember::member, Arrays::compareUnsigned));
    return ZSets.store(transaction, database, target, members, event);
  }
}
