package dev.varve.codec.zset;

import dev.varve.codec.format.ByteStrings;
import dev.varve.codec.format.MemberHash;
import dev.varve.codec.format.StableOrder;
import java.util.AbstractList;
import java.util.Arrays;
import java.util.RandomAccess;

/**
 * Members and their scores in a few large arrays, as many as a command makes of large sets. With
 * objects for each the collector would have millions to copy, and everybody to wait for that.
 *
 * <p>Used by one thread.
 */
final class ScoredMembers extends AbstractList<ScoredMember>
    implements RandomAccess, ScoredMemberVisitor {
  private static final int FIRST_MEMBERS = 16;

  /** For each a score and a number here, and as much again while they are put in order. */
  private static final int ORDER_BYTES = 2 * (Double.BYTES + Integer.BYTES);

  private final ByteStrings members = new ByteStrings();
  private double[] scores = new double[FIRST_MEMBERS];

  /** Those of them that are in the list, in its order. */
  private int[] list = new int[FIRST_MEMBERS];

  private int size;

  @Override
  public void member(byte[] array, int offset, int length, double score) {
    int number = members.count();
    if (number == scores.length) {
      scores = Arrays.copyOf(scores, 2 * number);
    }
    scores[number] = score;
    members.add(array, offset, length);
    if (size == list.length) {
      list = Arrays.copyOf(list, 2 * size);
    }
    list[size++] = number;
  }

  /** One more, at the end. */
  void add(byte[] member, double score) {
    member(member, 0, member.length, score);
  }

  /** About how much memory they take. */
  long heldBytes() {
    return members.heldBytes() + (long) ORDER_BYTES * scores.length;
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public ScoredMember get(int index) {
    if (index >= size) {
      throw new IndexOutOfBoundsException(index);
    }
    int number = list[index];
    return new ScoredMember(members.copy(number), scores[number]);
  }

  /**
   * Leaves each member in the list once, with what becomes of the scores that it has there, one
   * after the other.
   */
  void unite(ZAlgebra.Aggregate aggregate) {
    // Those of one hash come one after the other, in their order: equal ones are among them.
    long[] byHash = new long[size];
    for (int i = 0; i < size; i++) {
      byHash[i] = (long) hash(list[i]) << Integer.SIZE | i;
    }
    Arrays.sort(byHash);
    int[] left = new int[size];
    int count = 0;
    int group = 0;
    for (int i = 0; i < size; i++) {
      if (i > 0 && byHash[i] >> Integer.SIZE != byHash[i - 1] >> Integer.SIZE) {
        group = count;
      }
      int number = list[(int) byHash[i]];
      int same = group;
      while (same < count && members.compare(left[same], number) != 0) {
        same++;
      }
      if (same == count) {
        left[count++] = number;
      } else {
        scores[left[same]] = aggregate.of(scores[left[same]], scores[number]);
      }
    }
    list = left;
    size = count;
  }

  private int hash(int number) {
    return MemberHash.of(members.array(number), members.offset(number), members.length(number));
  }

  /** Brings the list into the order of sorted sets. */
  ScoredMembers sort() {
    list = StableOrder.of(Arrays.copyOf(list, size), this::compare);
    return this;
  }

  private int compare(int number, int other) {
    // Zeros of both signs are the same score.
    int byScore = Double.compare(scores[number] + 0.0, scores[other] + 0.0);
    return byScore != 0 ? byScore : members.compare(number, other);
  }

  /** Turns the order of the list around. */
  void reverse() {
    for (int i = 0; i < size / 2; i++) {
      int number = list[i];
      list[i] = list[size - 1 - i];
      list[size - 1 - i] = number;
    }
  }
}
