package dev.varve.server.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.store.BriefValue;
import dev.varve.lsm.table.KeyHash;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RowCacheTest {
  private static final long SMALLEST = 0;
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] value(Random random, int lengthMax) {
    byte[] value = new byte[random.nextInt(lengthMax + 1)];
    random.nextBytes(value);
    return value;
  }

  @Test
  void whatIsFoundIsAlwaysWhatWasWrittenLast() {
    System.out.println("RowCacheTest -Dvarve.seed=" + SEED);
    Random random = new Random(SEED);
    RowCache cache = new RowCache(SMALLEST);
    Map<Integer, byte[]> model = new HashMap<>();
    Map<Integer, Long> places = new HashMap<>();
    Map<Integer, Long> rows = new HashMap<>();
    int moved = 0;
    int found = 0;
    for (int i = 0; i < 300_000; i++) {
      // A few keys often, and more keys than there is room for.
      int number = random.nextBoolean() ? random.nextInt(50) : random.nextInt(20_000);
      byte[] key = bytes("key:" + number);
      switch (random.nextInt(5)) {
        case 4 -> {
          // Whoever wrote a row comes back to it when others have been read and written.
          long before = rows.getOrDefault(number, RowCache.NO_ROW);
          long row = cache.current(key, KeyHash.hash(key, 0, key.length), before);
          if (row == RowCache.NO_ROW) {
            places.remove(number);
          } else {
            assertEquals(places.getOrDefault(number, 0L), cache.place(row));
            cache.placed(row, i, i);
            places.put(number, (long) i);
            moved += row == before ? 0 : 1;
          }
        }
        case 0 -> {
          byte[] written =
              value(random, random.nextInt(20) == 0 ? 2 * RowCache.ROW_BYTES_MAX : 200);
          model.put(number, written);
          long row = written(cache, key, written);
          if (row == RowCache.NO_ROW) {
            places.remove(number);
            rows.remove(number);
          } else {
            // Of some only an older one is known.
            long known = rows.getOrDefault(number, row);
            rows.put(number, random.nextBoolean() ? row : known);
            assertEquals(places.getOrDefault(number, 0L), cache.place(row));
            assertEquals(places.getOrDefault(number, 0L), cache.mark(row));
            cache.placed(row, i, i);
            places.put(number, (long) i);
          }
        }
        case 1 -> {
          if (random.nextInt(10) == 0) {
            model.remove(number);
            assertEquals(RowCache.NO_ROW, written(cache, key, null));
            places.remove(number);
            rows.remove(number);
          }
        }
        default -> {
          byte[] held = cache.get(key);
          byte[] expected = model.get(number);
          if (held != null) {
            assertArrayEquals(expected, held, "key " + number + " after " + i);
            found++;
          } else if (expected != null) {
            cache.read(key, expected);
            places.remove(number);
            rows.remove(number);
          }
        }
      }
    }
    assertTrue(found > 40_000, found + " found");
    assertTrue(moved > 1_000, moved + " moved");
    assertEquals(found, cache.hits());
    long ring = 2L << 20;
    assertTrue(cache.heldBytes() > ring, "no long row is here");
    assertTrue(cache.heldBytes() <= ring + ring / 16, cache.heldBytes() + " bytes");
  }

  @Test
  void whatIsInUseStaysWhileOthersPassThrough() {
    RowCache cache = new RowCache(SMALLEST);
    byte[] hot = bytes("hot");
    cache.read(hot, bytes("value"));
    byte[] passing = new byte[900];
    for (int i = 0; i < 10_000; i++) {
      cache.read(bytes("passing:" + i), passing);
      if (i % 100 == 0 && cache.get(hot) == null) {
        // Displaced from its slot by one of the others: read again, as after any miss.
        cache.read(hot, bytes("value"));
      }
    }
    assertNotNull(cache.get(hot));
    assertNull(cache.get(bytes("passing:0")));
    assertTrue(cache.misses() < 10, cache.misses() + " misses");
  }

  /** The ring begins again with the array in which the row lies that is moved to its front. */
  @Test
  void aRowIsWholeThatMovesWithinTheArrayThatIsWrittenOver() {
    byte[] passing = new byte[990];
    int array = RowCache.ARRAY_BYTES;
    int header = RowCache.HEADER_BYTES;
    int row = header + 8 + passing.length;
    for (int before = 0; before < 40; before++) {
      RowCache cache = new RowCache(SMALLEST);
      cache.read(bytes("before"), new byte[before]);
      byte[] value = new byte[900];
      new Random(before).nextBytes(value);
      cache.read(bytes("its"), value);
      int there = 3 * header + "before".length() + before + "its".length() + value.length;
      // Up to where the second array has no room for it.
      for (int i = 0; i < (array - there) / row + array / row; i++) {
        cache.read(bytes("%08d".formatted(i)), passing);
      }
      for (int i = 0; i < 4; i++) {
        BriefValue brief = cache.getBriefly(bytes("its"));
        assertNotNull(brief, before + " before, look " + i);
        assertArrayEquals(value, brief.toBytes());
        cache.read(bytes("more %03d".formatted(i)), passing);
      }
    }
  }

  @Test
  void nearlyAllRowsThatThereIsRoomForAreFound() {
    RowCache cache = new RowCache(SMALLEST);
    Random random = new Random(1);
    int keys = 5_000;
    long missesBefore = 0;
    int reads = 20 * keys;
    for (int i = 0; i < 2 * reads; i++) {
      if (i == reads) {
        missesBefore = cache.misses();
      }
      byte[] key = bytes("key:" + random.nextInt(keys));
      if (cache.get(key) == null) {
        cache.read(key, bytes("value"));
      }
    }
    long missed = cache.misses() - missesBefore;
    assertTrue(missed < reads / 20, missed + " of " + reads + " missed");
  }

  @Test
  void whatIsOnlyWrittenDoesNotEnter() {
    RowCache cache = new RowCache(SMALLEST);
    written(cache, bytes("key"), bytes("value"));
    assertNull(cache.get(bytes("key")));
  }

  @Test
  void countedBucketsEnterWhenTheyAreWritten() {
    RowCache cache = new RowCache(SMALLEST);
    assertTrue(written(cache, bytes("r bucket"), bytes("value")) != RowCache.NO_ROW);
    assertArrayEquals(bytes("value"), cache.get(bytes("r bucket")));
  }

  @Test
  void lookingAheadFindsTheRowsThatThereAre() {
    RowCache cache = new RowCache(SMALLEST);
    cache.read(bytes("one"), bytes("value"));
    long row = written(cache, bytes("one"), bytes("other"));
    long[] rows = new long[3];
    cache.touch(new byte[][] {bytes("none"), bytes("one"), bytes("one")}, 2, rows);
    assertArrayEquals(new long[] {RowCache.NO_ROW, row, 0}, rows);
  }

  @Test
  void aRowThatGrowsBeyondItsLimitIsForgotten() {
    RowCache cache = new RowCache(SMALLEST);
    cache.read(bytes("key"), bytes("small"));
    written(cache, bytes("key"), new byte[RowCache.ROW_BYTES_MAX]);
    assertNull(cache.get(bytes("key")));
    cache.read(bytes("key"), new byte[RowCache.ROW_BYTES_MAX]);
    assertNull(cache.get(bytes("key")));
  }

  @Test
  void aRowOfSomeLengthEntersWhenItIsMissedASecondTime() {
    RowCache cache = new RowCache(SMALLEST);
    byte[] value = new byte[RowCache.ROW_BYTES_AT_ONCE];
    cache.read(bytes("key"), value);
    assertNull(cache.get(bytes("key")));
    cache.read(bytes("key"), value);
    assertArrayEquals(value, cache.get(bytes("key")));
    assertFalse(cache.hasLong(bytes("key"), KeyHash.hash(bytes("key"), 0, 3)));
  }

  @Test
  void aRowThatIsHereMayGrowToSomeLength() {
    RowCache cache = new RowCache(SMALLEST);
    cache.read(bytes("key"), bytes("small"));
    byte[] value = new byte[RowCache.ROW_BYTES_AT_ONCE];
    written(cache, bytes("key"), value);
    assertArrayEquals(value, cache.get(bytes("key")));
  }

  @Test
  void aLongValueThatIsReadTwiceIsHandedOutAsItIs() {
    RowCache cache = new RowCache(SMALLEST);
    byte[] value = new byte[RowCache.ROW_BYTES_MAX];
    cache.read(bytes("key"), value);
    assertNull(cache.get(bytes("key")));
    cache.read(bytes("key"), value);
    assertSame(value, cache.get(bytes("key")));
    assertTrue(cache.hasLong(bytes("key"), KeyHash.hash(bytes("key"), 0, 3)));
    assertEquals(RowCache.NO_ROW, written(cache, bytes("key"), bytes("small")));
    assertNull(cache.get(bytes("key")));
  }

  @Test
  void clearingForgetsAll() {
    RowCache cache = new RowCache(SMALLEST);
    cache.read(bytes("key"), bytes("value"));
    cache.read(bytes("long"), new byte[RowCache.ROW_BYTES_MAX]);
    cache.read(bytes("long"), new byte[RowCache.ROW_BYTES_MAX]);
    cache.clear();
    assertNull(cache.get(bytes("key")));
    assertNull(cache.get(bytes("long")));
  }

  private static long written(RowCache cache, byte[] key, byte @Nullable [] value) {
    return cache.written(key, KeyHash.hash(key, 0, key.length), value);
  }
}
