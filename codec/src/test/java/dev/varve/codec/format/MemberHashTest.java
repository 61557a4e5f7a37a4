package dev.varve.codec.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class MemberHashTest {
  private static final int BUCKETS = 1024;
  private static final int PER_BUCKET = 16;

  /** Part of the stored format: these must never change. */
  @Test
  void goldenHashes() {
    assertHash("9ca066f1", "");
    assertHash("44fb9b13", "a");
    assertHash("ee2d5f8d", "red");
    assertHash("2490071c", "12345678");
    assertHash("0f48eb18", "element:000000012345");
  }

  private static void assertHash(String expected, String member) {
    byte[] bytes = member.getBytes(StandardCharsets.US_ASCII);
    assertEquals(expected, HexFormat.of().toHexDigits(MemberHash.of(bytes, 0, bytes.length)));
    byte[] around = ("xy" + member + "z").getBytes(StandardCharsets.US_ASCII);
    assertEquals(expected, HexFormat.of().toHexDigits(MemberHash.of(around, 2, bytes.length)));
  }

  @Test
  void membersThatLookAlikeAreSpreadEvenlyInEveryPartOfTheHash() {
    for (String format : new String[] {"%d", "user:%010d", "%08d:field", "\0%d\0"}) {
      int members = PER_BUCKET * BUCKETS;
      int[] hashes = new int[members];
      for (int i = 0; i < members; i++) {
        byte[] bytes = String.format(format, i).getBytes(StandardCharsets.ISO_8859_1);
        hashes[i] = MemberHash.of(bytes, 0, bytes.length);
      }
      for (int shift = 0; shift <= 22; shift += 11) {
        int[] counts = new int[BUCKETS];
        for (int hash : hashes) {
          counts[(hash >>> shift) & (BUCKETS - 1)]++;
        }
        double chiSquare = 0;
        for (int count : counts) {
          chiSquare += (count - PER_BUCKET) * (double) (count - PER_BUCKET) / PER_BUCKET;
        }
        // 1023 degrees of freedom: beyond 1250 in one of 10 million truly random cases.
        assertTrue(chiSquare < 1250, format + " at bit " + shift + ": " + chiSquare);
      }
    }
  }
}
