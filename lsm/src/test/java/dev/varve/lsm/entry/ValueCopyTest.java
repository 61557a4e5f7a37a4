package dev.varve.lsm.entry;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ValueCopyTest {
  private static final int AT = 5;

  private final byte[] bytes = new byte[AT + ValueBuffer.BYTES_MAX + 1];
  private final ByteBuffer memory;
  private final ValueBuffer buffer = new ValueBuffer();

  ValueCopyTest() {
    new Random(1).nextBytes(bytes);
    memory = ByteBuffer.allocateDirect(bytes.length).put(bytes);
  }

  private byte[] value(int length) {
    return Arrays.copyOfRange(bytes, AT, AT + length);
  }

  @Test
  void aWholeOneHasAnArrayOfItsOwn() {
    assertArrayEquals(value(100), ValueCopy.WHOLE.of(memory, AT, 100));
    assertArrayEquals(value(0), ValueCopy.WHOLE.of(memory, AT, 0));
    assertTrue(ValueCopy.WHOLE.isWhole(value(100)));
  }

  @Test
  void aStartIsNoLongerThanWhatWasAskedFor() {
    ValueCopy start = ValueCopy.start(10);
    assertArrayEquals(value(10), start.of(memory, AT, 11));
    assertArrayEquals(value(9), start.of(memory, AT, 9));
    assertTrue(start.isWhole(value(9)));
    assertFalse(start.isWhole(value(10)), "there may be more");
  }

  @Test
  void whatIsTooLongIsNotCopied() {
    ValueCopy upTo = ValueCopy.upTo(10);
    assertArrayEquals(value(10), upTo.of(memory, AT, 10));
    assertTrue(upTo.isWhole(value(10)));
    assertSame(ValueCopy.NOT_COPIED, upTo.of(memory, AT, 11));
  }

  @Test
  void longValuesShareABufferAndOthersDoNot() {
    byte[] first = null;
    for (int length :
        new int[] {
          ValueBuffer.BYTES_MAX, ValueBuffer.BYTES_MIN, ValueBuffer.BYTES_MAX - 1, 10_000
        }) {
      byte[] found = buffer.copy().of(memory, AT, length);
      assertTrue(buffer.has(found));
      assertEquals(length, buffer.length(found));
      assertArrayEquals(value(length), Arrays.copyOf(found, length));
      assertSame(first == null ? found : first, found);
      first = found;
    }
    for (int length : new int[] {0, ValueBuffer.BYTES_MIN - 1, ValueBuffer.BYTES_MAX + 1}) {
      byte[] found = buffer.copy().of(memory, AT, length);
      assertFalse(buffer.has(found));
      assertEquals(length, buffer.length(found));
      assertArrayEquals(value(length), found);
      assertNotSame(first, found);
    }
  }

  @Test
  void theBufferGrowsWithWhatItIsUsedFor() {
    for (int length = ValueBuffer.BYTES_MIN; length < ValueBuffer.BYTES_MAX; length += 9_999) {
      byte[] found = buffer.copy().of(memory, AT, length);
      assertArrayEquals(value(length), Arrays.copyOf(found, buffer.length(found)));
    }
  }
}
