package dev.varve.codec.zset;

import dev.varve.codec.Meta;
import dev.varve.codec.format.DamagedValueException;
import dev.varve.codec.format.OrderedNumbers;
import dev.varve.codec.format.PackedMembers;
import dev.varve.codec.format.Slice;
import java.util.Arrays;
import java.util.List;

/**
 * A sorted set inside its meta value.
 *
 * <p>Single-threaded.
 */
final class ZPackedMembers extends ZMembers {
  /*
   * An entry is the member and its score as 8 ordered bytes (OrderedNumbers); entries are in the
   * order of score, then member.
   */
  private static final int SCORE = 1;

  private static final int NOWHERE = -1;

  private final PackedMembers packed;

  /** Where the member is that was asked for last, as long as nothing is edited. */
  private int found = NOWHERE;

  ZPackedMembers(Meta meta) {
    super(meta);
    packed = meta.packed();
  }

  void appendAll(List<ScoredMember> members) {
    for (ScoredMember each : members) {
      packed.append(each.member(), ZPlace.before(each.score()));
    }
  }

  @Override
  double score(byte[] member) {
    found = packed.find(member);
    return found == NOWHERE ? NONE : scoreAt(found);
  }

  private double scoreAt(int place) {
    return scoreAt(packed, place);
  }

  static double scoreAt(PackedMembers packed, int place) {
    Slice item = packed.item(place, SCORE);
    if (item.length() != Double.BYTES) {
      throw new DamagedValueException("a packed score of " + item.length() + " bytes");
    }
    return OrderedNumbers.getDouble(item.array(), item.offset());
  }

  @Override
  void add(byte[] member, double score) {
    found = NOWHERE;
    byte[] scoreBytes = ZPlace.before(score);
    packed.insert(placeFor(member, scoreBytes), member, scoreBytes);
  }

  /** Before which entry a member belongs. */
  private int placeFor(byte[] member, byte[] scoreBytes) {
    int at = packed.first();
    while (at < packed.end() && isBefore(at, scoreBytes, member)) {
      at = packed.next(at);
    }
    return at;
  }

  private boolean isBefore(int place, byte[] scoreBytes, byte[] member) {
    int order = packed.compareItem(place, SCORE, scoreBytes);
    return order < 0 || (order == 0 && packed.compareItem(place, 0, member) < 0);
  }

  @Override
  void move(byte[] member, double from, double to) {
    byte[] scoreBytes = ZPlace.before(to);
    packed.move(take(member), placeFor(member, scoreBytes), scoreBytes);
  }

  /** Where a member is that is there and about to change. */
  private int take(byte[] member) {
    int its = found;
    found = NOWHERE;
    return its != NOWHERE && packed.itemEquals(its, 0, member) ? its : packed.find(member);
  }

  @Override
  void remove(byte[] member, double score) {
    packed.remove(take(member));
  }

  @Override
  long removeBetween(byte[] from, byte[] to) {
    long first = before(from);
    long end = before(to);
    if (first < end) {
      removeRanks(first, end);
    }
    return Math.max(0, end - first);
  }

  @Override
  void removeRanks(long from, long to) {
    found = NOWHERE;
    packed.remove(packed.place((int) from), packed.place((int) to));
  }

  @Override
  long before(byte[] place) {
    long before = 0;
    for (int at = packed.first(); at < packed.end() && comparePlace(at, place) < 0; ) {
      before++;
      at = packed.next(at);
    }
    return before;
  }

  private int comparePlace(int at, byte[] place) {
    Slice score = packed.item(at, SCORE);
    int scoreEnd = score.offset() + score.length();
    int order =
        Arrays.compareUnsigned(score.array(), score.offset(), scoreEnd, place, 0, Double.BYTES);
    if (order != 0) {
      return order;
    }
    Slice member = packed.item(at, 0);
    return Arrays.compareUnsigned(
        member.array(),
        member.offset(),
        member.offset() + member.length(),
        place,
        Double.BYTES,
        place.length);
  }

  @Override
  byte[] placeAt(long rank) {
    int at = packed.place((int) rank);
    return ZPlace.of(scoreAt(at), packed.itemBytes(at, 0));
  }

  @Override
  long walk(
      byte[] from, byte[] to, boolean reverse, long skip, long limit, ScoredMemberVisitor visitor) {
    return walkCounted(from, to, reverse, skip, limit, visitor);
  }

  @Override
  public void walkRanks(long rank, long count, boolean reverse, ScoredMemberVisitor visitor) {
    int[] places = packed.places();
    for (long i = 0; i < count; i++) {
      int at = places[(int) (reverse ? rank - i : rank + i)];
      Slice member = packed.item(at, 0);
      visitor.member(member.array(), member.offset(), member.length(), scoreAt(at));
    }
  }
}
