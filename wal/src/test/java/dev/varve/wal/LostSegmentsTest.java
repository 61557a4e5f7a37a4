package dev.varve.wal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Segments that must be there, and those that a crash may have left out. */
class LostSegmentsTest {
  private final CrashableStorageDirectory directory = new CrashableStorageDirectory();

  private static LogReplay replay(StorageDirectory of, long fromSegment, SyncedPoint durable)
      throws IOException {
    return LogReader.replay(
        of, new OffHeap(), fromSegment, durable, (segment, offset, payload) -> {});
  }

  private void assertRefused(long fromSegment, SyncedPoint durable, long segment) {
    CorruptionException refused =
        assertThrows(CorruptionException.class, () -> replay(directory, fromSegment, durable));
    assertEquals(LogFormat.fileName(segment), refused.file());
    assertEquals(0, refused.offset());
  }

  private static Log goOn(StorageDirectory in, LogReplay replay) throws IOException {
    return Log.create(
        in, new OffHeap(), new Random(7), replay.nextSegmentNumber(), replay.endPosition(), 0);
  }

  private static void roll(Log log) throws IOException {
    assertTrue(log.prepareNextSegment());
    assertTrue(log.roll());
  }

  private void delete(long segment) {
    directory.delete(LogFormat.fileName(segment));
  }

  @Test
  void aLogThatHasBegunIsMissedWithoutAnySegment() throws IOException {
    Log log = Records.newLog(directory, 0);
    SyncedPoint begun = log.begin();
    Records.append(log, Records.payload(1, 100));
    log.write();
    assertEquals(1, replay(directory, 1, begun).recordCount());
    delete(1);
    assertEquals(0, replay(directory, 1, SyncedPoint.NONE).recordCount(), "nothing is known of it");
    assertRefused(1, begun, 1);
  }

  @Test
  void theFirstSegmentThatIsAskedForIsMissedAlsoFarBehindTheBeginning() throws IOException {
    Log log = Records.newLog(directory, 0);
    SyncedPoint begun = log.begin();
    roll(log);
    roll(log);
    log.deleteSegmentsBelow(3);
    assertEquals(0, replay(directory, 3, begun).recordCount());
    delete(3);
    assertRefused(3, begun, 3);
  }

  @Test
  void theSegmentInWhichALogGoesOnIsMissedBehindOthers() throws IOException {
    Records.append(Records.newLog(directory, 0), Records.payload(1, 100));
    SyncedPoint begun;
    try (Log first = goOn(directory, replay(directory, 1, SyncedPoint.NONE))) {
      Records.append(first, Records.payload(1, 100));
    }
    LogReplay replay = replay(directory, 1, SyncedPoint.NONE);
    assertEquals(2, replay.nextSegmentNumber());
    begun = goOn(directory, replay).begin();
    assertEquals(1, replay(directory, 1, begun).recordCount());
    delete(2);
    assertRefused(1, begun, 2);
  }

  @Test
  void theLossOfTheFirstMarkOfALogThatHasBegunIsNoTornTail() throws IOException {
    SyncedPoint begun = Records.newLog(directory, 0).begin();
    String name = LogFormat.fileName(1);
    byte[] whole = directory.content(name);
    for (int bit = 0; bit < 8 * whole.length; bit++) {
      byte[] damaged = whole.clone();
      damaged[bit / 8] ^= (byte) (1 << bit % 8);
      directory.setContent(name, damaged);
      int flipped = bit;
      assertThrows(
          CorruptionException.class, () -> replay(directory, 1, begun), () -> "bit " + flipped);
    }
    for (int length = 0; length < whole.length; length++) {
      directory.setContent(name, Arrays.copyOf(whole, length));
      int cut = length;
      assertThrows(
          CorruptionException.class, () -> replay(directory, 1, begun), () -> "length " + cut);
    }
  }

  @Test
  void anEarlierReleaseWhichSaysWhereItsLogEndedMayHaveLeftNoSegmentBehindThat()
      throws IOException {
    Log log = Records.newLog(directory, 0);
    log.close();
    delete(1);
    assertRefused(1, log.end(), 1);
    // Rolled, flushed and killed since: its next start first deleted what had no record.
    assertEquals(2, replay(directory, 2, log.end()).nextSegmentNumber());
  }

  @Test
  void settlingALogWithoutRecordsLeavesASegmentThroughEveryCrash() throws IOException {
    for (boolean torn : new boolean[] {false, true}) {
      for (int call = 1; call < 14; call++) {
        for (int seed = 0; seed < 30; seed++) {
          Random random = new Random(seed);
          CrashableStorageDirectory disk = new CrashableStorageDirectory();
          Log log = Records.newLog(disk, 0);
          SyncedPoint begun = log.begin();
          roll(log);
          log.prepareNextSegment();
          if (torn) {
            byte[] bytes = Arrays.copyOf(disk.content(LogFormat.fileName(2)), 90);
            Arrays.fill(bytes, 40, 90, (byte) 1);
            disk.setContent(LogFormat.fileName(2), bytes);
          }
          disk.crashAtCall(call, random);
          try {
            LogReplay replay = replay(disk, 2, begun);
            replay.settle(disk);
            goOn(disk, replay).begin();
          } catch (SimulatedCrash stopped) {
            // Also when the call never came: the machine stops now.
          }
          disk = random.nextBoolean() ? disk.kill() : disk.crash(random, random.nextInt(3) / 2.0);
          assertTrue(disk.exists(LogFormat.fileName(2)), "torn " + torn + " call " + call);
          assertEquals(0, replay(disk, 2, begun).recordCount());
        }
      }
    }
  }

  @Test
  void whatIsLeftOfAReplacementIsGoneWithTheNextOne() throws IOException {
    Log.create(directory, new OffHeap(), new Random(1), 1, 0, 0).abandon();
    String leftover = LogFormat.fileName(1) + ".tmp";
    directory.setContent(leftover, new byte[9]);
    LogReplay replay = replay(directory, 1, SyncedPoint.NONE);
    replay.settle(directory);
    byte[] before = directory.content(LogFormat.fileName(1));
    goOn(directory, replay).close();
    assertFalse(directory.exists(leftover));
    assertFalse(
        Arrays.equals(before, Arrays.copyOf(directory.content(LogFormat.fileName(1)), 28)),
        "another salt");
  }
}
