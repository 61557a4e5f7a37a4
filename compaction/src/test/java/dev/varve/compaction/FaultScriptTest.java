package dev.varve.compaction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.lsm.LsmTree;
import dev.varve.lsm.Snapshot;
import dev.varve.lsm.TreeOptions;
import dev.varve.lsm.entry.ReadFailure;
import dev.varve.wal.CrashableStorageDirectory;
import dev.varve.wal.FailingStorageDirectory;
import dev.varve.wal.ProcessMemory;
import java.io.IOException;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * One script of some 2,000 calls of the disk, run again and again, each time with another of them
 * failing: nothing that was acknowledged is lost, and writing resumes without help.
 */
class FaultScriptTest {
  private static final int CALLS = 2_000;
  private static final int ROUNDS_TO_RESUME = 12;

  /** Each call fails in one way, or in every way. */
  private static final boolean EVERY_WAY = Boolean.getBoolean("varve.faults.all");

  private static final CompactionOptions SHAPE =
      new CompactionOptions(3, 12_000, 3, 4_000, 3, 30_000, 0.25, 0.02, 0.25);

  /** How a call fails. */
  private enum Fault {
    IO_ERROR("Input/output error", 1),
    NO_SPACE("No space left on device", 1),
    SHORT_WRITE("No space left on device", 1),
    FULL_FOR_A_WHILE("No space left on device", 40),
    GONE_FOR_A_WHILE("Input/output error", 11);

    private final String message;
    private final int calls;

    Fault(String message, int calls) {
      this.message = message;
      this.calls = calls;
    }
  }

  @Test
  void theScriptIsLongEnough() throws IOException {
    Script script = new Script();
    script.run();
    assertTrue(script.disk.calls() >= CALLS, () -> script.disk.calls() + " calls");
  }

  @Test
  void anyCallMayFailInAnyWay() {
    Map<String, Throwable> failures = new ConcurrentHashMap<>();
    IntStream.rangeClosed(1, CALLS)
        .parallel()
        .forEach(
            call -> {
              for (Fault fault : Fault.values()) {
                if (EVERY_WAY || fault.ordinal() == call % Fault.values().length) {
                  try {
                    Script script = new Script();
                    script.fail(call, fault);
                    script.run();
                  } catch (IOException | RuntimeException | AssertionError failure) {
                    failures.put(String.format("call %04d, %s", call, fault), failure);
                  }
                }
              }
            });
    new TreeMap<>(failures)
        .forEach(
            (where, failure) -> {
              throw new AssertionError(where + ", one of " + failures.size(), failure);
            });
  }

  private static final class Script {
    private final Random random = new Random(1);
    private final CrashModel model = new CrashModel();
    private final FakeClock clock = new FakeClock();
    private final ProcessMemory memory = new ProcessMemory();
    private CrashableStorageDirectory device = new CrashableStorageDirectory();
    private FailingStorageDirectory disk = new FailingStorageDirectory(device);
    private LsmTree tree;
    private Compactor compactor;

    /** The last commit or sync failed: writes are refused until a commit works. */
    private boolean refusing;

    Script() throws IOException {
      tree = open();
      compactor = compactor();
    }

    void fail(int call, Fault fault) {
      if (fault.calls > 1) {
        disk.failCalls(call, fault.calls, new IOException(fault.message));
      } else {
        disk.failCall(call, new IOException(fault.message));
      }
      if (fault == Fault.SHORT_WRITE) {
        disk.writeShort();
      }
    }

    void run() throws IOException {
      for (int life = 0; life < 3; life++) {
        for (int i = 0; i < 170; i++) {
          operate();
          keepHouse();
        }
        awaitResumption();
        try (Snapshot now = tree.snapshot()) {
          for (int i = 0; i < 50; i++) {
            checkKey(now);
          }
        }
        restart(life == 1);
      }
      tree.close();
      assertEquals(0, memory.heldBytes(), "off-heap bytes at the end");
    }

    private void operate() throws IOException {
      clock.advanceMillis(random.nextInt(500));
      int choice = random.nextInt(10);
      try {
        if (choice < 5) {
          write();
        } else if (choice < 6) {
          model.synced(tree.sync());
        } else if (choice < 7) {
          tree.rotate();
        } else if (choice < 9) {
          compactor.runOnce();
        } else {
          try (Snapshot now = tree.snapshot()) {
            checkKey(now);
          }
        }
      } catch (IOException failed) {
        refusing = true;
      }
    }

    private void checkKey(Snapshot now) {
      try {
        if (!refusing) {
          model.checkKey(now, random);
        }
      } catch (ReadFailure failed) {
        // The read is told; nothing else comes of it.
        assertFalse(String.valueOf(failed.getCause()).contains("orrupt"), failed.toString());
      }
    }

    private void write() throws IOException {
      if (refusing) {
        return;
      }
      long sequence = tree.nextSequence();
      try {
        tree.apply(model.batch(random, sequence));
      } catch (IOException refused) {
        model.withdraw();
        throw refused;
      }
      long written = tree.commit();
      tree.publish(written);
      model.written(written);
    }

    /** What the housekeeper and the flusher do ten times a second. */
    private void keepHouse() {
      try {
        tree.rotateIfFull();
        tree.maintain();
      } catch (IOException failed) {
        // Tried again the next time.
      }
      if (refusing) {
        try {
          long written = tree.commit();
          tree.publish(written);
          model.written(written);
          refusing = false;
        } catch (IOException failed) {
          assertTrue(refusing);
        }
      }
    }

    private void awaitResumption() {
      for (int i = 0; i < ROUNDS_TO_RESUME || refusing; i++) {
        assertTrue(i < 100, "writing never resumes");
        keepHouse();
      }
    }

    private void restart(boolean byKill) throws IOException {
      if (byKill) {
        die();
      } else {
        long sequence = tree.nextSequence() - 1;
        try {
          tree.close();
          model.synced(sequence);
        } catch (IOException failed) {
          die();
        }
      }
      openUntilItWorks();
      model.goOnFrom(check());
    }

    private long check() {
      for (int i = 0; i < 100; i++) {
        try {
          return model.check(tree, model.safe());
        } catch (ReadFailure failed) {
          assertFalse(String.valueOf(failed.getCause()).contains("orrupt"), failed.toString());
        }
      }
      throw new AssertionError("it can never be read");
    }

    private void die() {
      device = device.kill();
      memory.endProcess();
      disk.become(device);
    }

    private void openUntilItWorks() throws IOException {
      for (int i = 0; i < 100; i++) {
        try {
          tree = open();
          compactor = compactor();
          return;
        } catch (IOException failed) {
          assertFalse(failed.toString().contains("orrupt"), failed.toString());
          // A server that cannot start ends.
          memory.endProcess();
        }
      }
      throw new IOException("it never starts");
    }

    private Compactor compactor() {
      return new Compactor(
          new TreeTableStore(tree),
          tree.deadEntryRule(),
          new Graveyard(),
          SHAPE,
          Pace.UNLIMITED,
          WorkTime.alone(clock, clock));
    }

    private LsmTree open() throws IOException {
      return LsmTree.open(
          disk,
          TreeOptions.builder()
              .offHeap(memory)
              .salts(random)
              .memtableBytesMax(16 << 10)
              .blockBytes(256)
              .blockCacheBytesMax(0)
              .flushedTableBytes(4_000)
              .logAheadBytes(2_000)
              .immutableMemtablesMax(1_000)
              .levelZeroRuns(1_000, 2_000)
              .build());
    }
  }
}
