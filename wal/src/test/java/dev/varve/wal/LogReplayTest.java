package dev.varve.wal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LogReplayTest {
  private static final int PAYLOAD_BYTES = 100;
  private static final int RECORD_BYTES = 128;
  private static final int PER_SEGMENT = 5;

  private final CrashableStorageDirectory directory = new CrashableStorageDirectory();

  /**
   * Segments 1 to 3 with five records each, the last one left open. The first {@code syncedRecords}
   * are synced, and the records behind them say so.
   */
  private void writeThreeSegments(int syncedRecords, long aheadBytes) throws IOException {
    Log log = Records.newLog(directory, aheadBytes);
    for (int i = 0; i < 3 * PER_SEGMENT; i++) {
      if (i > 0 && i % PER_SEGMENT == 0) {
        assertTrue(log.prepareNextSegment());
        assertTrue(log.roll());
      }
      if (i == syncedRecords) {
        log.sync();
      }
      Records.append(log, Records.payload(i, PAYLOAD_BYTES));
      log.write();
    }
  }

  private LogReplay replay() throws IOException {
    return LogReader.replay(directory, new OffHeap(), 1, (segment, offset, payload) -> {});
  }

  private LogReplay replay(SyncedPoint durable) throws IOException {
    return LogReader.replay(directory, new OffHeap(), 1, durable, (segment, offset, payload) -> {});
  }

  private void assertReplays(int records) throws IOException {
    List<byte[]> payloads = Records.replayAll(directory, 1);
    assertEquals(records, payloads.size());
    for (int i = 0; i < records; i++) {
      assertArrayEquals(Records.payload(i, PAYLOAD_BYTES), payloads.get(i));
    }
  }

  private static int offset(int recordInSegment) {
    return RecordFileFormat.HEADER_BYTES + recordInSegment * RECORD_BYTES;
  }

  private void damage(long segment, int offset, int bytes) throws IOException {
    String name = LogFormat.fileName(segment);
    byte[] content = directory.content(name);
    Arrays.fill(content, offset, offset + bytes, (byte) 0);
    directory.setContent(name, content);
  }

  private void cut(long segment, int length) throws IOException {
    String name = LogFormat.fileName(segment);
    directory.setContent(name, Arrays.copyOf(directory.content(name), length));
  }

  private void assertRefused(long segment, int offset) {
    CorruptionException refused = assertThrows(CorruptionException.class, this::replay);
    assertEquals(LogFormat.fileName(segment), refused.file());
    assertEquals(offset, refused.offset());
  }

  @Test
  void emptyDirectoryIsAnEmptyLog() throws IOException {
    LogReplay replay = replay();
    assertEquals(0, replay.segmentCount());
    assertEquals(0, replay.recordCount());
    assertEquals(0, replay.endPosition());
    assertEquals(1, replay.nextSegmentNumber());
    replay.settle(directory);
  }

  @Test
  void otherFilesAreNoSegments() throws IOException {
    writeThreeSegments(0, 0);
    directory.setContent("12.log", new byte[9]);
    directory.setContent("0000000000000009.log.bak", new byte[9]);
    directory.setContent("MANIFEST-1", new byte[9]);
    assertReplays(15);
  }

  @Test
  void zeroesBehindARecordAreACleanEnd() throws IOException {
    writeThreeSegments(0, 100_000);
    LogReplay replay = replay();
    assertEquals(15, replay.recordCount());
    assertEquals(0, replay.cutBytes());
    assertNull(replay.tornFile());
    replay.settle(directory);
    assertEquals(offset(5), directory.content(LogFormat.fileName(3)).length);
  }

  @Test
  void noBitOfAClosedLogPassesForATornTailWhereItsEndIsKnown() throws IOException {
    Log log = Records.newLog(directory, 0);
    Records.append(log, Records.payload(1, 40));
    log.close();
    SyncedPoint end = log.end();
    String name = LogFormat.fileName(1);
    byte[] whole = directory.content(name);
    assertEquals(new SyncedPoint(1, whole.length), end);
    assertEquals(1, replay(end).recordCount());
    for (int bit = 0; bit < 8 * whole.length; bit++) {
      byte[] damaged = whole.clone();
      damaged[bit / 8] ^= (byte) (1 << bit % 8);
      directory.setContent(name, damaged);
      int flipped = bit;
      assertThrows(CorruptionException.class, () -> replay(end), () -> "bit " + flipped);
    }
    for (int length = 0; length < whole.length; length++) {
      directory.setContent(name, Arrays.copyOf(whole, length));
      int cut = length;
      assertThrows(CorruptionException.class, () -> replay(end), () -> "length " + cut);
    }
    directory.delete(name);
    assertThrows(CorruptionException.class, () -> replay(end));
  }

  @Test
  void whatFollowsAKnownEndMayBeTorn() throws IOException {
    writeThreeSegments(0, 0);
    SyncedPoint end = new SyncedPoint(2, offset(4));
    damage(2, offset(4) + 40, 20);
    assertEquals(9, replay(end).recordCount());
    damage(2, offset(3) + 40, 20);
    assertThrows(CorruptionException.class, () -> replay(end));
    assertEquals(
        5,
        LogReader.replay(directory, new OffHeap(), 3, end, (segment, offset, payload) -> {})
            .recordCount());
  }

  @Test
  void tearInAnEarlierSegmentEndsTheLogThere() throws IOException {
    writeThreeSegments(0, 0);
    damage(2, offset(3) + 40, 20);
    LogReplay replay = replay();
    assertEquals(8, replay.recordCount());
    assertEquals(8 * RECORD_BYTES, replay.endPosition());
    assertEquals(LogFormat.fileName(2), replay.tornFile());
    assertEquals(offset(3), replay.tornOffset());
    assertEquals(7 * RECORD_BYTES, replay.cutBytes());
    assertEquals(3, replay.nextSegmentNumber());

    replay.settle(directory);
    assertFalse(directory.exists(LogFormat.fileName(3)));
    assertReplays(8);
    assertEquals(0, replay().cutBytes());
    try (Log log =
        Log.create(
            directory,
            new OffHeap(),
            Records.salts(),
            replay.nextSegmentNumber(),
            replay.endPosition(),
            0)) {
      Records.append(log, Records.payload(8, PAYLOAD_BYTES));
    }
    assertReplays(9);
  }

  @Test
  void tearInAnEarlierSegmentBelowTheSyncedPositionIsCorruption() throws IOException {
    writeThreeSegments(9, 0);
    damage(2, offset(3) + 40, 20);
    assertRefused(2, offset(3));
  }

  @Test
  void tearRightAtTheSyncedPositionIsATornTail() throws IOException {
    writeThreeSegments(8, 0);
    damage(2, offset(3) + 40, 20);
    assertEquals(8, replay().recordCount());
  }

  @Test
  void whatLiesBehindATearIsReadOnceHoweverManyRecordsThatAre() throws IOException {
    int records = 20_000;
    Log log = Records.newLog(directory, 0);
    for (int i = 0; i < records; i++) {
      Records.append(log, Records.payload(i, PAYLOAD_BYTES));
    }
    log.write();
    damage(1, offset(1) + RecordFileFormat.RECORD_HEADER_BYTES, 1);
    FailingStorageDirectory counted = new FailingStorageDirectory(directory);
    LogReplay replay =
        LogReader.replay(counted, new OffHeap(), 1, (segment, offset, payload) -> {});
    assertEquals(1, replay.recordCount());
    assertEquals((long) (records - 1) * RECORD_BYTES, replay.cutBytes());
    assertTrue(counted.calls() < 100, () -> counted.calls() + " calls");
  }

  @Test
  void lostTailOfAnEarlierSegmentIsAHoleAndEndsTheLog() throws IOException {
    for (long aheadBytes : new long[] {0, 10_000}) {
      CrashableStorageDirectory before = directory;
      for (String name : before.list()) {
        before.delete(name);
      }
      writeThreeSegments(3, aheadBytes);
      // Reads as a clean end of segment 1, were it not for where segment 2 begins.
      if (aheadBytes == 0) {
        cut(1, offset(4));
      } else {
        damage(1, offset(4), RECORD_BYTES);
      }
      LogReplay replay = replay();
      assertEquals(4, replay.recordCount());
      assertEquals(LogFormat.fileName(1), replay.tornFile());
      assertEquals(offset(4), replay.tornOffset());
      replay.settle(directory);
      assertReplays(4);
      assertEquals(2, replay.nextSegmentNumber());
    }
  }

  @Test
  void lostTailOfAnEarlierSegmentThatWasSyncedIsCorruption() throws IOException {
    writeThreeSegments(12, 0);
    cut(1, offset(4));
    assertRefused(1, offset(4));
  }

  @Test
  void lostTailBeforeASegmentThatIsLostTooIsJudgedByTheNextOne() throws IOException {
    Log log = Records.newLog(directory, 0);
    for (int i = 0; i < 3; i++) {
      Records.append(log, Records.payload(i, PAYLOAD_BYTES));
      Records.append(log, Records.payload(i, PAYLOAD_BYTES));
      log.write();
      if (i == 0) {
        log.sync();
      }
      log.prepareNextSegment();
      log.roll();
    }
    damage(2, offset(0), 2 * RECORD_BYTES);
    assertEquals(2, replay().recordCount());
    cut(1, offset(1));
    assertRefused(2, offset(0));
  }

  @Test
  void lostFirstRecordOfASegmentEndsTheLogBeforeIt() throws IOException {
    writeThreeSegments(5, 0);
    damage(2, offset(0), 512);
    LogReplay replay = replay();
    assertEquals(5, replay.recordCount());
    assertEquals(LogFormat.fileName(2), replay.tornFile());
    assertEquals(offset(0), replay.tornOffset());
    replay.settle(directory);
    assertReplays(5);
  }

  @Test
  void lostFirstRecordOfTheFirstSegmentIsJudgedByTheRecordsBehindIt() throws IOException {
    writeThreeSegments(11, 0);
    directory.delete(LogFormat.fileName(1));
    damage(2, offset(0), 10);
    assertThrows(
        CorruptionException.class, () -> Records.replayAll(directory, 2), "synced, so damaged");
  }

  @Test
  void tornFirstRecordOfTheFirstSegmentIsAnEmptyLog() throws IOException {
    writeThreeSegments(5, 0);
    directory.delete(LogFormat.fileName(1));
    damage(2, offset(0), 10);
    LogReplay replay =
        LogReader.replay(directory, new OffHeap(), 2, (segment, offset, payload) -> {});
    assertEquals(0, replay.recordCount());
    assertEquals(10 * RECORD_BYTES, replay.cutBytes());
    replay.settle(directory);
    assertEquals(0, Records.replayAll(directory, 2).size());
  }

  @Test
  void missingSegmentIsCorruptionNamingIt() throws IOException {
    writeThreeSegments(0, 0);
    directory.delete(LogFormat.fileName(2));
    assertRefused(2, 0);
  }

  @Test
  void lostHeaderOfAUsedSegmentIsCorruption() throws IOException {
    writeThreeSegments(0, 0);
    damage(3, 0, RecordFileFormat.HEADER_BYTES);
    assertRefused(3, 0);
  }

  @Test
  void segmentUnderTheNameOfAnotherIsRefused() throws IOException {
    writeThreeSegments(0, 0);
    directory.setContent(LogFormat.fileName(4), directory.content(LogFormat.fileName(3)));
    assertRefused(4, 0);
  }

  @Test
  void segmentThatWasBeingCreatedIsDropped() throws IOException {
    writeThreeSegments(0, 0);
    for (int length : new int[] {0, 10, 5000}) {
      directory.setContent(LogFormat.fileName(4), new byte[length]);
      LogReplay replay = replay();
      assertEquals(15, replay.recordCount());
      assertEquals(0, replay.cutBytes());
      assertEquals(4, replay.nextSegmentNumber());
      replay.settle(directory);
      assertFalse(directory.exists(LogFormat.fileName(4)));
    }
  }

  @Test
  void settledRecordsSurvivePowerLossAlthoughOnlyWritten() throws IOException {
    writeThreeSegments(0, 0);
    CrashableStorageDirectory killed = directory.kill();
    LogReplay replay = LogReader.replay(killed, new OffHeap(), 1, (segment, offset, payload) -> {});
    replay.settle(killed);
    assertEquals(15, Records.replayAll(killed.crash(new Random(1), 0), 1).size());
  }

  @Test
  void randomBitFlipGivesAnErrorOrAPrefixThatHasAllThatWasSynced() throws IOException {
    int synced = 9;
    writeThreeSegments(synced, 3000);
    Random random = new Random(11);
    int refusals = 0;
    for (int round = 0; round < 3000; round++) {
      String name = LogFormat.fileName(1 + random.nextInt(3));
      byte[] good = directory.content(name);
      byte[] bad = good.clone();
      int bit = random.nextInt(good.length * 8);
      bad[bit / 8] ^= (byte) (1 << bit % 8);
      directory.setContent(name, bad);
      try {
        List<byte[]> payloads = Records.replayAll(directory, 1);
        assertTrue(payloads.size() >= synced, name + " bit " + bit);
        for (int i = 0; i < payloads.size(); i++) {
          assertArrayEquals(Records.payload(i, PAYLOAD_BYTES), payloads.get(i));
        }
      } catch (CorruptionException | FormatTooNewException e) {
        refusals++;
      }
      directory.setContent(name, good);
    }
    assertTrue(refusals > 100, "only " + refusals + " refused");
  }

  /** The system's cache shows what no later sync of these files brings to the device. */
  @Test
  void whatAFailedSyncHasLostIsWrittenAgainBeforeTheNextLogVouchesForIt() throws IOException {
    writeThreeSegments(PER_SEGMENT + 2, 0);
    CrashableStorageDirectory started = directory.kill();
    for (long segment : List.of(2L, 3L)) {
      failSync(started, LogFormat.fileName(segment));
    }
    LogReplay replay =
        LogReader.replay(started, new OffHeap(), 1, (segment, offset, payload) -> {});
    replay.settle(started);
    try (Log next =
        Log.create(
            started,
            new OffHeap(),
            Records.salts(),
            replay.nextSegmentNumber(),
            replay.endPosition(),
            0)) {
      next.begin();
      Records.append(next, Records.payload(3 * PER_SEGMENT, PAYLOAD_BYTES));
    }
    List<byte[]> payloads = Records.replayAll(started.crash(new Random(1), 0), 1);
    assertEquals(3 * PER_SEGMENT + 1, payloads.size());
  }

  @Test
  void aLogThatCannotBeWrittenAgainIsNotVouchedFor() throws IOException {
    writeThreeSegments(PER_SEGMENT + 2, 0);
    FailingStorageDirectory failing = new FailingStorageDirectory(directory.kill());
    LogReplay replay =
        LogReader.replay(failing, new OffHeap(), 1, (segment, offset, payload) -> {});
    failing.failAll(
        call -> call.kind() == FailingStorageDirectory.Kind.WRITE,
        new IOException("Input/output error"));
    assertThrows(IOException.class, () -> replay.settle(failing));
    failing.heal();
    replay.settle(failing);
  }

  private static void failSync(CrashableStorageDirectory its, String name) throws IOException {
    its.failSync(name);
    try (StorageFile file = its.open(name)) {
      assertThrows(IOException.class, file::sync);
    }
  }
}
