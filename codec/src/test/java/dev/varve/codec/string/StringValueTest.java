package dev.varve.codec.string;

import static dev.varve.codec.Keyspace.bytes;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.Keys;
import dev.varve.codec.Keyspace;
import dev.varve.codec.KeyspaceCheck;
import dev.varve.codec.PackedLimits;
import dev.varve.codec.format.KeyFormat;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class StringValueTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());
  private static final byte[] KEY = bytes("bits");

  /** The example of docs/formats/values.md. */
  @Test
  void goldenBytes() {
    Keyspace keyspace = new Keyspace();
    keyspace.packedLimits = PackedLimits.DEFAULT.withStrings(8, 8, 4, 4);
    keyspace.apply(t -> Strings.set(t, 0, KEY, bytes("hi\0\0\0\0\0\0you")));
    List<byte[]> stored = keyspace.stored(KeyFormat.LIST);
    String prefix = "6c0000000000000004626974730000000000000001";
    assertEquals(
        List.of(prefix + "8000000000000000", prefix + "8000000000000002"),
        stored.stream().map(HexFormat.of()::formatHex).toList());
    assertArrayEquals(bytes("hi"), keyspace.storedValue(stored.get(0)));
    assertArrayEquals(bytes("you"), keyspace.storedValue(stored.get(1)));
    byte[] meta = keyspace.storedValue(KeyFormat.meta(0, KEY));
    assertNotNull(meta);
    assertEquals(
        "1102000000000000000100000000000000020000000000000005" + "0000000b02",
        HexFormat.of().formatHex(meta));
  }

  @Test
  void oneBitOfALongStringIsOneFragmentAndTheMeta() {
    Keyspace keyspace = new Keyspace();
    keyspace.apply(t -> Strings.set(t, 0, KEY, filled(1 << 20)));
    long writes =
        keyspace.number(
            t -> {
              Bitmaps.set(t, 0, KEY, 4_000_000, true);
              return t.batch().writeCount();
            });
    assertEquals(2, writes);
    assertTrue(keyspace.test(t -> Bitmaps.get(t, 0, KEY, 4_000_000)));
  }

  @Test
  void deletingALongStringIsOneRecordAndTheMeta() {
    Keyspace keyspace = new Keyspace();
    keyspace.apply(t -> Strings.set(t, 0, KEY, filled(1 << 20)));
    long writes =
        keyspace.number(
            t -> {
              Keys.delete(t, 0, KEY);
              return t.batch().writeCount();
            });
    assertEquals(2, writes);
    KeyspaceCheck.assertConsistent(keyspace);
  }

  @Test
  void farBitCostsOneSmallFragment() {
    Keyspace keyspace = new Keyspace();
    keyspace.apply(t -> Bitmaps.set(t, 0, KEY, 0xFFFF_FFFFL, true));
    assertEquals(1 << 29, keyspace.number(t -> Strings.length(t, 0, KEY)));
    assertEquals(1, keyspace.stored(KeyFormat.LIST).size());
    keyspace.apply(t -> Bitmaps.set(t, 0, KEY, 0xFFFF_FFFFL, false));
    assertEquals(0, keyspace.stored(KeyFormat.LIST).size());
    assertEquals(1 << 29, keyspace.number(t -> Strings.length(t, 0, KEY)));
  }

  @Test
  void integersThatStayAsTheyAreAreNotWritten() {
    Keyspace keyspace = new Keyspace();
    keyspace.packedLimits = PackedLimits.DEFAULT.withStrings(100, 8, 16, 8);
    keyspace.apply(t -> Strings.set(t, 0, bytes("source"), filled(50)));
    keyspace.apply(t -> Bitmaps.operate(t, 0, Bitmaps.Operation.OR, KEY, List.of(bytes("source"))));
    keyspace.apply(t -> BitFields.run(t, 0, KEY, List.of(setByte(40, 'x'))));
    assertEquals(List.of(), keyspace.stored(KeyFormat.LIST));
    KeyspaceCheck.assertConsistent(keyspace);
  }

  private static BitFields.Step setByte(long at, int value) {
    return new BitFields.Step(
        BitFields.Action.SET, false, 8, 8 * at, value, BitFields.Overflow.WRAP);
  }

  private static byte[] filled(int length) {
    byte[] value = new byte[length];
    Arrays.fill(value, (byte) 'x');
    return value;
  }

  /** Random edits against an array. */
  @Test
  void editsInFragmentsAreThoseOfAnArray() {
    System.out.println("StringValueTest -Dvarve.seed=" + SEED);
    SplittableRandom random = new SplittableRandom(SEED);
    Keyspace keyspace = new Keyspace();
    byte[] model = {};
    for (int step = 0; step < 4_000; step++) {
      keyspace.packedLimits =
          PackedLimits.DEFAULT.withStrings(random.nextInt(60), random.nextInt(40), 16, 8);
      byte[] part = new byte[random.nextInt(30)];
      if (random.nextBoolean()) {
        random.nextBytes(part);
      }
      int at = random.nextInt(100);
      switch (random.nextInt(16)) {
        case 0 -> {
          model = part;
          keyspace.apply(t -> Strings.set(t, 0, KEY, part));
        }
        case 1 -> {
          keyspace.apply(t -> Keys.delete(t, 0, KEY));
          model = new byte[0];
        }
        case 2, 3, 4 -> {
          keyspace.apply(t -> Strings.append(t, 0, KEY, part, Strings.BYTES_MAX));
          model = edited(model, model.length, part);
        }
        case 5, 6 -> {
          byte old = at < model.length ? model[at] : 0;
          byte[] one = {random.nextBoolean() ? old : (byte) random.nextInt()};
          keyspace.apply(t -> BitFields.run(t, 0, KEY, List.of(setByte(at, one[0] & 0xFF))));
          model = edited(model, at, one);
        }
        case 7 -> {
          byte[] other = bytes("other");
          keyspace.apply(t -> Bitmaps.operate(t, 0, Bitmaps.Operation.OR, other, List.of(KEY)));
          keyspace.apply(t -> Bitmaps.operate(t, 0, Bitmaps.Operation.OR, KEY, List.of(other)));
        }
        default -> {
          keyspace.apply(t -> Strings.setRange(t, 0, KEY, at, part, Strings.BYTES_MAX));
          model = part.length == 0 ? model : edited(model, at, part);
        }
      }
      byte[] expected = model;
      keyspace.apply(t -> assertHas(expected, Strings.getBriefly(t, 0, KEY)));
      int end = Math.min(model.length, at + 9);
      if (at < end) {
        byte[] middle = Arrays.copyOfRange(model, at, end);
        keyspace.apply(t -> assertHas(middle, Strings.getRange(t, 0, KEY, at, end - 1)));
      }
      if (step % 50 == 0) {
        KeyspaceCheck.assertConsistent(keyspace);
      }
    }
    KeyspaceCheck.assertConsistent(keyspace);
  }

  private static void assertHas(byte[] expected, @Nullable StringRange range) {
    byte[] whole = range == null ? new byte[0] : range.whole().toBytes();
    assertArrayEquals(expected, whole, () -> "seed " + SEED);
    byte[] inParts = StringBytes.of(range);
    assertArrayEquals(whole, inParts == null ? new byte[0] : inParts, () -> "seed " + SEED);
    assertEquals(whole.length, range == null ? 0 : range.length());
  }

  private static byte[] edited(byte[] old, int at, byte[] part) {
    byte[] changed = Arrays.copyOf(old, Math.max(old.length, at + part.length));
    System.arraycopy(part, 0, changed, at, part.length);
    return changed;
  }
}
