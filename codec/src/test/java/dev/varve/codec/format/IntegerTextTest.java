package dev.varve.codec.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class IntegerTextTest {
  private static final RuntimeException NONE = new RuntimeException("no integer");

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static void assertComesBack(long value) {
    byte[] text = IntegerText.of(value);
    assertEquals(Long.toString(value), new String(text, StandardCharsets.US_ASCII));
    assertTrue(IntegerText.isInteger(text));
    assertEquals(value, IntegerText.parse(text));
    assertEquals(value, IntegerText.parse(text, NONE));
  }

  @Test
  void everyLongComesBack() {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 100_000; i++) {
      long value = random.nextLong() >> random.nextInt(64);
      assertComesBack(value);
    }
    for (long value : new long[] {Long.MIN_VALUE, Long.MAX_VALUE, 0, 1, -1, 9, 10, -10, 99, 100}) {
      assertComesBack(value);
    }
  }

  @Test
  void everythingElseIsNoInteger() {
    String[] texts = {
      "",
      "-",
      "+1",
      " 1",
      "1 ",
      "01",
      "-0",
      "-01",
      "1.0",
      "1a",
      "0x1",
      "a",
      "9223372036854775808",
      "-9223372036854775809",
      "99999999999999999999",
      "100000000000000000000",
      "18446744073709551617",
      "1\0"
    };
    for (String text : texts) {
      assertFalse(IntegerText.isInteger(bytes(text)), text);
      assertEquals(IntegerText.NOT_AN_INTEGER, IntegerText.parse(bytes(text)), text);
      assertSame(
          NONE,
          assertThrows(RuntimeException.class, () -> IntegerText.parse(bytes(text), NONE), text));
    }
  }
}
