package dev.varve.wal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class RecordFileTest {
  private static final RecordFileKind KIND = new RecordFileKind("TESTFILE", 3);
  private static final String NAME = "FILE-5";

  private final OffHeap memory = new OffHeap();
  private CrashableStorageDirectory directory = new CrashableStorageDirectory();

  private RecordFileWriter create() throws IOException {
    return RecordFileWriter.create(directory, NAME, KIND, 5, memory, Records.salts());
  }

  private RecordFileReader open() throws IOException {
    return RecordFileReader.open(directory, NAME, KIND, 5, memory);
  }

  private List<byte[]> readAll() throws IOException {
    List<byte[]> payloads = new ArrayList<>();
    try (RecordFileReader reader = open()) {
      while (reader.next()) {
        payloads.add(Records.copy(reader.payload()));
      }
    }
    return payloads;
  }

  private static void append(RecordFileWriter writer, byte[] payload) throws IOException {
    writer.append(payload, 0, payload.length);
  }

  private static void assertPrefix(List<byte[]> whole, List<byte[]> prefix) {
    assertTrue(prefix.size() <= whole.size(), "more records than were appended");
    for (int i = 0; i < prefix.size(); i++) {
      assertArrayEquals(whole.get(i), prefix.get(i), "record " + i);
    }
  }

  @Test
  void whatIsPendingIsHandedOverBeforeItIsMoreThanAMebibyte() throws IOException {
    FailingStorageDirectory failing = new FailingStorageDirectory(directory);
    try (RecordFileWriter writer =
        RecordFileWriter.create(failing, NAME, KIND, 5, memory, Records.salts())) {
      byte[] third = new byte[RecordFileWriter.PENDING_BYTES_MAX / 3];
      append(writer, third);
      append(writer, third);
      assertEquals(0, writer.writtenPosition());
      append(writer, third);
      long written = writer.writtenPosition();
      assertEquals(2L * (RecordFileFormat.RECORD_HEADER_BYTES + third.length), written);
      append(writer, third);
      failing.failMatching(call -> true, 1, new IOException("no space"));
      append(writer, third);
      assertEquals(written, writer.writtenPosition(), "who hands it over will hear of it");
      writer.write();
      assertEquals(writer.appendedPosition(), writer.writtenPosition());
    }
    assertEquals(5, readAll().size());
  }

  @Test
  void whateverEndsASyncPoisonsTheFile() throws IOException {
    for (Throwable failure :
        List.of(
            new IOException("device gone"),
            new IllegalStateException("closed under it"),
            new OutOfMemoryError("none for a small object"))) {
      directory = new CrashableStorageDirectory();
      FailingStorageDirectory failing = new FailingStorageDirectory(directory);
      RecordFileWriter writer =
          RecordFileWriter.create(failing, NAME, KIND, 5, memory, Records.salts());
      append(writer, new byte[] {1});
      writer.write();
      failing.failMatching(call -> thrown(failure), 1, new IOException(failure));
      assertThrows(Throwable.class, writer::sync);
      failing.failMatching(call -> false, 1, new IOException(failure));
      assertThrows(LogPoisonedException.class, writer::sync);
      assertThrows(LogPoisonedException.class, () -> append(writer, new byte[] {2}));
      assertThrows(LogPoisonedException.class, writer::write);
      assertEquals(0, writer.syncedPosition());
      writer.close();
    }
    assertEquals(0, memory.heldBytes());
  }

  /** Throws what is no IOException; true of one, which the directory throws. */
  private static boolean thrown(Throwable failure) {
    if (failure instanceof RuntimeException unchecked) {
      throw unchecked;
    }
    if (failure instanceof Error error) {
      throw error;
    }
    return true;
  }

  /** The page holds the example, so that page and code fail together. */
  @Test
  void bytesAreThoseOfTheFormatDocument() throws IOException {
    RandomGenerator salt = () -> 0xC0FFEE01_00000000L;
    LogSegment segment = LogSegment.prepare(directory, 7, salt.nextInt(), memory);
    RecordFileWriter writer =
        new RecordFileWriter(segment.file(), 7, segment.salt(), 1000, new RecordBuffer(memory), 0);
    append(writer, "one".getBytes(StandardCharsets.US_ASCII));
    append(writer, "two".getBytes(StandardCharsets.US_ASCII));
    writer.write();
    writer.sync();
    writer.appendSyncMark();
    writer.write();
    writer.close();

    assertEquals(
        exampleIn(Path.of("..", "docs", "formats", "log.md")),
        HexFormat.of().formatHex(directory.content("0000000000000007.log")));
  }

  /** The bytes in the lines "offset, two spaces, bytes, two spaces, what they are" of a page. */
  private static String exampleIn(Path page) throws IOException {
    Pattern line = Pattern.compile("([0-9a-f]{4})  ((?:[0-9a-f]{2} )+) .*");
    StringBuilder hex = new StringBuilder();
    for (String text : Files.readAllLines(page)) {
      Matcher matcher = line.matcher(text);
      if (matcher.matches()) {
        assertEquals(hex.length() / 2, Integer.parseInt(matcher.group(1), 16), text);
        hex.append(matcher.group(2).replace(" ", ""));
      }
    }
    return hex.toString();
  }

  @Test
  void recordsOfAllSizesComeBackAsTheyWere() throws IOException {
    List<byte[]> appended = new ArrayList<>();
    try (RecordFileWriter writer = create()) {
      int[] sizes = {1, 2, 23, 24, 100, 4096, 65_536, 262_144, 262_145, 3_000_000, 6_000_000, 7};
      for (int i = 0; i < sizes.length; i++) {
        byte[] payload = Records.payload(i, sizes[i]);
        appended.add(payload);
        if (i % 2 == 0) {
          append(writer, payload);
        } else {
          ByteBuffer direct = ByteBuffer.allocateDirect(payload.length).put(payload).flip();
          writer.append(direct);
          assertFalse(direct.hasRemaining());
        }
        if (i % 3 == 0) {
          writer.write();
        }
      }
      writer.write();
      assertEquals(writer.appendedPosition(), writer.writtenPosition());
    }
    List<byte[]> read = readAll();
    assertEquals(appended.size(), read.size());
    assertPrefix(appended, read);
    assertEquals(0, memory.heldBytes(), "off-heap memory left behind");
  }

  @Test
  void fileCutAtAnyByteGivesTheRecordsBeforeTheCut() throws IOException {
    List<byte[]> appended = new ArrayList<>();
    List<Long> ends = new ArrayList<>();
    try (RecordFileWriter writer = create()) {
      for (int i = 0; i < 12; i++) {
        byte[] payload = Records.payload(i, 1 + i * 7);
        appended.add(payload);
        append(writer, payload);
        ends.add(RecordFileFormat.HEADER_BYTES + writer.appendedPosition());
      }
      writer.write();
    }
    byte[] whole = directory.content(NAME);
    for (int cut = 0; cut <= whole.length; cut++) {
      directory.setContent(NAME, Arrays.copyOf(whole, cut));
      if (cut < RecordFileFormat.HEADER_BYTES) {
        assertThrows(CorruptionException.class, this::open);
        continue;
      }
      int expected = 0;
      while (expected < ends.size() && ends.get(expected) <= cut) {
        expected++;
      }
      List<byte[]> read = readAll();
      assertEquals(expected, read.size(), "cut at " + cut);
      assertPrefix(appended, read);
    }
  }

  @Test
  void tornTailIsCounted() throws IOException {
    try (RecordFileWriter writer = create()) {
      append(writer, Records.payload(1, 50));
      append(writer, Records.payload(2, 50));
      append(writer, Records.payload(3, 50));
      writer.write();
    }
    byte[] bytes = directory.content(NAME);
    int second = RecordFileFormat.HEADER_BYTES + 78;
    bytes[second + 30] ^= 1;
    directory.setContent(NAME, bytes);

    try (RecordFileReader reader = open()) {
      while (reader.next()) {
        assertArrayEquals(Records.payload(1, 50), Records.copy(reader.payload()));
      }
      assertEquals(second, reader.endOffset());
      assertEquals(bytes.length - second, reader.cutBytes());
    }
  }

  @Test
  void damageBelowTheSyncedPositionIsCorruptionAtAnyBit() throws IOException {
    int syncedEnd;
    try (RecordFileWriter writer = create()) {
      for (int i = 0; i < 5; i++) {
        append(writer, Records.payload(i, 40));
      }
      writer.write();
      writer.sync();
      syncedEnd = (int) (RecordFileFormat.HEADER_BYTES + writer.syncedPosition());
      writer.appendSyncMark();
      writer.write();
    }
    byte[] good = directory.content(NAME);
    for (int bit = 0; bit < syncedEnd * 8; bit++) {
      byte[] bad = good.clone();
      bad[bit / 8] ^= (byte) (1 << bit % 8);
      directory.setContent(NAME, bad);
      IOException refused = assertThrows(IOException.class, this::readAll, "bit " + bit);
      assertTrue(
          refused instanceof CorruptionException || refused instanceof FormatTooNewException,
          refused.toString());
      assertTrue(refused.toString().contains(NAME), refused.toString());
    }
  }

  @Test
  void damageAboveTheSyncedPositionGivesAPrefix() throws IOException {
    List<byte[]> appended = new ArrayList<>();
    try (RecordFileWriter writer = create()) {
      for (int i = 0; i < 5; i++) {
        appended.add(Records.payload(i, 40));
        append(writer, appended.get(i));
      }
      writer.write();
    }
    byte[] good = directory.content(NAME);
    for (int bit = RecordFileFormat.HEADER_BYTES * 8; bit < good.length * 8; bit++) {
      byte[] bad = good.clone();
      bad[bit / 8] ^= (byte) (1 << bit % 8);
      directory.setContent(NAME, bad);
      List<byte[]> read = readAll();
      assertEquals((bit / 8 - RecordFileFormat.HEADER_BYTES) / 68, read.size());
      assertPrefix(appended, read);
    }
  }

  @Test
  void zeroesBehindTheLastRecordAreACleanEnd() throws IOException {
    try (RecordFileWriter writer = create()) {
      append(writer, Records.payload(1, 10));
      writer.write();
    }
    byte[] bytes = directory.content(NAME);
    directory.setContent(NAME, Arrays.copyOf(bytes, bytes.length + 1_000_000));
    try (RecordFileReader reader = open()) {
      assertTrue(reader.next());
      assertFalse(reader.next());
      assertFalse(reader.next());
      assertEquals(0, reader.cutBytes());
    }
  }

  @Test
  void valueThatIsACopyOfALogIsNoEvidenceOfDamage() throws IOException {
    byte[] copied;
    LogSegment segment = LogSegment.prepare(directory, 5, 77, memory);
    try (RecordFileWriter writer =
        new RecordFileWriter(segment.file(), 5, 77, 1_000_000, new RecordBuffer(memory), 0)) {
      append(writer, Records.payload(1, 500));
      writer.write();
      writer.sync();
      append(writer, Records.payload(2, 500));
      writer.write();
      copied = directory.content(LogFormat.fileName(5));
    }
    try (RecordFileWriter writer = create()) {
      append(writer, copied);
      writer.write();
    }
    byte[] bytes = directory.content(NAME);
    bytes[RecordFileFormat.HEADER_BYTES] ^= 1;
    directory.setContent(NAME, bytes);
    assertEquals(0, readAll().size());
  }

  @Test
  void recordIsGoodOnlyInTheFileAndAtThePlaceWhereItWasWritten() throws IOException {
    int recordBytes = RecordFileFormat.RECORD_HEADER_BYTES + 50;
    int second = RecordFileFormat.HEADER_BYTES + recordBytes;
    try (RecordFileWriter writer = create();
        RecordFileWriter other =
            RecordFileWriter.create(directory, "other", KIND, 5, memory, new Random(7))) {
      for (int i = 0; i < 3; i++) {
        append(writer, Records.payload(i, 50));
        append(other, Records.payload(i, 50));
      }
      writer.write();
      other.write();
    }
    byte[] good = directory.content(NAME);

    byte[] recycled = good.clone();
    System.arraycopy(directory.content("other"), second, recycled, second, recordBytes);
    directory.setContent(NAME, recycled);
    assertEquals(1, readAll().size());

    byte[] repeated = good.clone();
    System.arraycopy(good, RecordFileFormat.HEADER_BYTES, repeated, second, recordBytes);
    directory.setContent(NAME, repeated);
    assertEquals(1, readAll().size());
  }

  @Test
  void otherFilesAreRefusedWithTheirNames() throws IOException {
    create().close();
    directory.setContent(
        "text", "this is a text of somebody else, not ours".getBytes(StandardCharsets.US_ASCII));
    CorruptionException foreign =
        assertThrows(
            CorruptionException.class,
            () -> RecordFileReader.open(directory, "text", KIND, 5, memory));
    assertTrue(foreign.toString().contains("text"), foreign.toString());
    assertTrue(foreign.toString().contains("TESTFILE"), foreign.toString());

    assertThrows(
        CorruptionException.class, () -> RecordFileReader.open(directory, NAME, KIND, 6, memory));
    FormatTooNewException newer =
        assertThrows(
            FormatTooNewException.class,
            () ->
                RecordFileReader.open(
                    directory, NAME, new RecordFileKind("TESTFILE", 2), 5, memory));
    assertTrue(newer.toString().contains(NAME), newer.toString());
    assertEquals(0, memory.heldBytes());
  }

  @Test
  void payloadsOutsideTheLimitsAreRefusedBeforeAnythingIsKept() throws IOException {
    try (RecordFileWriter writer = create()) {
      assertThrows(IllegalArgumentException.class, () -> writer.append(new byte[1], 0, 0));
      assertThrows(
          IllegalArgumentException.class,
          () -> writer.append(new byte[1], 0, RecordFileFormat.PAYLOAD_BYTES_MAX + 1));
      assertEquals(0, writer.appendedPosition());
    }
  }

  @Test
  void largeBatchesDoNotKeepTheirMemory() throws IOException {
    try (RecordFileWriter writer = create()) {
      append(writer, new byte[9 << 20]);
      assertTrue(memory.heldBytes(OffHeap.Part.LOG_BUFFER) >= 9 << 20);
      writer.write();
      assertEquals(RecordBuffer.INITIAL_BYTES, memory.heldBytes(OffHeap.Part.LOG_BUFFER));
    }
  }
}
