package dev.varve.wal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.varve.wal.FailingStorageDirectory.Kind;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogTest extends LogFixture {
  @Test
  void positionsFollowTheRecordsThroughTheSegments() throws IOException {
    try (Log log = Records.newLog(directory, 0)) {
      assertEquals(1, log.segmentNumber());
      long first = Records.append(log, Records.payload(1, 100));
      assertEquals(128, first);
      assertEquals(0, log.writtenPosition());
      log.write();
      assertEquals(first, log.writtenPosition());
      assertEquals(0, log.syncedPosition());
      assertFalse(log.roll(), "rolled without a prepared segment");
      assertTrue(log.prepareNextSegment());
      assertFalse(log.prepareNextSegment());
      append(log, 2);
      assertTrue(log.roll());
      assertEquals(2, log.segmentNumber());
      assertEquals(2 * first, log.writtenPosition());
      append(log, 3);
      log.write();
      log.sync();
      assertEquals(3 * first, log.syncedPosition());
    }
    List<Records.Replayed> records = new ArrayList<>();
    LogReplay replay =
        LogReader.replay(
            directory,
            new OffHeap(),
            1,
            (segment, offset, payload) ->
                records.add(new Records.Replayed(segment, offset, Records.copy(payload))));
    assertEquals(List.of(1L, 1L, 2L), records.stream().map(Records.Replayed::segment).toList());
    assertEquals(List.of(28L, 156L, 28L), records.stream().map(Records.Replayed::offset).toList());
    assertEquals(3, replay.recordCount());
    assertEquals(0, replay.cutBytes());
    assertEquals(3, replay.nextSegmentNumber());
  }

  @Test
  void syncedRecordsOfRolledSegmentsSurvivePowerLoss() throws IOException {
    Log log = Records.newLog(directory, 0);
    append(log, 1);
    log.prepareNextSegment();
    log.roll();
    append(log, 2);
    log.write();
    log.sync();
    append(log, 3);
    log.write();
    assertReplays(disk.crash(new Random(1), 0), 1, 2);
  }

  @Test
  void writtenRecordsSurviveAKill() throws IOException {
    Log log = Records.newLog(directory, 64 << 10);
    append(log, 1);
    log.write();
    append(log, 2);
    assertReplays(disk.kill(), 1);
  }

  @Test
  void failedWriteIsRetriedAtTheSamePlace() throws IOException {
    try (Log log = Records.newLog(directory, 0)) {
      append(log, 1);
      log.write();
      append(log, 2);
      directory.failCall(Kind.WRITE, 1, FULL);
      directory.writeShort();
      assertSame(FULL, assertThrows(IOException.class, log::write));
      assertEquals(128, log.writtenPosition());
      append(log, 3);
      log.write();
      log.sync();
    }
    assertReplays(directory, 1, 2, 3);
  }

  @Test
  void anEarlyWriteThatFailsIsNotTriedAgainWithEachRecord() throws IOException {
    FailingStorageDirectory failing = new FailingStorageDirectory(directory);
    Log log = Records.newLog(failing, 0);
    int[] tries = {0};
    failing.failAll(call -> call.kind() == Kind.WRITE && ++tries[0] > 0, BROKEN);
    List<byte[]> records = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      records.add(Records.payload(i, RecordFileWriter.PENDING_BYTES_MAX / 10));
      log.append(records.get(i), 0, records.get(i).length);
    }
    // At 1, 2, 4 and 8 MiB.
    assertEquals(4, tries[0]);
    assertThrows(IOException.class, log::write);
    failing.heal();
    log.write();
    tries[0] = 0;
    failing.failAll(call -> call.kind() == Kind.WRITE && ++tries[0] > 0, BROKEN);
    for (int i = 0; i < 12; i++) {
      records.add(Records.payload(i, RecordFileWriter.PENDING_BYTES_MAX / 10));
      log.append(records.get(100 + i), 0, records.get(100 + i).length);
    }
    assertEquals(1, tries[0], "of a mebibyte again");
    failing.heal();
    log.close();
    List<byte[]> replayed = Records.replayAll(directory, 1);
    assertEquals(records.size(), replayed.size());
    for (int i = 0; i < records.size(); i++) {
      assertArrayEquals(records.get(i), replayed.get(i), "record " + i);
    }
  }

  @Test
  void failedPreparationChangesNothingAndWorksLater() throws IOException {
    try (Log log = Records.newLog(directory, 4096)) {
      for (int nth = 1; nth <= 4; nth++) {
        directory.failMatching(
            call ->
                call.kind() != Kind.DELETE
                    && call.kind() != Kind.LENGTH
                    && call.kind() != Kind.READ,
            nth,
            FULL);
        assertThrows(IOException.class, log::prepareNextSegment, "call " + nth);
        assertFalse(directory.exists(LogFormat.fileName(2)));
        assertFalse(log.roll());
      }
      directory.heal();
      assertTrue(log.prepareNextSegment());
      assertTrue(log.roll());
    }
  }

  @Test
  void rollWhosePendingRecordsCannotBeWrittenStaysInItsSegment() throws IOException {
    try (Log log = Records.newLog(directory, 0)) {
      log.prepareNextSegment();
      append(log, 1);
      directory.failCall(Kind.WRITE, 1, FULL);
      assertThrows(IOException.class, log::roll);
      assertEquals(1, log.segmentNumber());
      assertTrue(log.roll());
      append(log, 2);
    }
    assertReplays(directory, 1, 2);
  }

  @Test
  void oldSegmentsAreDeletedAndTheCurrentOneIsNot() throws IOException {
    try (Log log = Records.newLog(directory, 0)) {
      for (int i = 1; i <= 3; i++) {
        append(log, i);
        log.prepareNextSegment();
        log.roll();
      }
      disk.setContent("table-1", new byte[3]);
      assertThrows(IllegalArgumentException.class, () -> log.deleteSegmentsBelow(5));
      log.deleteSegmentsBelow(4);
      append(log, 4);
      log.write();
      log.sync();
      assertEquals(List.of("0000000000000004.log", "table-1"), disk.list());
    }
    assertEquals(1, Records.replayAll(directory, 4).size());
    assertThrows(CorruptionException.class, () -> Records.replayAll(directory, 3));
  }

  @Test
  void aDeletedSegmentGivesItsSpaceBackThoughNothingIsSyncedAnyMore(@TempDir Path path)
      throws IOException {
    Path descriptors = Path.of("/proc/self/fd");
    assumeTrue(Files.isDirectory(descriptors), "no list of open files here");
    try (RealStorageDirectory real = RealStorageDirectory.open(path);
        Log log = Records.newLog(real, 0)) {
      append(log, 1);
      log.write();
      log.sync();
      log.prepareNextSegment();
      log.roll();
      log.deleteSegmentsBelow(2);
      try (Stream<Path> open = Files.list(descriptors)) {
        List<Path> files = open.map(LogTest::target).toList();
        assertTrue(files.contains(path.toRealPath().resolve(LogFormat.fileName(2))), "" + files);
        assertTrue(files.stream().noneMatch(file -> isDeletedSegment(file, path)), "" + files);
      }
    }
  }

  private static Path target(Path link) {
    try {
      return Files.readSymbolicLink(link);
    } catch (IOException closedMeanwhile) {
      return link;
    }
  }

  private static boolean isDeletedSegment(Path file, Path directory) {
    return file.toString().contains(directory.getFileName().toString())
        && file.toString().endsWith("(deleted)");
  }

  @Test
  void closedLogTellsEveryLaterDamage() throws IOException {
    try (Log log = Records.newLog(directory, 1 << 20)) {
      append(log, 1);
      append(log, 2);
    }
    String name = LogFormat.fileName(1);
    byte[] good = disk.content(name);
    assertEquals(RecordFileFormat.HEADER_BYTES + 2 * 128 + 28, good.length);
    for (int i = RecordFileFormat.HEADER_BYTES; i < good.length - 28; i++) {
      byte[] bad = good.clone();
      bad[i] ^= 0x10;
      disk.setContent(name, bad);
      CorruptionException refused =
          assertThrows(CorruptionException.class, () -> Records.replayAll(directory, 1));
      assertEquals(name, refused.file());
      assertEquals(i < good.length - 28 - 128 ? 28 : 28 + 128, refused.offset());
    }
  }

  @Test
  void segmentWithRecordsIsNeverReplacedByANewLog() throws IOException {
    Log log = Records.newLog(directory, 0);
    append(log, 1);
    log.close();
    assertThrows(FileAlreadyExistsException.class, () -> Records.newLog(directory, 0));
    assertReplays(directory, 1);
  }

  @Test
  void closedLogGivesItsMemoryAndItsUnusedSegmentBack() throws IOException {
    OffHeap memory = new OffHeap();
    Log log = Log.create(directory, memory, Records.salts(), 1, 0, 0);
    log.prepareNextSegment();
    log.close();
    log.close();
    assertEquals(0, memory.heldBytes());
    assertEquals(List.of(LogFormat.fileName(1)), disk.list());
    assertThrows(IOException.class, () -> append(log, 1));
  }

  @Test
  void everyFailingCallLeavesAPrefixAndNothingMissing() throws IOException {
    for (int nth = 1; nth < 60; nth++) {
      CrashableStorageDirectory inner = new CrashableStorageDirectory();
      FailingStorageDirectory failing = new FailingStorageDirectory(inner);
      failing.failCall(nth, BROKEN);
      failing.writeShort();
      long[] written = {0};
      long[] synced = {0};
      appendUntilFailure(failing, written, synced);
      failing.heal();
      // Whatever failed, what was written is there after a kill, and what was synced after a crash.
      List<byte[]> afterKill = Records.replayAll(inner, 1);
      assertTrue(afterKill.size() >= written[0], "call " + nth);
      assertPayloads(afterKill);
      List<byte[]> afterCrash = Records.replayAll(inner.crash(new Random(nth), 0.5), 1);
      assertTrue(afterCrash.size() >= synced[0], "call " + nth);
      assertPayloads(afterCrash);
    }
  }

  private static void assertPayloads(List<byte[]> payloads) {
    for (int i = 0; i < payloads.size(); i++) {
      assertArrayEquals(Records.payload(i, 100), payloads.get(i));
    }
  }

  private static void appendUntilFailure(
      StorageDirectory directory, long[] written, long[] synced) {
    try (Log log = Records.newLog(directory, 2048)) {
      assertNotNull(log);
      for (int i = 0; i < 20; i++) {
        append(log, i);
        log.write();
        written[0]++;
        if (i % 2 == 1) {
          log.sync();
          synced[0] = written[0];
        }
        if (i % 5 == 4) {
          log.prepareNextSegment();
          log.roll();
        }
      }
    } catch (IOException e) {
      assertTrue(e == BROKEN || e instanceof LogPoisonedException, e.toString());
    }
  }
}
