package dev.varve.server.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Rows beside a {@link TreeMap}; {@code -Dvarve.seed=N} for the same again. */
class SortedRowsTest {
  private static final int PREFIX_BYTES = 3;

  private final long seed = Long.getLong("varve.seed", System.nanoTime());
  private final Random random = new Random(seed);
  private final TreeMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);

  @Test
  void rowsOfAnySuffixAreWhatAMapHas() {
    SortedRows rows = new SortedRows(false);
    for (int i = 0; i < 3_000; i++) {
      put(rows, suffix(), isGrowing(i) || random.nextInt(4) == 0);
    }
  }

  @Test
  void elementsOfAListAreWhatAMapHas() {
    SortedRows rows = new SortedRows(true);
    long head = 0;
    long tail = 0;
    for (int i = 0; i < 3_000; i++) {
      boolean isAdded = isGrowing(i) || head == tail;
      long position;
      if (random.nextInt(8) == 0 && head < tail) {
        // A row is missing where an element in the middle went, and the others stay where they are.
        position = head + random.nextInt((int) (tail - head));
        isAdded = random.nextBoolean();
      } else if (random.nextBoolean()) {
        position = isAdded ? --head : head++;
      } else {
        position = isAdded ? tail++ : --tail;
      }
      put(rows, position(position), isAdded);
    }
  }

  @Test
  void whatIsCutIsInTheOther() {
    SortedRows rows = new SortedRows(false);
    for (int i = 0; i < 100; i++) {
      put(rows, suffix(), true);
    }
    int middle = rows.first() + rows.rows() / 3;
    SortedRows rest = new SortedRows(false);
    rest.appendAll(rows, middle);
    rows.cut(middle);
    byte[] from = rest.suffix(rest.first());
    TreeMap<byte[], byte[]> all = new TreeMap<>(model);
    model.keySet().retainAll(all.headMap(from).keySet());
    check(rows);
    model.clear();
    model.putAll(all.tailMap(from));
    check(rest);
  }

  /** They become many and few again, so that rows move to larger arrays and to tidied ones. */
  private static boolean isGrowing(int i) {
    return i / 400 % 2 == 0;
  }

  private void put(SortedRows rows, byte[] suffix, boolean isAdded) {
    byte[] value = new byte[random.nextInt(12)];
    random.nextBytes(value);
    byte[] key = new byte[PREFIX_BYTES + suffix.length];
    System.arraycopy(suffix, 0, key, PREFIX_BYTES, suffix.length);
    rows.put(key, PREFIX_BYTES, isAdded ? value : null);
    if (isAdded) {
      model.put(suffix, value);
    } else {
      model.remove(suffix);
    }
    int row = rows.rowFrom(key, PREFIX_BYTES);
    assertEquals(
        rows.first() + model.headMap(suffix).size(), row, () -> "search, with seed " + seed);
    assertEquals(isAdded, rows.isAt(row, key, PREFIX_BYTES), () -> "with seed " + seed);
    if (random.nextInt(20) == 0) {
      check(rows);
    }
  }

  private void check(SortedRows rows) {
    assertEquals(model.size(), rows.rows(), () -> "with seed " + seed);
    int row = rows.first();
    for (Map.Entry<byte[], byte[]> each : model.entrySet()) {
      assertArrayEquals(each.getKey(), rows.suffix(row), () -> "with seed " + seed);
      assertArrayEquals(each.getValue(), rows.value(row), () -> "with seed " + seed);
      row++;
    }
    assertEquals(rows.behind(), row);
    for (boolean isForward : new boolean[] {true, false}) {
      List<byte[]> handed = new ArrayList<>();
      int from = isForward ? rows.first() : rows.behind() - 1;
      int last = isForward ? rows.behind() - 1 : rows.first();
      long count =
          rows.hand(
              from,
              last,
              7,
              isForward,
              (keys, at, bytes, values, valueAt, valueBytes) ->
                  handed.add(Arrays.copyOfRange(keys, at, at + bytes)));
      assertEquals(Math.min(7, model.size()), count);
      assertTrue(
          Arrays.deepEquals(
              (isForward ? model : model.descendingMap())
                  .keySet().stream().limit(7).toArray(byte[][]::new),
              handed.toArray(byte[][]::new)),
          () -> "with seed " + seed);
    }
  }

  private byte[] suffix() {
    byte[] suffix = new byte[random.nextInt(12)];
    for (int i = 0; i < suffix.length; i++) {
      // Few letters, so that many begin alike, high bits among them.
      suffix[i] = (byte) (random.nextInt(3) * 120);
    }
    return suffix;
  }

  private static byte[] position(long position) {
    return ByteBuffer.allocate(Long.BYTES).putLong(position ^ Long.MIN_VALUE).array();
  }
}
