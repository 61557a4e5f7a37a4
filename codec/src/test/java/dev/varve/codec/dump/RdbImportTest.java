package dev.varve.codec.dump;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.Keys;
import dev.varve.codec.Keyspace;
import dev.varve.codec.Meta;
import dev.varve.codec.format.Slice;
import dev.varve.codec.format.ValueType;
import dev.varve.codec.list.Lists;
import dev.varve.codec.member.HashExpiry;
import dev.varve.codec.member.Hashes;
import dev.varve.codec.member.Sets;
import dev.varve.codec.store.StoreView;
import dev.varve.codec.string.StringBytes;
import dev.varve.codec.string.Strings;
import dev.varve.codec.zset.ZSets;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The files in {@code rdb} say themselves how they were made, in {@code fill.sh}. */
class RdbImportTest {
  private static final long MOMENT = 4_000_000_000_000L;
  private static final int DATABASES = 16;
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());
  private static final int DAMAGED_FILES = Integer.getInteger("varve.damaged.files", 5_000);

  private final Keyspace keyspace = new Keyspace();
  private final List<String> libraries = new ArrayList<>();
  private int writes;

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private static byte[] file(String name) throws IOException {
    try (InputStream resource = RdbImportTest.class.getResourceAsStream("/rdb/" + name)) {
      assertNotNull(resource, name);
      return resource.readAllBytes();
    }
  }

  private RdbImport.Summary run(byte[] file) throws IOException {
    RdbImport reading = new RdbImport(new ByteArrayInputStream(file), file.length, DATABASES);
    RdbImport.Summary found =
        reading.run(
            new RdbImport.Target() {
              @Override
              public void write(RdbImport.Change change) {
                writes++;
                keyspace.apply(change::run);
                change.applied();
              }

              @Override
              public void library(byte[] code) {
                libraries.add(new String(code, StandardCharsets.ISO_8859_1));
              }

              @Override
              public void finish() {}
            });
    assertEquals(file.length, reading.readBytes());
    return found;
  }

  private String refusal(byte[] file) {
    return String.valueOf(assertThrows(IOException.class, () -> run(file)).getMessage());
  }

  /** What hand-made files consist of. */
  private static byte[] concat(Object... parts) {
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    for (Object part : parts) {
      file.writeBytes(
          part instanceof byte[] raw
              ? raw
              : HexFormat.of().parseHex(((String) part).replace(" ", "")));
    }
    return file.toByteArray();
  }

  /** The end of a file that says nothing of its checksum. */
  private static final String END = "ff 0000000000000000";

  private String get(int database, String key) {
    return keyspace.run(
        transaction -> {
          byte[] value = StringBytes.of(Strings.getBriefly(transaction, database, bytes(key)));
          return value == null ? "(none)" : new String(value, StandardCharsets.ISO_8859_1);
        });
  }

  private String field(String key, String field) {
    return keyspace.run(
        transaction -> {
          Slice value = Hashes.get(transaction, 0, bytes(key), bytes(field));
          return value == null
              ? "(none)"
              : new String(value.toBytes(), StandardCharsets.ISO_8859_1);
        });
  }

  private long[] moments(String key, String... fields) {
    List<byte[]> names = new ArrayList<>();
    for (String field : fields) {
      names.add(bytes(field));
    }
    return keyspace.run(transaction -> HashExpiry.expiryMillis(transaction, 0, bytes(key), names));
  }

  private ValueType type(String key) {
    return keyspace.held(0, bytes(key)).type();
  }

  private long size(String key) {
    return keyspace.held(0, bytes(key)).count();
  }

  @ParameterizedTest
  @ValueSource(strings = {"redis-8.0.rdb", "valkey-8.1.rdb", "valkey-9.1.rdb"})
  void whatNewerServersHaveSavedIsReadWhole(String name) throws IOException {
    // Valkey has that from 9 on.
    boolean fieldsExpire = !name.equals("valkey-8.1.rdb");
    RdbImport.Summary found = run(file(name));
    assertEquals(new RdbImport.Summary(13, 0, 0, 1), found);
    assertEquals("value", get(0, "string"));
    assertEquals("12345", get(0, "number"));
    assertEquals("abc".repeat(100), get(0, "compressed"));
    assertEquals("x", get(0, "later"));
    assertEquals(MOMENT, keyspace.held(0, bytes("later")).expiryMillis());
    assertEquals(Meta.NO_EXPIRY, keyspace.held(0, bytes("string")).expiryMillis());
    assertEquals("yes", get(3, "elsewhere"));
    for (String member : List.of("a", "b", "c", "22")) {
      assertTrue(
          keyspace.test(each -> Sets.contains(each, 0, bytes("set"), bytes(member))), member);
    }
    assertEquals(4, size("set"));
    assertEquals(3, size("integers"));
    assertEquals("v", field("hash", "f"));
    assertEquals("w", field("hash", "g"));
    assertArrayEquals(new long[] {fieldsExpire ? MOMENT : -1, -1}, moments("hash", "f", "g"));
    assertEquals(3, size("expiring"));
    assertArrayEquals(
        fieldsExpire ? new long[] {-1, MOMENT, MOMENT + 1000} : new long[] {-1, -1, -1},
        moments("expiring", "a", "b", "c"));
    assertEquals("2", field("expiring", "b"));
    assertEquals("2", field("large", "b"));
    assertArrayEquals(new long[] {-1, -1, -1}, moments("large", "a", "b", "c"));
    assertEquals(3, size("sorted"));
    assertEquals(1.5, keyspace.run(each -> ZSets.score(each, 0, bytes("sorted"), bytes("one"))));
    assertEquals(3, size("list"));
    Slice last = keyspace.run(each -> Lists.get(each, 0, bytes("list"), -1));
    assertNotNull(last);
    assertEquals(9000, last.length());
    assertEquals(ValueType.STREAM, type("stream"));
    assertEquals(
        List.of("#!lua name=lib\nredis.register_function('f', function() return 1 end)"),
        libraries);
  }

  @ParameterizedTest
  @ValueSource(strings = {"redis-8.0.rdb", "valkey-8.1.rdb"})
  void aFileThatEndsTooSoonIsRefusedWhereverThatIs(String name) throws IOException {
    byte[] file = file(name);
    for (int length = 0; length < file.length; length++) {
      byte[] torn = Arrays.copyOf(file, length);
      assertThrows(IOException.class, () -> run(torn), "cut after " + length);
    }
    assertTrue(refusal(concat(file, "00")).contains("1 bytes behind its end"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"redis-8.0.rdb", "valkey-8.1.rdb"})
  void noFlippedBitGoesUnseen(String name) throws IOException {
    byte[] file = file(name);
    for (int bit = 0; bit < 8 * file.length; bit++) {
      byte[] flipped = file.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      assertThrows(IOException.class, () -> run(flipped), "bit " + bit);
    }
  }

  /** Without a checksum, so that what is damaged is looked at. */
  @ParameterizedTest
  @ValueSource(strings = {"redis-8.0.rdb", "valkey-8.1.rdb", "valkey-9.1.rdb"})
  void aDamagedFileEndsInAnErrorOrInWhatItSays(String name) throws IOException {
    System.out.println("RdbImportTest -Dvarve.seed=" + SEED);
    SplittableRandom random = new SplittableRandom(SEED);
    byte[] file = file(name);
    Arrays.fill(file, file.length - Long.BYTES, file.length, (byte) 0);
    int refused = 0;
    for (int round = 0; round < DAMAGED_FILES; round++) {
      byte[] damaged = file.clone();
      for (int flips = random.nextInt(1, 4); flips > 0; flips--) {
        damaged[random.nextInt(9, file.length - 9)] = (byte) random.nextInt(256);
      }
      try {
        run(damaged);
      } catch (IOException told) {
        refused++;
      }
    }
    assertTrue(refused > DAMAGED_FILES / 10, refused + " refused");
  }

  @Test
  void aStringLongerThanWhatIsReadAtOnceIsReadWhole() throws IOException {
    byte[] value = new byte[700_000];
    new SplittableRandom(1).nextBytes(value);
    run(
        concat(
            bytes("REDIS0010"), "00 0161 80 000aae60", value, "00 0162 80 000aae60", value, END));
    assertArrayEquals(value, get(0, "b").getBytes(StandardCharsets.ISO_8859_1));
    assertArrayEquals(value, get(0, "a").getBytes(StandardCharsets.ISO_8859_1));
  }

  @Test
  void aFileThatBecomesShorterIsRefused() throws IOException {
    byte[] file = file("redis-8.0.rdb");
    InputStream shorter = new ByteArrayInputStream(file);
    RdbImport reading = new RdbImport(shorter, file.length + 1L, DATABASES);
    assertThrows(IOException.class, () -> reading.run(INTO_NOTHING));
  }

  @Test
  void whatIsNoFileOfRedisOrANewerOneIsNamed() {
    assertEquals(
        "not an RDB file: it does not begin with REDIS or VALKEY", refusal(bytes("hello world")));
    assertEquals("not an RDB file: it does not begin with REDIS or VALKEY", refusal(bytes("")));
    assertEquals("not an RDB file: it has no version", refusal(bytes("REDISabcd")));
    assertEquals(
        "an RDB file of version 13, and those up to 12 are read, and 80 of Valkey",
        refusal(bytes("REDIS0013")));
  }

  @Test
  void filesOfEarlyVersionsHaveNoChecksum() throws IOException {
    run(concat(bytes("REDIS0003"), "fe00 00 0161 0162 ff"));
    assertEquals("b", get(0, "a"));
    assertTrue(refusal(concat(bytes("REDIS0003"), "ff 00")).contains("1 bytes behind its end"));
  }

  @Test
  void aChecksumOfZeroIsNotLookedAt() throws IOException {
    run(concat(bytes("REDIS0010"), "00 0161 0162", END));
    assertEquals("b", get(0, "a"));
    assertTrue(
        refusal(concat(bytes("REDIS0010"), "00 0161 0162 ff 0000000000000001"))
            .endsWith("another checksum than it should have"));
  }

  @Test
  void hashesOfValkey9KeepWhenTheirFieldsExpire() throws IOException {
    run(
        concat(
            bytes("VALKEY080"),
            "16 0168 02 0161 0131 ffffffffffffffff 0162 0132 00409452a3030000",
            "04 0169 01 0161 0131",
            END));
    assertArrayEquals(new long[] {-1, MOMENT}, moments("h", "a", "b"));
    assertArrayEquals(new long[] {-1}, moments("i", "a"));
    assertEquals("1", field("i", "a"));
  }

  @Test
  void whatHasExpiredIsLeftOut() throws IOException {
    String past = "0100000000000000";
    String gone = "18 0168 " + past + "01 01 0161 0131";
    String half = "18 0169 " + past + "02 01 0161 0131 00 0162 0132";
    RdbImport.Summary found =
        run(
            concat(
                bytes("REDIS0012"),
                "fc " + past + "00 0161 0162",
                "fd 01000000 00 0162 0162",
                gone,
                half,
                "00 0163 0162",
                END));
    assertEquals(new RdbImport.Summary(2, 3, 0, 0), found);
    assertEquals("(none)", get(0, "a"));
    assertEquals("b", get(0, "c"));
    assertEquals(1, size("i"));
    assertArrayEquals(new long[] {-2, -1}, moments("i", "a", "b"));
  }

  /** As a server's keyspace loop does, which a worker reads for. */
  @Test
  void changesMayBeCarriedOutLaterAndBeginSeveralTimes() throws IOException {
    byte[] file =
        concat(
            bytes("REDIS0012"),
            "fc 0100000000000000 00 0161 0162",
            "18 0168 0100000000000000 02 01 0161 0131 00 0162 0132",
            "00 0163 0162",
            END);
    List<RdbImport.Change> later = new ArrayList<>();
    RdbImport reading =
        new RdbImport(new ByteArrayInputStream(file), RdbImport.TO_ITS_END, DATABASES);
    RdbImport.Summary found =
        reading.run(
            new RdbImport.Target() {
              @Override
              public void write(RdbImport.Change change) {
                later.add(change);
              }

              @Override
              public void library(byte[] code) {}

              @Override
              public void finish() {
                for (RdbImport.Change change : later) {
                  assertTrue(change.bytes() > 0);
                  try (StoreView view = keyspace.store.view()) {
                    change.run(keyspace.transaction(view));
                  }
                  keyspace.apply(change::run);
                  change.applied();
                }
              }
            });
    assertEquals(new RdbImport.Summary(2, 1, 0, 0), found);
    assertEquals(file.length, reading.readBytes());
    assertEquals(1, size("h"));
    assertEquals("b", get(0, "c"));
  }

  @Test
  void aFileWithoutALengthEndsWhereItsBytesDo() throws IOException {
    byte[] file = concat(bytes("REDIS0012"), "00 0163 0162", END);
    byte[] longer = concat(file, "00");
    byte[] shorter = Arrays.copyOf(file, file.length - 1);
    for (byte[] wrong : List.of(longer, shorter)) {
      RdbImport reading =
          new RdbImport(new ByteArrayInputStream(wrong), RdbImport.TO_ITS_END, DATABASES);
      assertThrows(IOException.class, () -> reading.run(INTO_NOTHING));
    }
    new RdbImport(new ByteArrayInputStream(file), RdbImport.TO_ITS_END, DATABASES)
        .run(INTO_NOTHING);
  }

  private static final RdbImport.Target INTO_NOTHING =
      new RdbImport.Target() {
        @Override
        public void write(RdbImport.Change change) {}

        @Override
        public void library(byte[] code) {}

        @Override
        public void finish() {}
      };

  @Test
  void keysAndNotesOfModulesAreLeftOut() throws IOException {
    String parts = "01 05 02 4001 03 00000000 04 0000000000000000 05 0161 00";
    RdbImport.Summary found =
        run(
            concat(
                bytes("REDIS0012"),
                "fa 0161 0162 fb 0100 f4 010203",
                "f7 810102030405060708" + parts,
                "f8 05 f9 05 07 0161 810102030405060708" + parts,
                "00 0162 0163",
                END));
    assertEquals(new RdbImport.Summary(1, 0, 1, 0), found);
    assertTrue(
        refusal(concat(bytes("REDIS0012"), "07 0161 05 06", END))
            .endsWith("a module's part of the kind 6"));
  }

  @Test
  void aCollectionIsWrittenInPiecesAndWhole() throws IOException {
    int count = 12_345;
    ByteArrayOutputStream members = new ByteArrayOutputStream();
    ByteArrayOutputStream fields = new ByteArrayOutputStream();
    ByteArrayOutputStream scored = new ByteArrayOutputStream();
    for (int i = 0; i < count; i++) {
      String name = String.format(java.util.Locale.ROOT, "%05d", i);
      members.writeBytes(concat("05", bytes(name)));
      fields.writeBytes(concat("00 05", bytes(name), "0131"));
      scored.writeBytes(concat("05", bytes(name), "0000000000000440"));
    }
    String length = "80 00003039";
    RdbImport.Summary found =
        run(
            concat(
                bytes("REDIS0012"),
                "fc 00409452a3030000 02 0173" + length,
                members.toByteArray(),
                "01 016c" + length,
                members.toByteArray(),
                "18 0168 00409452a3030000" + length,
                fields.toByteArray(),
                "05 017a" + length,
                scored.toByteArray(),
                END));
    assertEquals(new RdbImport.Summary(4, 0, 0, 0), found);
    assertEquals(4 * 13, writes);
    for (String key : List.of("s", "l", "h", "z")) {
      assertEquals(count, size(key), key);
    }
    assertEquals(MOMENT, keyspace.held(0, bytes("s")).expiryMillis());
    Slice element = keyspace.run(each -> Lists.get(each, 0, bytes("l"), 12_344));
    assertNotNull(element);
    assertEquals("12344", new String(element.toBytes(), StandardCharsets.ISO_8859_1));
  }

  @Test
  void aKeyIsWhatTheFileSaidLast() throws IOException {
    run(concat(bytes("REDIS0010"), "02 0161 01 0162", "00 0161 0163", END));
    assertEquals("c", get(0, "a"));
  }

  /** Its checksum says that the file is as it was written, and not that this made sense. */
  @Test
  void aMemberThatComesTwiceIsRefused() {
    String score = "000000000000f03f";
    for (String wrong :
        List.of(
            "05 017a 03 0161" + score + "0162" + score + "0161" + score,
            "02 0173 02 0161 0161",
            "04 0168 02 0161 0162 0161 0163")) {
      String refusal = refusal(concat(bytes("REDIS0010"), wrong, END));
      assertTrue(refusal.endsWith("a dumped value with a member twice"), refusal);
    }
  }

  @Test
  void aCollectionWithoutMembersIsNoKey() throws IOException {
    assertEquals(
        new RdbImport.Summary(0, 0, 0, 0), run(concat(bytes("REDIS0010"), "02 0161 00", END)));
    assertNull(keyspace.run(each -> Keys.type(each, 0, bytes("a"))));
  }

  @Test
  void aDatabaseThatIsNotThereIsRefusedWithWhatHelps() {
    assertEquals(
        "the file has keys in database 16: start with --databases 17",
        refusal(concat(bytes("REDIS0010"), "fe 10 00 0161 0162", END)));
  }
}
