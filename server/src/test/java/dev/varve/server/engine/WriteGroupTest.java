package dev.varve.server.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.store.StoreBatch;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WriteGroupTest {
  private final WriteGroup group = new WriteGroup();

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** A hash of a hundred values at most, so that many keys have the same. */
  private static long hash(String key) {
    return key.hashCode() % 100;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void theLastWriteOfEachKeyIsKeptHoweverManyThereAre(long seed) {
    Random random = new Random(seed);
    for (int round = 0; round < 4; round++) {
      Map<String, byte[]> model = new HashMap<>();
      Map<String, Long> rows = new HashMap<>();
      int keys = 10 << (3 * round);
      for (int write = 0; write < 4 * keys; write++) {
        String key = "key " + random.nextInt(keys);
        byte[] value =
            random.nextInt(5) == 0 ? StoreBatch.DELETED : bytes("value " + random.nextInt());
        group.write(bytes(key), hash(key), value, null, write);
        rows.put(key, (long) write);
        model.put(key, value);
        group.take(1);
        String asked = "key " + random.nextInt(keys);
        assertSame(model.get(asked), group.get(bytes(asked), hash(asked)), "seed " + seed);
      }
      assertEquals(model.size(), group.entries());
      assertEquals(4 * keys, group.sequences());
      Set<String> met = new HashSet<>();
      for (int entry = 0; entry < group.entries(); entry++) {
        String key = new String(group.key(entry), StandardCharsets.UTF_8);
        assertTrue(met.add(key));
        assertSame(model.get(key), group.value(entry));
        assertEquals(rows.get(key), group.row(entry));
      }
      group.clear();
      assertTrue(group.isEmpty());
      assertNull(group.get(bytes("key 1"), hash("key 1")));
    }
  }

  @Test
  void anInsertionThatFollowsAnotherWriteOfItsKeyIsAPutLikeOthers() {
    byte[] first = bytes("first");
    group.write(first, 1, StoreBatch.INSERTED, null, RowCache.NO_ROW);
    assertSame(StoreBatch.INSERTED, group.value(0));
    group.write(first, 1, StoreBatch.DELETED, null, RowCache.NO_ROW);
    assertSame(StoreBatch.DELETED, group.value(0));
    group.write(first, 1, StoreBatch.INSERTED, null, RowCache.NO_ROW);
    assertNotSame(StoreBatch.INSERTED, group.value(0));
    assertArrayEquals(new byte[0], group.value(0));
  }

  @Test
  void aValueInTwoPartsIsHandedOutInOneAndItsStartWithoutAllOfIt() {
    byte[] key = bytes("key");
    group.write(key, 1, bytes("star"), bytes("t and rest"), RowCache.NO_ROW);
    assertEquals(key.length + 14, group.bytes());
    assertArrayEquals(bytes("sta"), group.getStart(key, 1, 3));
    assertArrayEquals(bytes("start and"), group.getStart(key, 1, 9));
    assertArrayEquals(bytes("t and rest"), group.rest(0), "nobody needed it in one yet");
    assertArrayEquals(bytes("start and rest"), group.getStart(key, 1, 14));
    assertNull(group.rest(0));
    assertArrayEquals(bytes("start and rest"), group.get(key, 1));
    group.write(key, 1, bytes("a"), bytes("nother"), RowCache.NO_ROW);
    assertArrayEquals(bytes("another"), group.get(key, 1));
    group.write(key, 1, bytes("a"), bytes("nother"), RowCache.NO_ROW);
    group.write(key, 1, bytes("short"), null, RowCache.NO_ROW);
    assertArrayEquals(bytes("short"), group.get(key, 1));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 20_000})
  void whatIsCountedIsForgottenWithIt(int keys) {
    for (int i = 0; i < keys; i++) {
      group.write(bytes("key " + i), i, bytes("value"), null, RowCache.NO_ROW);
    }
    group.counters().add(7, 3);
    group.counters().add(7, 4);
    assertEquals(7, group.counters().get(7));
    assertArrayEquals(bytes("value"), group.get(bytes("key 0"), 0));
    group.clear();
    assertEquals(0, group.counters().get(7));
    assertEquals(0, group.bytes());
    assertEquals(0, group.entries());
  }
}
