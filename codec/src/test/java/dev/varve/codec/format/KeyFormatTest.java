package dev.varve.codec.format;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class KeyFormatTest {
  private static final byte[] KEY = {'c', 'a', 'r'};
  private static final byte[] MEMBER = {'r', 'e', 'd'};

  /** The examples of docs/formats/keyspaces.md. */
  @Test
  void goldenBytes() {
    CollectionKeys keys = new CollectionKeys(2, KEY, 0x0102);
    String tail = "00000002 00000003 636172 0000000000000102";
    assertBytes("6d 00000002 636172", KeyFormat.meta(2, KEY));
    assertBytes("73" + tail + "ee2d5f8d 726564", keys.member(MEMBER));
    assertBytes("7a" + tail + "c004000000000000 726564", keys.index(2.5, MEMBER));
    assertBytes("7a" + tail + "3ffbffffffffffff 726564", keys.index(-2.5, MEMBER));
    assertBytes("72" + tail + "02 726564", keys.rank(2, MEMBER));
    assertBytes("6c" + tail + "8000000000000000", keys.element(0));
    assertBytes("6c" + tail + "7fffffffffffffff", keys.element(-1));
    assertBytes(
        "74 8000018bcfe56800 00000002 636172", KeyFormat.expiry(1_700_000_000_000L, 2, KEY));
    assertBytes("67" + tail, KeyFormat.garbage(2, KEY, 0x0102));
    assertBytes("67 00000002", KeyFormat.garbage(2));
    assertBytes("64 00000002", KeyFormat.database(2));
    assertBytes("64 ffffffff", KeyFormat.nextDatabaseId());
    assertBytes("75 636172", KeyFormat.library(KEY));
  }

  private static void assertBytes(String expected, byte[] actual) {
    assertEquals(expected.replace(" ", ""), HexFormat.of().formatHex(actual));
  }

  @Test
  void partsComeBack() {
    SplittableRandom random = new SplittableRandom(7);
    for (int i = 0; i < 5_000; i++) {
      Parts parts = Parts.random(random);
      byte[] stored = parts.encode();
      byte tag = stored[0];
      if (tag == KeyFormat.META || tag == KeyFormat.EXPIRY) {
        assertEquals(parts.database, KeyFormat.databaseId(stored));
        assertArrayEquals(parts.key, KeyFormat.userKey(stored));
      }
      if (tag == KeyFormat.EXPIRY) {
        assertEquals(parts.number, KeyFormat.expiryMillis(stored));
      }
      if (parts.inCollection()) {
        CollectionKeys keys = new CollectionKeys(parts.database, parts.key, parts.version);
        assertArrayEquals(parts.key, KeyFormat.userKey(stored));
        assertEquals(parts.version, KeyFormat.version(stored));
        assertTrue(keys.owns(tag, stored));
        assertTrue(Arrays.compareUnsigned(keys.prefix(tag), stored) <= 0);
        assertTrue(Arrays.compareUnsigned(keys.end(tag), stored) > 0);
        if (tag == KeyFormat.MEMBER) {
          assertArrayEquals(parts.member, keys.memberOf(stored));
          byte[] start = keys.hashStart(keys.hashOf(stored));
          assertTrue(KeyFormat.startsWith(stored, start));
          assertEquals(start.length, keys.memberOffset());
        }
      }
    }
  }

  @Test
  void differentPartsNeverCollideNorNest() {
    SplittableRandom random = new SplittableRandom(11);
    Map<byte[], Parts> seen = new TreeMap<>(Arrays::compareUnsigned);
    for (int i = 0; i < 20_000; i++) {
      Parts parts = Parts.random(random);
      Parts same = seen.put(parts.encode(), parts);
      assertTrue(same == null || same.compareTo(parts) == 0, () -> same + " and " + parts);
      if (!parts.inCollection()) {
        continue;
      }
      // A prefix of one collection must not start any key of another.
      byte[] prefix =
          new CollectionKeys(parts.database, parts.key, parts.version).prefix(parts.tag);
      Parts other = Parts.random(random);
      if (other.tag == parts.tag && !other.sameCollection(parts)) {
        assertFalse(KeyFormat.startsWith(other.encode(), prefix), () -> other + " in " + parts);
      }
    }
  }

  @Test
  void orderOfBytesIsTheOrderOfTheParts() {
    SplittableRandom random = new SplittableRandom(13);
    for (int i = 0; i < 100_000; i++) {
      Parts a = Parts.random(random);
      Parts b = Parts.random(random);
      byte[] left = a.encode();
      byte[] right = b.encode();
      int expected = Integer.signum(a.compareTo(b));
      assertEquals(
          expected, Integer.signum(Arrays.compareUnsigned(left, right)), () -> a + " and " + b);
      byte[] shifted = new byte[right.length + 3];
      System.arraycopy(right, 0, shifted, 2, right.length);
      assertEquals(
          expected,
          Integer.signum(KeyspaceOrder.compare(left, 0, left.length, shifted, 2, right.length)));
    }
  }

  @Test
  void successorIsAfterAllWithThePrefixAndNothingMore() {
    assertBytes("61ff02", KeyFormat.successor(new byte[] {'a', -1, 1}));
    assertBytes("62", KeyFormat.successor(new byte[] {'a', -1, -1}));
    assertThrows(IllegalArgumentException.class, () -> KeyFormat.successor(new byte[] {-1, -1}));
  }

  @Test
  void damagedKeysAreRefused() {
    byte[] garbage = KeyFormat.garbage(1, KEY, 5);
    for (int length = 6; length < garbage.length; length++) {
      byte[] cut = Arrays.copyOf(garbage, length);
      assertThrows(DamagedValueException.class, () -> KeyFormat.version(cut));
    }
    OrderedNumbers.putUnsignedInt(garbage, 5, -1);
    assertThrows(DamagedValueException.class, () -> KeyFormat.userKey(garbage));
    assertThrows(DamagedValueException.class, () -> KeyFormat.expiryMillis(new byte[] {'t', 0, 0}));
  }
}
