package dev.varve.codec.string;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.codec.format.Slice;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CommonSubsequenceTest {

  @Test
  void itIsWhatTheTableOfLengthsGives() {
    Random random = new Random(1);
    for (int round = 0; round < 4000; round++) {
      int letters = random.nextBoolean() ? 1 + random.nextInt(4) : 256;
      assertAsByTable(text(random, letters), text(random, letters));
    }
  }

  @Test
  void rowsThatFillWordsOfBitsAreNoOthers() {
    Random random = new Random(2);
    int[] lengths = {0, 1, 63, 64, 65, 127, 128, 129, 192};
    for (int first : lengths) {
      for (int second : lengths) {
        assertAsByTable(text(random, 2, first), text(random, 2, second));
        assertAsByTable(
            "a".repeat(first).getBytes(StandardCharsets.UTF_8), text(random, 1, second));
      }
    }
  }

  private static byte[] text(Random random, int letters) {
    return text(random, letters, random.nextInt(random.nextBoolean() ? 10 : 200));
  }

  private static byte[] text(Random random, int letters, int length) {
    byte[] text = new byte[length];
    for (int i = 0; i < length; i++) {
      text[i] = (byte) ('a' + random.nextInt(letters));
    }
    return text;
  }

  /** With other bytes before and behind the strings. */
  private static Slice within(byte[] text) {
    byte[] larger = new byte[text.length + 5];
    Arrays.fill(larger, (byte) 'a');
    System.arraycopy(text, 0, larger, 2, text.length);
    return new Slice(larger, 2, text.length);
  }

  private static void assertAsByTable(byte[] first, byte[] second) {
    int[][] table = new int[first.length + 1][second.length + 1];
    for (int i = 1; i <= first.length; i++) {
      for (int j = 1; j <= second.length; j++) {
        table[i][j] =
            first[i - 1] == second[j - 1]
                ? table[i - 1][j - 1] + 1
                : Math.max(table[i - 1][j], table[i][j - 1]);
      }
    }
    int length = table[first.length][second.length];
    CommonSubsequence found = CommonSubsequence.of(within(first), within(second), false);
    assertEquals(length, found.length());
    assertEquals(length, CommonSubsequence.of(within(first), within(second), true).length());

    byte[] bytes = new byte[length];
    List<CommonSubsequence.Range> ranges = new ArrayList<>();
    int i = first.length;
    int j = second.length;
    while (i > 0 && j > 0) {
      int run = 0;
      while (i > 0 && j > 0 && first[i - 1] == second[j - 1]) {
        bytes[--length] = first[i - 1];
        i--;
        j--;
        run++;
      }
      if (run > 0) {
        ranges.add(new CommonSubsequence.Range(i, i + run - 1, j, j + run - 1));
      } else if (table[i - 1][j] > table[i][j - 1]) {
        i--;
      } else {
        j--;
      }
    }
    assertArrayEquals(bytes, found.bytes());
    assertEquals(ranges, found.ranges());
  }
}
