package dev.varve.lsm.entry;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class EmptyRangesTest {
  private static final long NOW = 10;

  private final EmptyRanges ranges = new EmptyRanges(NOW, WalkObserver.NONE);

  private static byte[] key(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private void learn(String from, String to) {
    ranges.learn(key(from), key(to), NOW);
  }

  private byte @Nullable [] endAfter(String key) {
    return ranges.endAfter(key(key), key.length(), NOW);
  }

  @Test
  void rangesThatTouchAreOne() {
    learn("b", "d");
    learn("f", "h");
    learn("d", "f");
    assertEquals(1, ranges.count());
    assertArrayEquals(key("h"), endAfter("b"));
    assertNull(endAfter("a"));
    assertNull(endAfter("h"));
  }

  @Test
  void whatIsPutCutsItsKeyOut() {
    learn("b", "h");
    ranges.put(key("xdx"), 1, 1);
    assertEquals(2, ranges.count());
    assertArrayEquals(key("d"), endAfter("b"));
    assertNull(endAfter("d"));
    assertArrayEquals(key("h"), endAfter("d\0"));
    ranges.put(key("b"), 0, 1);
    assertNull(endAfter("b"));
  }

  @Test
  void whatIsPutBesideAllRangesChangesNothing() {
    learn("d", "f");
    learn("j", "l");
    ranges.put(key("b"), 0, 1);
    ranges.put(key("h"), 0, 1);
    ranges.put(key("l"), 0, 1);
    assertEquals(2, ranges.count());
    // The lowest and the highest go; one that is wider comes.
    ranges.put(key("d"), 0, 1);
    ranges.forgetUnused();
    ranges.forgetUnused();
    assertEquals(0, ranges.count());
    learn("a", "z");
    ranges.put(key("b"), 0, 1);
    assertNull(endAfter("b"));
    assertArrayEquals(key("b"), endAfter("a"));
  }

  @Test
  void earlierSnapshotsDoNotHeedIt() {
    learn("b", "d");
    assertNull(ranges.endAfter(key("b"), 1, NOW - 1));
  }

  @Test
  void whenThereIsNoMoreRoomHalfIsForgotten() {
    for (int i = 0; i <= EmptyRanges.RANGES_MAX; i++) {
      learn(String.format("%06da", i), String.format("%06db", i));
    }
    assertEquals(EmptyRanges.RANGES_MAX / 2 + 1, ranges.count());
    for (int i = 0; i < 3 * EmptyRanges.RANGES_MAX; i++) {
      learn(String.format("%06da", i), String.format("%06db", i));
      assertTrue(ranges.count() <= EmptyRanges.RANGES_MAX);
    }
  }

  @Test
  void longKeysTakeNoMoreThanTheirRoom() {
    byte[] from = new byte[EmptyRanges.KEY_BYTES_MAX];
    for (int i = 0; i < 3_000; i++) {
      Arrays.fill(from, 0, 4, (byte) 'k');
      byte[] number = key(String.format("%05d", i));
      System.arraycopy(number, 0, from, 4, number.length);
      byte[] to = from.clone();
      to[to.length - 1] = 1;
      ranges.learn(from.clone(), to, NOW);
    }
    assertTrue(ranges.count() * 2L * from.length <= EmptyRanges.BYTES_MAX + 2L * from.length);
    assertTrue(ranges.count() > 400, ranges.count() + " are left");
  }

  @Test
  void whatNobodyMeetsIsForgottenAtTheSecondLook() {
    learn("b", "d");
    ranges.forgetUnused();
    assertEquals(1, ranges.count());
    ranges.forgetUnused();
    assertEquals(0, ranges.count());
  }
}
