package dev.varve.codec;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.format.DamagedValueException;
import dev.varve.codec.format.ValueType;
import dev.varve.codec.zset.ZPlace;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class MetaFormatTest {
  private static final long EXPIRY = 1_700_000_000_000L;

  /** The examples of docs/formats/values.md. */
  @Test
  void goldenBytes() {
    assertBytes("11 00 6869", Meta.ofString(Keyspace.bytes("hi")));

    Meta expiring = Meta.ofString(Keyspace.bytes("hi"));
    expiring.setExpiryMillis(EXPIRY);
    assertBytes("11 01 8000018bcfe56800 6869", expiring);

    expiring.storedExpiryMillis = EXPIRY - 1000;
    assertBytes("21 01 8000018bcfe56800 8000018bcfe56418 6869", expiring);

    Meta packed = Meta.ofPacked(ValueType.SET);
    packed.packed().append(Keyspace.bytes("red"));
    packed.packed().append(Keyspace.bytes("blue"));
    assertBytes("13 00 02 03 726564 04 626c7565", packed);

    assertBytes("15 02 0000000000000102 00000000000000c8 0000000000001000", spread());

    Meta list = Meta.ofSpread(ValueType.LIST, 0x0102);
    list.add(3, 30);
    list.setEnds(-1, 2);
    assertBytes(
        "12 02 0000000000000102 0000000000000003 000000000000001e"
            + "7fffffffffffffff 8000000000000002",
        list);

    Meta counted = Meta.ofSpread(ValueType.ZSET, 0x0102);
    counted.add(400, 4096);
    counted.setRankLevels(1);
    assertBytes("14 42 0000000000000102 0000000000000190 0000000000001000 00 00 01", counted);

    counted.edges().nothingBefore(ZPlace.of(2.5, Keyspace.bytes("red")));
    counted.edges().nothingFrom(ZPlace.before(3));
    assertBytes(
        "14 42 0000000000000102 0000000000000190 0000000000001000"
            + " 0b c004000000000000 726564 08 c008000000000000 01",
        counted);

    Meta fragments = Meta.ofFragments(0x0102, 4096);
    fragments.add(3, 30);
    fragments.length = 100_000;
    assertBytes("11 02 0000000000000102 0000000000000003 000000000000001e 000186a0 0c", fragments);

    Meta moved = spread();
    moved.flags |= MetaFormat.MOVED;
    moved.home = Keyspace.bytes("car");
    assertBytes("15 06 0000000000000102 00000000000000c8 0000000000001000 636172", moved);
  }

  private static Meta spread() {
    Meta meta = Meta.ofSpread(ValueType.HASH, 0x0102);
    meta.add(200, 4096);
    return meta;
  }

  private static void assertBytes(String expected, Meta meta) {
    byte[] stored = MetaFormat.write(meta);
    assertEquals(expected.replace(" ", ""), HexFormat.of().formatHex(stored));
    assertArrayEquals(stored, MetaFormat.write(MetaFormat.read(stored)));
  }

  @Test
  void everythingComesBack() {
    Meta list = Meta.ofSpread(ValueType.LIST, 77);
    list.add(5, 50);
    list.setEnds(-3, 2);
    list.setExpiryMillis(EXPIRY);
    list.flags |= MetaFormat.MOVED;
    list.home = Keyspace.bytes("");
    Meta read = MetaFormat.read(MetaFormat.write(list));
    assertEquals(ValueType.LIST, read.type());
    assertTrue(read.isSpread());
    assertEquals(77, read.version());
    assertEquals(5, read.count());
    assertEquals(50, read.bytes());
    assertEquals(-3, read.head());
    assertEquals(2, read.tail());
    assertEquals(EXPIRY, read.expiryMillis());
    assertEquals("", Keyspace.text(read.home(Keyspace.bytes("now"))));
    assertFalse(read.isExpiredAt(EXPIRY - 1));
    assertTrue(read.isExpiredAt(EXPIRY));
  }

  @Test
  void whatLiesBeyondTheEndsOfAListIsWithinReason() {
    String start = "1282" + "0000000000000102" + "0000000000000003" + "000000000000001e";
    String ends = "8000000000000005" + "8000000000000008";
    for (String beyond :
        new String[] {
          // Nothing: no flag would say the same.
          "8000000000000005" + "8000000000000008" + "00",
          "8000000000000006" + "8000000000000008" + "01",
          "8000000000000005" + "8000000000000007" + "02",
          "8000000000000004" + "8000000000000008" + "04",
          "8000000000000004" + "8000000000000008",
        }) {
      byte[] stored = HexFormat.of().parseHex(start + ends + beyond);
      assertThrows(DamagedValueException.class, () -> MetaFormat.read(stored), beyond);
    }
    String good = start + ends + "8000000000000004" + "8000000000000009" + "02";
    byte[] stored = HexFormat.of().parseHex(good);
    assertEquals(5, MetaFormat.read(stored).entries());
    assertArrayEquals(stored, MetaFormat.write(MetaFormat.read(stored)));
  }

  @Test
  void gapsOfAListAreBetweenItsElements() {
    // Seven elements from 5 up to 17, gaps at 6, 7 and from 9 up to 12.
    String start = "1242" + "0000000000000102" + "0000000000000007" + "000000000000001e";
    String ends = "8000000000000005" + "8000000000000011";
    byte[] stored = HexFormat.of().parseHex(start + ends + "02" + "01" + "02" + "01" + "03");
    Meta list = MetaFormat.read(stored);
    assertArrayEquals(stored, MetaFormat.write(list));
    long[] positions = LongStream.range(0, 8).map(list.ends()::position).toArray();
    assertArrayEquals(new long[] {5, 8, 12, 13, 14, 15, 16, 17}, positions);
    for (int index = 0; index < positions.length; index++) {
      assertEquals(index, list.ends().index(positions[index]));
    }
    for (String gaps :
        new String[] {
          "",
          "00",
          "41" + "0101".repeat(65),
          // At the head, at nothing, to the tail, beyond it, and one beside another.
          "02" + "00" + "02" + "01" + "03",
          "02" + "01" + "00" + "01" + "05",
          "01" + "07" + "05",
          "01" + "07" + "06",
          "02" + "01" + "02" + "00" + "03",
          "02" + "01" + "02" + "01" + "8300",
          "01" + "01" + "ffffffffffffffff7f",
          // As many as there are not.
          "02" + "01" + "02" + "01" + "02",
        }) {
      byte[] damaged = HexFormat.of().parseHex(start + ends + gaps);
      assertThrows(DamagedValueException.class, () -> MetaFormat.read(damaged), gaps);
    }
  }

  @Test
  void damagedBytesAreRefused() {
    byte[] stored = MetaFormat.write(spread());
    for (int length = 0; length < stored.length; length++) {
      byte[] cut = Arrays.copyOf(stored, length);
      assertThrows(DamagedValueException.class, () -> MetaFormat.read(cut));
    }
    byte[] longer = Arrays.copyOf(stored, stored.length + 1);
    assertThrows(DamagedValueException.class, () -> MetaFormat.read(longer));
    for (byte[] header :
        new byte[][] {{0x31, 0}, {0x21, 0}, {0x10, 0}, {0x16, 0}, {0x11, 64}, {0x11, 2}}) {
      assertThrows(DamagedValueException.class, () -> MetaFormat.read(header));
    }
    SplittableRandom random = new SplittableRandom(5);
    for (int i = 0; i < 20_000; i++) {
      byte[] hostile = new byte[random.nextInt(40)];
      random.nextBytes(hostile);
      if (hostile.length > 1) {
        hostile[0] = (byte) (1 + random.nextInt(2) << 4 | random.nextInt(7));
        hostile[1] &= 0x7F;
      }
      try {
        assertArrayEquals(hostile, MetaFormat.write(MetaFormat.read(hostile)));
      } catch (DamagedValueException expected) {
        continue;
      }
    }
  }
}
