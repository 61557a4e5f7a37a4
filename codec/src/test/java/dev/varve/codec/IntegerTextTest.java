package dev.varve.codec;

import static dev.varve.codec.Keyspace.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class IntegerTextTest {

  @Test
  void everyLongComesBack() {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 100_000; i++) {
      long value = random.nextLong() >> random.nextInt(64);
      assertEquals(Long.toString(value), Keyspace.text(IntegerText.format(value)));
      assertEquals(value, IntegerText.parse(IntegerText.format(value)));
    }
    for (long value : new long[] {Long.MIN_VALUE, Long.MAX_VALUE, 0, -1, 9, 10, -10}) {
      assertEquals(Long.toString(value), Keyspace.text(IntegerText.format(value)));
      assertEquals(value, IntegerText.parse(IntegerText.format(value)));
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
      "0x1",
      "a",
      "9223372036854775808",
      "-9223372036854775809",
      "99999999999999999999",
      "18446744073709551617",
      "1\0"
    };
    for (String text : texts) {
      assertFalse(IntegerText.isInteger(bytes(text)), text);
      assertThrows(DataException.class, () -> IntegerText.parse(bytes(text)), text);
    }
  }
}
