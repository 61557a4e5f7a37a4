package dev.varve.lsm.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.wal.OffHeap;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class KeyHashTest {

  private static long hash(String key) {
    byte[] bytes = key.getBytes(StandardCharsets.US_ASCII);
    return KeyHash.hash(bytes, 0, bytes.length);
  }

  @Test
  void hashesOnDiskNeverChange() {
    assertEquals(0x20C9D64ACB23AB32L, hash(""));
    assertEquals(0x01DE191D0B6A3A5FL, hash("a"));
    assertEquals(0x3037C8E5423D1EB1L, hash("abcd"));
    assertEquals(0xD17B6DD47F7D5630L, hash("abcdefgh"));
    assertEquals(0xC46653C284A8D0D8L, hash("user:0000000001:field"));
  }

  @Test
  void onlyTheKeyCountsNotWhereItLies() {
    Random random = new Random(1);
    for (int length = 0; length < 40; length++) {
      byte[] key = new byte[length];
      random.nextBytes(key);
      byte[] padded = new byte[length + 20];
      random.nextBytes(padded);
      System.arraycopy(key, 0, padded, 7, length);
      assertEquals(KeyHash.hash(key, 0, length), KeyHash.hash(padded, 7, length));
    }
  }

  @Test
  void nearbyKeysDoNotCollide() {
    Set<Long> seen = new HashSet<>();
    int keys = 0;
    for (int length = 0; length <= 40; length++) {
      assertTrue(seen.add(KeyHash.hash(new byte[length], 0, length)), "zeroes of " + length);
      keys++;
    }
    byte[] key = new byte[16];
    for (int i = 1; i < 200_000; i++) {
      ByteBuffer.wrap(key).putLong(8, i);
      assertTrue(seen.add(KeyHash.hash(key, 0, 16)), "number " + i);
      keys++;
    }
    for (int length = 1; length <= 40; length++) {
      for (int bit = 0; bit < length * 8; bit++) {
        byte[] oneBit = new byte[length];
        oneBit[bit >>> 3] = (byte) (1 << (bit & 7));
        if (length != 16 || bit < 64) {
          assertTrue(seen.add(KeyHash.hash(oneBit, 0, length)), length + " bit " + bit);
          keys++;
        }
      }
    }
    assertEquals(keys, seen.size());
  }

  @Test
  void everyBitOfTheKeyMovesHalfTheBitsOfTheHash() {
    Random random = new Random(2);
    for (int length = 1; length <= 24; length++) {
      for (int bit = 0; bit < length * 8; bit++) {
        int moved = 0;
        int rounds = 200;
        for (int round = 0; round < rounds; round++) {
          byte[] key = new byte[length];
          random.nextBytes(key);
          long before = KeyHash.hash(key, 0, length);
          key[bit >>> 3] ^= (byte) (1 << (bit & 7));
          moved += Long.bitCount(before ^ KeyHash.hash(key, 0, length));
        }
        double average = (double) moved / rounds;
        assertTrue(
            average > 28 && average < 36, "length " + length + " bit " + bit + ": " + average);
      }
    }
  }

  @Test
  void filterHasEveryKeyAndFewOthers() throws Exception {
    int keys = 100_000;
    OffHeap offHeap = new OffHeap();
    try (BloomWriter writer = new BloomWriter(offHeap, 10)) {
      for (int i = 0; i < keys; i++) {
        writer.add(hash("user" + (100_000_000_000L + i)));
      }
      ByteBuffer raw = writer.finish();
      try (BloomFilter filter = new BloomFilter(raw, writer.filterBytes(), offHeap, "file", 0)) {
        int others = 0;
        for (int i = 0; i < keys; i++) {
          assertTrue(filter.mayContain(hash("user" + (100_000_000_000L + i))));
          others += filter.mayContain(hash("user" + (200_000_000_000L + i))) ? 1 : 0;
        }
        assertTrue(others < keys * 0.012, others + " of " + keys);
        assertFalse(others == 0);
      }
    }
    assertEquals(0, offHeap.heldBytes());
  }
}
