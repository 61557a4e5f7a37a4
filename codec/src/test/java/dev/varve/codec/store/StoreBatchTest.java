package dev.varve.codec.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StoreBatchTest {

  private static byte[] key(int number) {
    return new byte[] {(byte) number};
  }

  private static List<byte[]> valuesPut(StoreBatch batch) {
    List<byte[]> values = new ArrayList<>();
    batch.accept(
        new StoreBatch.Visitor() {
          @Override
          public void put(byte[] key, byte[] value) {
            values.add(value);
          }

          @Override
          public void delete(byte[] key) {}

          @Override
          public void count(long counterId, long delta) {}
        });
    return values;
  }

  /** Few writes are kept in another form than many. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void aValueInTwoPartsIsWhatItIsInOne(long seed) {
    Random random = new Random(seed);
    int keys = 5 + 30 * (int) (seed % 2);
    StoreBatch parts = new StoreBatch();
    StoreBatch whole = new StoreBatch();
    for (int i = 0; i < 4 * keys; i++) {
      byte[] key = key(random.nextInt(keys));
      byte[] value = new byte[random.nextInt(50)];
      random.nextBytes(value);
      int at = random.nextInt(value.length + 1);
      if (random.nextBoolean()) {
        parts.put(key, Arrays.copyOf(value, at), Arrays.copyOfRange(value, at, value.length));
      } else {
        parts.put(key, value);
      }
      whole.put(key, value);
      byte[] asked = key(random.nextInt(keys));
      if (random.nextInt(3) == 0) {
        assertArrayEquals(whole.get(asked), parts.get(asked), "seed " + seed);
      }
      assertEquals(whole.bytesMax(), parts.bytesMax(), "seed " + seed);
    }
    assertContentEquals(valuesPut(whole), valuesPut(parts), seed);
  }

  private static void assertContentEquals(List<byte[]> wanted, List<byte[]> found, long seed) {
    assertEquals(wanted.size(), found.size(), "seed " + seed);
    for (int i = 0; i < wanted.size(); i++) {
      assertArrayEquals(wanted.get(i), found.get(i), "seed " + seed);
    }
  }

  /** Few writes are kept in another form than many. */
  @ParameterizedTest
  @ValueSource(ints = {0, 100})
  void whatIsInsertedWhereTheBatchHasDeletedIsAPutLikeOthers(int others) {
    StoreBatch batch = new StoreBatch();
    for (int i = 0; i < others; i++) {
      batch.delete(key(i));
    }
    batch.insert(key(121));
    batch.delete(key(122));
    batch.insert(key(122));
    batch.insert(key(123));
    batch.delete(key(123));
    batch.insert(key(123));
    List<byte[]> values = valuesPut(batch);
    assertSame(StoreBatch.INSERTED, values.get(0));
    for (int i = 1; i <= 2; i++) {
      assertNotSame(StoreBatch.INSERTED, values.get(i));
      assertNotSame(StoreBatch.DELETED, values.get(i));
      assertArrayEquals(new byte[0], values.get(i));
    }
  }
}
