package dev.varve.codec.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SortedWritesTest {
  private static final int KEYS = 3000;

  /** In which order keys come. */
  enum Order {
    ASCENDING(step -> step),
    DESCENDING(step -> KEYS - step),
    ANY(step -> step * 1117 % KEYS),
    TWO_RUNS(step -> step / 2 + step % 2 * KEYS / 2),
    GAPS_FILLED_FROM_BEHIND(
        step -> step < KEYS / 3 ? 3 * step : (KEYS - step) / 2 * 3 + 1 + (KEYS - step) % 2),
    TOWARDS_THE_MIDDLE(step -> step % 2 == 0 ? step / 2 : KEYS - step / 2);

    private final IntUnaryOperator number;

    Order(IntUnaryOperator number) {
      this.number = number;
    }
  }

  @ParameterizedTest
  @EnumSource
  void whateverTheOrderOfKeysItIsASortedMap(Order order) {
    for (int seed = 0; seed < 20; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      SortedWrites writes = new SortedWrites();
      TreeMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);
      for (int step = 0; step < KEYS; step++) {
        byte[] key = key(order.number.applyAsInt(step));
        put(writes, model, key, random);
        if (seed % 2 == 0 && random.nextInt(4) == 0) {
          // Others never go back to what they have left behind.
          put(writes, model, key(random.nextInt(KEYS)), random);
        }
        for (byte[] asked : List.of(key, key(random.nextInt(KEYS + 2) - 1), new byte[0])) {
          String where = order + ", seed " + seed + ", step " + step;
          assertValue(model.get(asked), writes.get(asked), where);
          assertSameEntry(model.ceilingEntry(asked), writes.ceiling(asked), where);
          assertSameEntry(model.higherEntry(asked), writes.higher(asked), where);
          assertSameEntry(model.lowerEntry(asked), writes.lower(asked), where);
        }
      }
      List<byte[]> found = new ArrayList<>();
      writes.forEach(
          (key, value) -> {
            found.add(key);
            found.add(value);
          });
      List<byte[]> expected = new ArrayList<>();
      model.forEach(
          (key, value) -> {
            expected.add(key);
            expected.add(value);
          });
      assertEquals(expected.size(), found.size(), order + ", seed " + seed);
      for (int i = 0; i < found.size(); i++) {
        assertValue(expected.get(i), found.get(i), order + ", seed " + seed);
      }
    }
  }

  private static void put(
      SortedWrites writes, TreeMap<byte[], byte[]> model, byte[] key, SplittableRandom random) {
    byte[] value =
        switch (random.nextInt(4)) {
          case 0 -> StoreBatch.DELETED;
          case 1 -> StoreBatch.INSERTED;
          case 2 -> new byte[0];
          default -> value(random);
        };
    assertValue(model.put(key, value), writes.put(key, value), "put");
    assertEquals(model.size(), writes.size());
  }

  /** Now and then one that is too long for others to be kept beside it. */
  private static byte[] value(SplittableRandom random) {
    byte[] value = new byte[random.nextInt(500) == 0 ? 100_000 : random.nextInt(9)];
    random.nextBytes(value);
    return value;
  }

  /** The same bytes, and where these stand for something else, the same object. */
  private static void assertValue(
      byte @Nullable [] expected, byte @Nullable [] found, String where) {
    assertArrayEquals(expected, found, where);
    for (byte[] known : List.of(StoreBatch.DELETED, StoreBatch.INSERTED)) {
      assertEquals(expected == known, found == known, where);
    }
  }

  private static void assertSameEntry(
      Map.@Nullable Entry<byte[], byte[]> expected,
      Map.@Nullable Entry<byte[], byte[]> found,
      String where) {
    assertEquals(expected == null, found == null, where);
    if (expected != null && found != null) {
      assertArrayEquals(expected.getKey(), found.getKey(), where);
      assertValue(expected.getValue(), found.getValue(), where);
    }
  }

  /** Numbers in the order of keys, from -1 on, of several first bytes. */
  private static byte[] key(int number) {
    int its = number + 1;
    return new byte[] {(byte) (its >> 9), (byte) (its >> 4 & 31), (byte) (its & 15)};
  }
}
