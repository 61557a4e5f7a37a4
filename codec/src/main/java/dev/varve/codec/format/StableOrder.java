package dev.varve.codec.format;

/**
 * Sorts numbers that stand for something, by merging: those that are equal stay as they were.
 *
 * <p>Any thread.
 */
public final class StableOrder {
  /** So few are sorted by insertion. */
  private static final int RUN = 8;

  /** How two of them compare. */
  @FunctionalInterface
  public interface Order {
    int compare(int number, int other);
  }

  private StableOrder() {}

  /** The numbers below {@code count} as they are. */
  public static int[] asTheyAre(int count) {
    int[] numbers = new int[count];
    for (int i = 0; i < count; i++) {
      numbers[i] = i;
    }
    return numbers;
  }

  /** The numbers below {@code count} from the last to the first. */
  public static int[] reversed(int count) {
    int[] numbers = new int[count];
    for (int i = 0; i < count; i++) {
      numbers[i] = count - 1 - i;
    }
    return numbers;
  }

  /** The numbers below {@code count} in order. */
  public static int[] of(int count, Order order) {
    return of(asTheyAre(count), order);
  }

  /**
   * Such numbers in order.
   *
   * @param numbers may be what is returned
   */
  public static int[] of(int[] numbers, Order order) {
    int count = numbers.length;
    int[] sorted = numbers;
    for (int from = 0; from < count; from += RUN) {
      insert(sorted, from, Math.min(count, from + RUN), order);
    }
    int[] merged = new int[count > RUN ? count : 0];
    for (long width = RUN; width < count; width *= 2) {
      for (long from = 0; from < count; from += 2 * width) {
        int middle = (int) Math.min(count, from + width);
        int to = (int) Math.min(count, from + 2 * width);
        merge(sorted, (int) from, middle, to, merged, order);
      }
      int[] other = sorted;
      sorted = merged;
      merged = other;
    }
    return sorted;
  }

  private static void insert(int[] numbers, int from, int to, Order order) {
    for (int i = from + 1; i < to; i++) {
      int number = numbers[i];
      int at = i;
      while (at > from && order.compare(numbers[at - 1], number) > 0) {
        numbers[at] = numbers[at - 1];
        at--;
      }
      numbers[at] = number;
    }
  }

  private static void merge(
      int[] numbers, int from, int middle, int to, int[] target, Order order) {
    if (middle == to || order.compare(numbers[middle - 1], numbers[middle]) <= 0) {
      System.arraycopy(numbers, from, target, from, to - from);
      return;
    }
    int first = from;
    int second = middle;
    for (int at = from; at < to; at++) {
      boolean isFirst =
          second == to || (first < middle && order.compare(numbers[first], numbers[second]) <= 0);
      target[at] = isFirst ? numbers[first++] : numbers[second++];
    }
  }
}
