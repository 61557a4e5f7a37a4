package dev.varve.codec.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

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
        put(writes, model, key);
        if (random.nextInt(4) == 0) {
          put(writes, model, key(random.nextInt(KEYS)));
        }
        for (byte[] asked : List.of(key, key(random.nextInt(KEYS + 2) - 1), new byte[0])) {
          String where = order + ", seed " + seed + ", step " + step;
          assertSame(model.get(asked), writes.get(asked), where);
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
      assertEquals(expected, found, order + ", seed " + seed);
    }
  }

  private static void put(SortedWrites writes, TreeMap<byte[], byte[]> model, byte[] key) {
    byte[] value = new byte[0];
    assertSame(model.put(key, value), writes.put(key, value));
    assertEquals(model.size(), writes.size());
  }

  private static void assertSameEntry(
      Map.@Nullable Entry<byte[], byte[]> expected,
      Map.@Nullable Entry<byte[], byte[]> found,
      String where) {
    assertSame(expected == null ? null : expected.getKey(), found == null ? null : found.getKey());
    assertSame(
        expected == null ? null : expected.getValue(),
        found == null ? null : found.getValue(),
        where);
  }

  /** Numbers in the order of keys, from -1 on, of several first bytes. */
  private static byte[] key(int number) {
    int its = number + 1;
    return new byte[] {(byte) (its >> 9), (byte) (its >> 4 & 31), (byte) (its & 15)};
  }
}
