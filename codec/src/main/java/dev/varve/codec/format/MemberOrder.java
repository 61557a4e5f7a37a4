package dev.varve.codec.format;

import java.util.Arrays;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * In which order one command takes up the many members that it names: that of their stored keys.
 *
 * <p>Immutable, for any thread.
 */
public final class MemberOrder {
  /*
   * A batch keeps its writes in key order, and what is stored lies in key order. Who comes in that
   * order finds the place of each member beside that of the one before, and who comes in any other
   * searches for it among all.
   *
   * Equal members keep the order in which they were named, so that the last one counts; of others
   * with one hash nobody cares.
   */

  /** Fewer are taken as they come: there is not much to search in. */
  private static final int MANY = 32;

  /** As they are named. */
  public static final MemberOrder AS_NAMED = new MemberOrder(null, 0);

  /** By their places in this order: the hash of each, and its number. */
  private final long @Nullable [] numbers;

  private final int differentMin;

  private MemberOrder(long @Nullable [] numbers, int differentMin) {
    this.numbers = numbers;
    this.differentMin = differentMin;
  }

  /**
   * The order of {@code count} members, if they are many; the one they are named in otherwise.
   *
   * @param members gives each of them by its number, from 0 on
   */
  public static MemberOrder of(int count, IntFunction<byte[]> members) {
    if (count < MANY) {
      return AS_NAMED;
    }
    long[] numbers = new long[count];
    for (int i = 0; i < count; i++) {
      byte[] member = members.apply(i);
      int hash = MemberHash.of(member, 0, member.length);
      // Signed as it is sorted, so that unsigned hashes are in their order.
      numbers[i] = (long) (hash ^ Integer.MIN_VALUE) << Integer.SIZE | i;
    }
    Arrays.sort(numbers);
    int different = 1;
    for (int i = 1; i < count; i++) {
      if (numbers[i] >> Integer.SIZE != numbers[i - 1] >> Integer.SIZE) {
        different++;
      }
    }
    return new MemberOrder(numbers, different);
  }

  /**
   * The same for members to be added to what is packed: another one than {@link #AS_NAMED} only if
   * more than {@code packedMax} of them differ, so that not all can stay packed.
   */
  public static MemberOrder outgrowing(int packedMax, int count, IntFunction<byte[]> members) {
    if (count <= packedMax) {
      return AS_NAMED;
    }
    MemberOrder order = of(count, members);
    return order.differentMin > packedMax ? order : AS_NAMED;
  }

  /** At least so many of them differ from each other; 0 where nobody has looked. */
  int differentMin() {
    return differentMin;
  }

  /** The number of the member that comes at this place, from 0 on. */
  public int at(int place) {
    return numbers == null ? place : (int) numbers[place];
  }
}
