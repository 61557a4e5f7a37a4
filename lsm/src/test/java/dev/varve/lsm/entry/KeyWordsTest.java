package dev.varve.lsm.entry;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class KeyWordsTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());
  private static final int LENGTH_MAX = 20;

  private final Random random = new Random(SEED);

  /** The bytes of a key from a place on, with zeroes behind its end. */
  private static long padded(byte[] key, int offset, int length, int from) {
    byte[] whole = new byte[LENGTH_MAX + Long.BYTES];
    System.arraycopy(key, offset, whole, 0, length);
    return ByteBuffer.wrap(whole).getLong(Math.min(from, LENGTH_MAX));
  }

  @Test
  void aWordIsEightBytesAndZeroesBehindTheEnd() {
    System.out.println("KeyWordsTest -Dvarve.seed=" + SEED);
    for (int length = 0; length <= LENGTH_MAX; length++) {
      for (int offset = 0; offset < 3; offset++) {
        // What is around the key is not of it.
        byte[] array = new byte[offset + length + 2];
        random.nextBytes(array);
        ByteBuffer memory = ByteBuffer.wrap(array);
        for (int from = 0; from <= LENGTH_MAX; from++) {
          String what = "length " + length + ", offset " + offset + ", from " + from;
          long expected = padded(array, offset, length, from);
          assertEquals(expected, KeyWords.wordAt(array, offset, length, from), what);
          assertEquals(expected, KeyWords.wordAt(memory, offset, length, from), what);
        }
        long first = padded(array, offset, array.length - offset, 0);
        assertEquals(first, KeyWords.first(array, offset), "offset " + offset);
      }
    }
  }

  @Test
  void differentWordsDecideTheOrderOfKeys() {
    for (int i = 0; i < 100_000; i++) {
      byte[] one = randomKey();
      byte[] other = randomKey();
      int byWords = Long.compareUnsigned(KeyWords.first(one, 0), KeyWords.first(other, 0));
      if (byWords != 0) {
        int expected = Arrays.compareUnsigned(one, other);
        assertEquals(Integer.signum(expected), Integer.signum(byWords), "-Dvarve.seed=" + SEED);
      }
    }
  }

  /** Of bytes that are often alike. */
  private byte[] randomKey() {
    byte[] key = new byte[random.nextInt(12)];
    for (int i = 0; i < key.length; i++) {
      key[i] = (byte) (random.nextInt(3) - 1);
    }
    return key;
  }
}
