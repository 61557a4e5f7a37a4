package dev.varve.lsm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.lsm.entry.KeyComparator;
import dev.varve.wal.CorruptionException;
import dev.varve.wal.CrashableStorageDirectory;
import dev.varve.wal.FailingStorageDirectory;
import dev.varve.wal.FailingStorageDirectory.Kind;
import dev.varve.wal.OffHeap;
import dev.varve.wal.SimulatedCrash;
import dev.varve.wal.StorageDirectory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Log files that somebody has deleted are missed; what a crash or a failing disk leaves is not. */
class LostLogTest {
  private static final byte[] VALUE = new byte[100];
  private static final int SEEDS = 20;

  private CrashableStorageDirectory device = new CrashableStorageDirectory();

  private static LsmTree open(StorageDirectory where) throws IOException {
    return LsmTree.open(where, TreeOptions.builder().memtableBytesMax(64 << 10).build());
  }

  private static byte[] key(int number) {
    return ("key" + number).getBytes(StandardCharsets.UTF_8);
  }

  private static void put(LsmTree tree, int number) throws IOException {
    tree.apply(new WriteBatch().put(key(number), VALUE));
    tree.publish(tree.commit());
  }

  private static boolean isLog(String name) {
    return name.endsWith(".log");
  }

  private void deleteLogs() {
    device.list().stream().filter(LostLogTest::isLog).forEach(device::delete);
  }

  private Map<String, String> contents() throws IOException {
    Map<String, String> contents = new HashMap<>();
    for (String name : device.list()) {
      contents.put(name, HexFormat.of().formatHex(device.content(name)));
    }
    return contents;
  }

  private void assertMissed(String segment) throws IOException {
    Map<String, String> before = contents();
    CorruptionException refused = assertThrows(CorruptionException.class, () -> open(device));
    assertEquals(segment, refused.file());
    assertEquals(0, refused.offset());
    assertTrue(String.valueOf(refused.getMessage()).contains("missing"), refused::toString);
    assertEquals(before, contents());
    CorruptionException checked =
        (CorruptionException)
            TreeCheck.run(device, KeyComparator.BYTEWISE, new OffHeap(), line -> {}).get(0);
    assertEquals(segment, checked.file());
  }

  @Test
  void aLogThatIsGoneAfterTheFirstLifeIsMissed() throws IOException {
    put(open(device), 1);
    device = device.kill();
    deleteLogs();
    assertMissed("0000000000000001.log");
  }

  @Test
  void aLogThatIsGoneAfterACleanStopIsMissed() throws IOException {
    try (LsmTree tree = open(device)) {
      put(tree, 1);
    }
    deleteLogs();
    assertMissed("0000000000000001.log");
  }

  @Test
  void aLogThatIsGoneAfterFlushesIsMissed() throws IOException {
    LsmTree tree = open(device);
    for (int number = 0; number < 3; number++) {
      put(tree, number);
      tree.flush();
    }
    put(tree, 3);
    device = device.kill();
    deleteLogs();
    assertMissed("0000000000000004.log");
  }

  @Test
  void aLogThatIsGoneAfterAFreshOneHasTakenOverIsMissed() throws IOException {
    FailingStorageDirectory failing = new FailingStorageDirectory(device);
    LsmTree tree = open(failing);
    put(tree, 0);
    failing.failCall(Kind.SYNC_FILE, 1, new IOException("Input/output error"));
    assertThrows(IOException.class, tree::sync);
    for (int turn = 0; turn < 4; turn++) {
      tree.rotateIfFull();
      tree.maintain();
    }
    put(tree, 1);
    device = device.kill();
    deleteLogs();
    assertMissed("0000000000000002.log");
  }

  @Test
  void theSegmentThatAStartBeganIsMissedAlsoWhereOlderOnesAreThere() throws IOException {
    try (LsmTree tree = open(device)) {
      put(tree, 0);
    }
    put(open(device), 1);
    device = device.kill();
    device.delete("0000000000000002.log");
    assertMissed("0000000000000002.log");
  }

