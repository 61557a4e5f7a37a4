package dev.varve.wal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The log against a list: random appends, writes, syncs, rolls and deletions, a crash inside any
 * call, recovery included, and over again. Nothing that a crash leaves is taken for lost segments,
 * and lost segments are never taken for that.
 */
class LogCrashTest {
  private static final int RUNS = 120;
  private static final int LIVES = 6;

  /** What one machine's log must hold, over all its lives. */
  private static final class Model {
    final Random random;
    CrashableStorageDirectory directory = new CrashableStorageDirectory();
    final List<byte[]> appended = new ArrayList<>();
    final List<Long> segments = new ArrayList<>();
    long fromSegment = 1;

    /** What the owner has written down of where its log began or ended. */
    SyncedPoint noted = SyncedPoint.NONE;

    boolean hasBegun;

    /** Not if it is as the owners were that came before those which do. */
    final boolean notesBeginnings;

    int written;
    int synced;
    long nextId;

    Model(long seed) {
      random = new Random(seed);
      notesBeginnings = random.nextInt(4) > 0;
    }

    void keep(int count) {
      appended.subList(count, appended.size()).clear();
      segments.subList(count, segments.size()).clear();
    }

    void live(int crashWithin) throws IOException {
      directory.crashAtCall(1 + random.nextInt(crashWithin), random);
      Log log = recover();
      for (int step = 0; step < 200; step++) {
        switch (random.nextInt(10)) {
          case 0, 1, 2, 3 -> append(log);
          case 4, 5, 6 -> {
            log.write();
            written = appended.size();
          }
          case 7 -> {
            int before = written;
            log.sync();
            synced = Math.max(synced, before);
          }
          case 8 -> {
            log.prepareNextSegment();
            if (log.roll()) {
              written = appended.size();
            }
          }
          default -> deleteSome(log);
        }
      }
      if (random.nextBoolean()) {
        log.close();
        written = appended.size();
        synced = written;
        noted = noted.max(log.end());
      }
    }

    private void append(Log log) throws IOException {
      byte[] payload = Records.payload(nextId++, 1 + random.nextInt(random.nextInt(3000) + 1));
      appended.add(payload);
      segments.add(log.segmentNumber());
      Records.append(log, payload);
    }

    private void deleteSome(Log log) throws IOException {
      if (random.nextInt(4) == 0) {
        // The owner has made these durable elsewhere and starts its replay behind them.
        fromSegment += random.nextLong(log.segmentNumber() - fromSegment + 1);
        int gone = 0;
        while (gone < segments.size() && segments.get(gone) < fromSegment) {
          gone++;
        }
        appended.subList(0, gone).clear();
        segments.subList(0, gone).clear();
        written = Math.max(0, written - gone);
        synced = Math.max(0, synced - gone);
        log.deleteSegmentsBelow(fromSegment);
      }
    }

    private Log recover() throws IOException {
      OffHeap memory = new OffHeap();
      List<byte[]> found = new ArrayList<>();
      LogReplay replay =
          LogReader.replay(
              directory,
              memory,
              fromSegment,
              noted,
              (segment, offset, payload) -> found.add(Records.copy(payload)));
      assertTrue(found.size() <= appended.size(), "records that were never appended");
      for (int i = 0; i < found.size(); i++) {
        assertArrayEquals(appended.get(i), found.get(i), "record " + i);
      }
      assertTrue(
          found.size() >= synced, "found " + found.size() + " of " + synced + " synced records");
      assertTrue(
          found.size() >= written, "found " + found.size() + " of " + written + " written records");
      replay.settle(directory);
      keep(found.size());
      written = found.size();
      synced = found.size();
      long aheadBytes = random.nextBoolean() ? 0 : random.nextInt(20_000);
      Log log =
          Log.create(
              directory,
              memory,
              random,
              replay.nextSegmentNumber(),
              replay.endPosition(),
              aheadBytes);
      if (notesBeginnings) {
        noted = log.begin();
        hasBegun = true;
      }
      return log;
    }

    /** Whoever deletes all segments is found out by the next start. */
    void requireThatLossOfAllIsSeen() throws IOException {
      for (String name : directory.list()) {
        directory.delete(name);
      }
      CorruptionException refused = assertThrows(CorruptionException.class, this::recover);
      assertEquals(LogFormat.fileName(fromSegment), refused.file());
      assertEquals(0, refused.offset());
    }

    void die() {
      if (random.nextInt(3) == 0) {
        directory = directory.kill();
      } else {
        double[] fractions = {0, 0.1, 0.5, 0.9, 1};
        directory = directory.crash(random, fractions[random.nextInt(fractions.length)]);
        written = synced;
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {8, 40, 150})
  void replayIsAPrefixWithAllThatWasSynced(int crashWithin) throws IOException {
    for (long seed = 0; seed < RUNS; seed++) {
      Model model = new Model(seed);
      for (int life = 0; life < LIVES; life++) {
        try {
          model.live(crashWithin);
        } catch (SimulatedCrash expected) {
          // Also when no crash came: the machine stops now.
        } catch (IOException | AssertionError e) {
          throw new AssertionError("seed " + seed + " life " + life, e);
        }
        model.die();
      }
      if (model.hasBegun) {
        model.requireThatLossOfAllIsSeen();
      }
    }
  }
}
