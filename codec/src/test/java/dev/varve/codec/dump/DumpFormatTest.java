package dev.varve.codec.dump;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.format.DamagedValueException;
import dev.varve.codec.format.Slice;
import dev.varve.codec.format.ValueType;
import dev.varve.codec.store.StepMeter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class DumpFormatTest {

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private static byte[] hex(String text) {
    return HexFormat.of().parseHex(text.replace(" ", ""));
  }

  private static boolean isIntact(byte[] payload) {
    return DumpReader.isIntact(payload, StepMeter.NONE);
  }

  private static DumpedValue read(byte[] payload) {
    return DumpReader.read(payload, StepMeter.NONE);
  }

  private static DumpOutput of(int type) {
    DumpOutput output = new DumpOutput();
    output.type(type);
    return output;
  }

  @Test
  void checksumIsTheOneThatIsPublishedForIt() {
    assertEquals(0xE9C6D914C4B8D9CAL, Crc64.of(bytes("123456789"), 9));
  }

  /** The examples of docs/formats/dump.md. */
  @Test
  void goldenBytes() {
    DumpOutput string = of(DumpFormat.STRING);
    string.string(bytes("hi"));
    assertArrayEquals(hex("00 02 6869 0a00 af6b9fe88e311b14"), string.finish());
    DumpOutput zset = of(DumpFormat.ZSET);
    zset.length(1);
    zset.string(bytes("red"));
    zset.score(2.5);
    assertArrayEquals(hex("05 01 03 726564 0000000000000440 0a00 2bcd03347c4ae313"), zset.finish());
  }

  @Test
  void lengthsComeBack() {
    for (long length :
        new long[] {0, 63, 64, 16383, 16384, 0xFFFF_FFFFL, 1L << 32, Long.MAX_VALUE}) {
      DumpOutput output = of(DumpFormat.LIST);
      output.length(length);
      byte[] payload = output.finish();
      assertEquals(length, new DumpInput(payload, 1, payload.length - 10).length());
    }
  }

  @Test
  void compressedStringIsRead() {
    // "ab", then ten bytes from two before on.
    byte[] payload = hex("00 c3 06 0c 01 6162 e0 01 01");
    DumpInput input = new DumpInput(payload, 1, payload.length);
    assertArrayEquals(bytes("ababababab" + "ab"), decompressed(input));
  }

  private static byte[] decompressed(DumpInput input) {
    return input.string();
  }

  @Test
  void hugeLengthsAreRefusedBeforeAnythingIsAllocated() {
    for (String broken :
        List.of(
            "01 80ffffffff",
            "01 81ffffffffffffffff",
            "00 81000000007fffffff",
            "00 c3 02 807fffffff 0061",
            "05 80ffffff00 0000",
            "0e 80ffffff00",
            "04 817fffffffffffffff",
            "02 00",
            "07 00",
            "ff 00")) {
      byte[] payload = hex(broken + "0a00 0000000000000000");
      assertThrows(DamagedValueException.class, () -> read(payload), broken);
    }
  }

  /** So that who has no time for all of it can end it. */
  @Test
  void allThatTakesLongIsToldOf() {
    DumpOutput list = of(DumpFormat.LIST);
    list.length(1_000);
    for (int i = 0; i < 1_000; i++) {
      list.string(bytes("x"));
    }
    assertTrue(stepsToRead(list.finish()) >= 1_000);
    byte[] blob = new byte[7 + 2_000];
    int end = Listpack.HEADER_BYTES;
    for (int i = 0; i < 1_000; i++) {
      end = Listpack.writeNumber(blob, end, 1);
    }
    blob[end++] = (byte) Listpack.END;
    blob[0] = (byte) end;
    blob[1] = (byte) (end >> 8);
    blob[4] = (byte) 1_000;
    blob[5] = (byte) (1_000 >> 8);
    DumpOutput packed = of(DumpFormat.LIST_QUICKLIST_2);
    packed.length(1);
    packed.length(2);
    packed.string(blob);
    assertTrue(stepsToRead(packed.finish()) >= 1_000);
    DumpOutput string = of(DumpFormat.STRING);
    string.string(new byte[1 << 20]);
    int[] steps = {0};
    assertTrue(DumpReader.isIntact(string.finish(), () -> steps[0]++));
    assertTrue(steps[0] >= 256);
  }

  private static int stepsToRead(byte[] payload) {
    int[] steps = {0};
    DumpReader.read(payload, () -> steps[0]++);
    return steps[0];
  }

  @Test
  void membersThatComeTwiceAreRefused() {
    assertThrows(
        DamagedValueException.class, () -> read(hex("02 02 0161 0161 0a00 0000000000000000")));
    assertEquals(ValueType.LIST, read(hex("01 02 0161 0161 0a00 0000000000000000")).type());
  }

  @Test
  void newerVersionIsRefused() {
    DumpOutput output = of(DumpFormat.STRING);
    output.string(bytes("x"));
    byte[] payload = output.finish();
    assertTrue(isIntact(payload));
    for (int version : new int[] {11, 12, 80}) {
      assertTrue(isIntact(withVersion(payload, version)), "version " + version);
    }
    for (int version : new int[] {13, 79, 81, 256 + 10}) {
      assertFalse(isIntact(withVersion(payload, version)), "version " + version);
    }
  }

  private static byte[] withVersion(byte[] payload, int version) {
    byte[] other = payload.clone();
    other[other.length - 10] = (byte) version;
    other[other.length - 9] = (byte) (version >> 8);
    long crc = Crc64.of(other, other.length - 8);
    for (int i = 0; i < 8; i++) {
      other[other.length - 8 + i] = (byte) (crc >>> 8 * i);
    }
    return other;
  }

  /** The example of docs/formats/dump.md, which redis-server 8.0.2 restores as well. */
  @Test
  void aHashWhoseFieldsExpireSaysWhen() {
    DumpOutput hash = of(DumpFormat.HASH_EXPIRING);
    hash.littleEndian(4_000_000_000_000L, Long.BYTES);
    hash.length(2);
    hash.length(0);
    hash.string(bytes("a"));
    hash.string(bytes("1"));
    hash.length(1001);
    hash.string(bytes("b"));
    hash.string(bytes("2"));
    byte[] payload = hash.finish();
    assertEquals(
        "18004094" + "52a3030000" + "02" + "0001610131" + "43e901620132" + "0c00",
        HexFormat.of().formatHex(payload, 0, payload.length - 8));
    DumpedValue read = read(payload);
    assertEquals(ValueType.HASH, read.type());
    assertArrayEquals(new long[] {Long.MAX_VALUE, 4_000_000_001_000L}, read.moments());
  }

  @Test
  void theTypesThatCameAfterRedis70AreRead() {
    DumpedValue set = read(hex("14 0c 0c000000 0200 8161 02 16 01 ff 0b00 0000000000000000"));
    assertEquals(ValueType.SET, set.type());
    assertArrayEquals(new Object[] {bytes("a"), bytes("22")}, set.items().toArray());
    DumpedValue valkeys =
        read(
            hex(
                "16 02 0161 0131 ffffffffffffffff 0162 0132 004094 52a3030000 5000 0000000000000000"));
    assertEquals(ValueType.HASH, valkeys.type());
    assertArrayEquals(new long[] {Long.MAX_VALUE, 4_000_000_000_000L}, valkeys.moments());
    assertThrows(
        DamagedValueException.class,
        () -> read(hex("16 01 0161 0131 ffffffffffffffff 0c00 0000000000000000")),
        "22 means something else in release candidates of Redis");
    assertThrows(
        DamagedValueException.class,
        () -> read(hex("16 01 0161 0131 feffffffffffffff 5000 0000000000000000")),
        "a field that expires before 1970");
  }

  @Test
  void listpackItemsComeBack() {
    List<byte[]> items = new ArrayList<>();
    int size = Listpack.HEADER_BYTES + 1;
    for (int length : new int[] {0, 1, 63, 64, 126, 127, 4095, 4096, 20_000}) {
      items.add("x".repeat(length).getBytes(StandardCharsets.ISO_8859_1));
      size += Listpack.itemBytes(Slice.of(items.get(items.size() - 1)));
    }
    byte[] blob = new byte[size];
    for (int i = 0; i < 4; i++) {
      blob[i] = (byte) (size >> 8 * i);
    }
    blob[4] = (byte) items.size();
    int at = Listpack.HEADER_BYTES;
    for (byte[] item : items) {
      at = Listpack.write(blob, at, Slice.of(item));
    }
    blob[at] = (byte) Listpack.END;
    List<byte[]> read = new ArrayList<>();
    Listpack.read(blob, read::add);
    assertArrayEquals(items.toArray(), read.toArray());
  }
}