  @Test
  void aDirectoryOfAnEarlierReleaseMayHaveNoSegment() throws IOException {
    LsmTree tree = open(device);
    put(tree, 0);
    tree.flush();
    device = device.kill();
    // As one that noted nothing has left it whose start was killed before it had begun a log.
    device.setContent("CURRENT", "MANIFEST-000001\n".getBytes(StandardCharsets.US_ASCII));
    deleteLogs();
    LsmTree again = open(device);
    assertEquals(0, again.recovery().logBatches());
    put(again, 1);
    device = device.kill();
    deleteLogs();
    assertMissed("0000000000000002.log");
  }

  /** A life whose every call may be its last, from a state that lives before have left. */
  private int live(StorageDirectory where, int acknowledged, Random random) throws IOException {
    LsmTree tree = open(where);
    int written = acknowledged;
    for (int step = random.nextInt(8); step > 0; step--) {
      switch (random.nextInt(4)) {
        case 0 -> tree.flush();
        case 1 -> tree.maintain();
        case 2 -> tree.rotate();
        default -> {
          put(tree, written);
          tree.sync();
          written++;
        }
      }
    }
    if (random.nextInt(3) == 0) {
      tree.close();
    }
    return written;
  }

  @Test
  void whatKillsAndPowerLossLeaveAtAnyCallIsNotMissed() throws IOException {
    for (int call = 1; call < 60; call++) {
      for (int seed = 0; seed < SEEDS; seed++) {
        Random random = new Random(1000L * call + seed);
        device = new CrashableStorageDirectory();
        int acknowledged = 0;
        for (int life = 0; life < 4; life++) {
          device.crashAtCall(life == 0 ? call : 1 + random.nextInt(60), random);
          int before = acknowledged;
          try {
            acknowledged = live(device, acknowledged, random);
          } catch (SimulatedCrash stopped) {
            // What this life has written is there or not; what lives before have is.
            acknowledged = before;
          } catch (IOException e) {
            throw new AssertionError("call " + call + " seed " + seed + " life " + life, e);
          }
          device =
              random.nextBoolean() ? device.kill() : device.crash(random, random.nextInt(3) / 2.0);
        }
        assertHolds(acknowledged, "call " + call + " seed " + seed);
      }
    }
  }

  @Test
  void whatAFailingDiskLeavesAtAnyCallIsNotMissed() throws IOException {
    for (int call = 1; call < 120; call++) {
      for (int seed = 0; seed < SEEDS / 2; seed++) {
        Random random = new Random(1000L * call + seed);
        device = new CrashableStorageDirectory();
        FailingStorageDirectory failing = new FailingStorageDirectory(device);
        int acknowledged = 0;
        for (int life = 0; life < 4; life++) {
          failing.failCalls(
              life == 0 ? call : 1 + random.nextInt(120),
              1 + random.nextInt(20),
              new IOException("No space left on device"));
          try {
            acknowledged = live(failing, acknowledged, random);
          } catch (CorruptionException e) {
            throw new AssertionError("call " + call + " seed " + seed + " life " + life, e);
          } catch (IOException failed) {
            // The server would go on or start again: here it is killed.
          }
          device = random.nextBoolean() ? device.kill() : device.crash(random, 0.5);
          failing.become(device);
        }
        assertHolds(acknowledged, "call " + call + " seed " + seed);
      }
    }
  }

  private void assertHolds(int acknowledged, String which) throws IOException {
    try (LsmTree tree = open(device);
        Snapshot now = tree.snapshot()) {
      for (int number = 0; number < acknowledged; number++) {
        assertArrayEquals(VALUE, now.get(key(number)), which);
      }
    } catch (CorruptionException e) {
      throw new AssertionError(which, e);
    }
    deleteLogs();
    assertThrows(CorruptionException.class, () -> open(device), which);
  }

  @Test
  void noStartLeavesPiecesOfASegmentThatItReplaced() throws IOException {
    for (int life = 0; life < 3; life++) {
      LsmTree tree = open(device);
      put(tree, life);
      tree.flush();
      device = device.kill();
    }
    assertEquals(List.of(), device.list().stream().filter(name -> name.endsWith(".tmp")).toList());
  }
}
