package dev.varve.codec.string;

import java.util.List;

/**
 * The operations on bits that choose by more than one string at a time: of the first string against
 * all others, or of bits that only one string has.
 *
 * <p>Pure functions of what the strings hold.
 */
final class BitChoices {
  private BitChoices() {}

  /** Whether an operation is one of these. */
  static boolean has(Bitmaps.Operation operation) {
    return switch (operation) {
      case AND, OR, XOR, NOT -> false;
      case DIFF, DIFF1, ANDOR, ONE -> true;
    };
  }

  /**
   * What strings give together.
   *
   * @param from at which byte of theirs the result begins
   */
  static byte[] of(Bitmaps.Operation operation, List<StringValue> values, int from, int length) {
    if (operation == Bitmaps.Operation.ONE) {
      return inOne(values, from, length);
    }
    byte[] first = inAny(values.subList(0, 1), from, length);
    byte[] others = inAny(values.subList(1, values.size()), from, length);
    for (int i = 0; i < length; i++) {
      first[i] =
          (byte)
              switch (operation) {
                case DIFF -> first[i] & ~others[i];
                case DIFF1 -> others[i] & ~first[i];
                case ANDOR -> first[i] & others[i];
                default -> throw new IllegalArgumentException(operation.name());
              };
    }
    return first;
  }

  private static byte[] inAny(List<StringValue> values, int from, int length) {
    return Bitmaps.combined(Bitmaps.Operation.OR, values, from, length);
  }

  private static byte[] inOne(List<StringValue> values, int from, int length) {
    byte[] any = new byte[length];
    byte[] several = new byte[length];
    for (int v = 0; v < values.size(); v++) {
      byte[] its = inAny(values.subList(v, v + 1), from, length);
      for (int i = 0; i < length; i++) {
        several[i] |= (byte) (any[i] & its[i]);
        any[i] |= its[i];
      }
    }
    for (int i = 0; i < length; i++) {
      any[i] &= (byte) ~several[i];
    }
    return any;
  }
}
