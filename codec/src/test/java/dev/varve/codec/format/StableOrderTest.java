package dev.varve.codec.format;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Numbers in order, and the strings that they stand for. */
class StableOrderTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());

  @Test
  void equalOnesStayAsTheyWere() {
    System.out.println("StableOrderTest -Dvarve.seed=" + SEED);
    SplittableRandom random = new SplittableRandom(SEED);
    for (int round = 0; round < 500; round++) {
      int count = random.nextInt(200);
      int different = 1 + random.nextInt(50);
      int[] weights = random.ints(count, 0, different).toArray();
      if (random.nextBoolean()) {
        // As lists often are: in order, but for a few.
        Arrays.sort(weights);
        IntStream.range(0, count / 20).forEach(any -> weights[random.nextInt(count)] = 0);
      }
      int[] expected =
          IntStream.range(0, count)
              .boxed()
              .sorted(Comparator.comparingInt(number -> weights[number]))
              .mapToInt(number -> number)
              .toArray();
      assertArrayEquals(
          expected, StableOrder.of(count, (a, b) -> Integer.compare(weights[a], weights[b])));
    }
  }

  @Test
  void stringsOfAnyLengthAreThereAsTheyCame() {
    System.out.println("StableOrderTest -Dvarve.seed=" + SEED);
    SplittableRandom random = new SplittableRandom(SEED);
    ByteStrings strings = new ByteStrings();
    List<byte[]> model = new ArrayList<>();
    for (int i = 0; i < 3_000; i++) {
      byte[] string = new byte[random.nextInt(10) == 0 ? random.nextInt(600_000) / 10 : i % 30];
      random.nextBytes(string);
      byte[] around = new byte[string.length + 5];
      System.arraycopy(string, 0, around, 3, string.length);
      strings.add(around, 3, string.length);
      model.add(string);
    }
    byte[] longest = new byte[1 << 20];
    strings.add(longest, 0, longest.length);
    model.add(longest);
    assertEquals(model.size(), strings.count());
    long bytes = 0;
    for (int i = 0; i < model.size(); i++) {
      assertArrayEquals(model.get(i), strings.copy(i));
      int other = random.nextInt(model.size());
      assertEquals(
          Integer.signum(Arrays.compareUnsigned(model.get(i), model.get(other))),
          Integer.signum(strings.compare(i, other)));
      bytes += model.get(i).length;
    }
    long most = 2 * bytes + 50L * model.size();
    assertTrue(
        strings.heldBytes() >= bytes && strings.heldBytes() <= most,
        strings.heldBytes() + " for " + bytes);
  }

  @Test
  void whatIsNotThereComesFirst() {
    ByteStrings strings = new ByteStrings();
    strings.add(new byte[0], 0, 0);
    strings.addNone();
    strings.addNone();
    assertEquals(1, strings.compare(0, 1));
    assertEquals(-1, strings.compare(1, 0));
    assertEquals(0, strings.compare(1, 2));
  }
}
