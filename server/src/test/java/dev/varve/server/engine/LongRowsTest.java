package dev.varve.server.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.lsm.table.KeyHash;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LongRowsTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());
  private static final long BYTES_MAX = 1 << 20;

  private static byte[] key(int number) {
    return ("key:" + number).getBytes(StandardCharsets.UTF_8);
  }

  private static byte @Nullable [] get(LongRows rows, byte[] key) {
    return rows.get(key, KeyHash.hash(key, 0, key.length));
  }

  private static void read(LongRows rows, byte[] key, byte[] value) {
    rows.read(key, KeyHash.hash(key, 0, key.length), value);
  }

  private static void written(LongRows rows, byte[] key, byte @Nullable [] value) {
    rows.written(key, KeyHash.hash(key, 0, key.length), value);
  }

  @Test
  void whatIsFoundIsAlwaysWhatWasWrittenLast() {
    System.out.println("LongRowsTest -Dvarve.seed=" + SEED);
    Random random = new Random(SEED);
    LongRows rows = new LongRows(BYTES_MAX);
    Map<Integer, byte[]> model = new HashMap<>();
    byte[] shared = new byte[20_000];
    int found = 0;
    for (int i = 0; i < 200_000; i++) {
      int number = random.nextBoolean() ? random.nextInt(20) : random.nextInt(3_000);
      byte[] key = key(number);
      if (random.nextInt(4) == 0) {
        byte[] value = random.nextInt(8) == 0 ? null : new byte[1 + random.nextInt(20_000)];
        model.put(number, value);
        written(rows, key, value);
      } else {
        byte[] held = get(rows, key);
        byte[] expected = model.get(number);
        if (held != null) {
          assertArrayEquals(expected, held, "key " + number + " after " + i);
          found++;
        } else if (expected != null) {
          if (random.nextBoolean()) {
            read(rows, key, expected);
          } else {
            System.arraycopy(expected, 0, shared, 0, expected.length);
            rows.readBriefly(key, KeyHash.hash(key, 0, key.length), shared, expected.length);
            shared[0]++;
          }
        }
      }
      assertTrue(rows.heldBytes() <= BYTES_MAX, rows.heldBytes() + " bytes after " + i);
    }
    assertTrue(found > 10_000, found + " found");
    rows.clear();
    assertEquals(0, rows.heldBytes());
  }

  @Test
  void whatIsInUseStaysWhileOthersAreReadOnce() {
    LongRows rows = new LongRows(BYTES_MAX);
    byte[] value = new byte[10_000];
    read(rows, key(-1), value);
    read(rows, key(-1), value);
    for (int i = 0; i < 10_000; i++) {
      read(rows, key(i), new byte[10_000]);
    }
    assertSame(value, get(rows, key(-1)));
  }

  @Test
  void whatIsOnlyWrittenDoesNotEnter() {
    LongRows rows = new LongRows(BYTES_MAX);
    written(rows, key(1), new byte[2_000]);
    written(rows, key(1), new byte[2_000]);
    assertNull(get(rows, key(1)));
  }

  @Test
  void whatIsTooLongDoesNotEnterAndIsForgottenWhenItBecomesSo() {
    LongRows rows = new LongRows(BYTES_MAX);
    for (int i = 0; i < 2; i++) {
      read(rows, key(1), new byte[LongRows.VALUE_BYTES_MAX + 1]);
      read(rows, key(2), new byte[LongRows.VALUE_BYTES_MAX]);
      byte[] key = key(3);
      byte[] tooLong = new byte[LongRows.VALUE_BYTES_MAX + 1];
      rows.readBriefly(key, KeyHash.hash(key, 0, key.length), tooLong, tooLong.length);
    }
    assertNull(get(rows, key(1)));
    assertNotNull(get(rows, key(2)));
    assertNull(get(rows, key(3)));
    written(rows, key(2), new byte[LongRows.VALUE_BYTES_MAX + 1]);
    assertNull(get(rows, key(2)));
    assertEquals(0, rows.heldBytes());
  }
}
