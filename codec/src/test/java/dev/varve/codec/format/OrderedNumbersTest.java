package dev.varve.codec.format;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class OrderedNumbersTest {

  @Test
  void longsOrderAsTheirBytes() {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 50_000; i++) {
      long a = random.nextLong() >> random.nextInt(64);
      long b = random.nextLong() >> random.nextInt(64);
      assertEquals(Long.compare(a, b), Integer.signum(Arrays.compareUnsigned(bytes(a), bytes(b))));
      assertEquals(a, OrderedNumbers.getLong(bytes(a), 0));
    }
  }

  @Test
  void doublesOrderAsTheirBytes() {
    SplittableRandom random = new SplittableRandom(2);
    for (int i = 0; i < 50_000; i++) {
      double a = Double.longBitsToDouble(random.nextLong());
      double b = random.nextBoolean() ? -a : Double.longBitsToDouble(random.nextLong());
      if (Double.isNaN(a) || Double.isNaN(b)) {
        continue;
      }
      assertEquals(
          Double.compare(a + 0.0, b + 0.0),
          Integer.signum(Arrays.compareUnsigned(bytes(a), bytes(b))));
      assertEquals(a, OrderedNumbers.getDouble(bytes(a), 0));
    }
  }

  @Test
  void zeroesAreOne() {
    assertArrayEquals(bytes(0.0), bytes(-0.0));
    assertEquals(0.0, OrderedNumbers.getDouble(bytes(-0.0), 0));
  }

  @Test
  void notANumberIsRefused() {
    assertThrows(IllegalArgumentException.class, () -> bytes(Double.NaN));
    byte[] damaged = new byte[8];
    Arrays.fill(damaged, (byte) 0xFF);
    assertThrows(DamagedValueException.class, () -> OrderedNumbers.getDouble(damaged, 0));
  }

  private static byte[] bytes(long value) {
    byte[] bytes = new byte[8];
    OrderedNumbers.putLong(bytes, 0, value);
    return bytes;
  }

  private static byte[] bytes(double value) {
    byte[] bytes = new byte[8];
    OrderedNumbers.putDouble(bytes, 0, value);
    return bytes;
  }
}
