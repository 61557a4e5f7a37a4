package dev.varve.compaction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.lsm.LsmTree;
import dev.varve.lsm.Snapshot;
import dev.varve.lsm.TreeOptions;
import dev.varve.lsm.entry.ReadFailure;
import dev.varve.wal.CorruptionException;
import dev.varve.wal.CrashableStorageDirectory;
import dev.varve.wal.FormatTooNewException;
import dev.varve.wal.ProcessMemory;
import dev.varve.wal.SimulatedCrash;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.zip.CRC32C;

/**
 * One machine's life, from a seed: a tree is written, flushed, compacted, closed and opened, while
 * the process is killed or the power fails inside any call, recovery included; now and then a bit
 * of what is on the device turns over. After each recovery the content is held against the model.
 */
final class CrashSimulation {
  private static final CompactionOptions SHAPE =
      new CompactionOptions(3, 12_000, 3, 4_000, 3, 30_000, 0.25, 0.02, 0.25);
  private static final double[] KEPT = {0, 0.5, 1};
  private static final int CALLS_TO_A_CRASH = 60;
  private static final int NEVER = Integer.MAX_VALUE;
  private static final int CALLS_OF_A_RECOVERY = 14;

  private final Random random;
  private final PlantedBug bug;
  private final CrashModel model = new CrashModel();
  private final FakeClock clock = new FakeClock();
  private CrashableStorageDirectory directory = new CrashableStorageDirectory();
  private final ProcessMemory memory = new ProcessMemory();
  private LsmTree tree;
  private Compactor compactor;

  private CrashSimulation(long seed, PlantedBug bug) throws IOException {
    this.random = new Random(seed);
    this.bug = bug;
    this.tree = open(Map.of());
    this.compactor = compactor();
  }

  /**
   * Lives that life; fails when the tree is ever found in a state that it must not be in. Returns
   * what tells one life from another.
   */
  static String run(long seed, int operations, PlantedBug bug) throws IOException {
    CrashSimulation life = new CrashSimulation(seed, bug);
    life.live(operations);
    return life.remains();
  }

  private String remains() throws IOException {
    StringBuilder files = new StringBuilder();
    for (String name : directory.list()) {
      CRC32C crc = new CRC32C();
      crc.update(directory.content(name));
      files.append(name).append(' ').append(crc.getValue()).append('\n');
    }
    return files.append(random.nextLong()).toString();
  }

  private void live(int operations) throws IOException {
    for (int i = 0; i < operations; i++) {
      try {
        operate();
      } catch (SimulatedCrash crash) {
        recover();
      }
    }
    directory.crashAtCall(NEVER, random);
    shutDown();
    recover();
    directory.crashAtCall(NEVER, random);
    tree.maintain();
    long tables = directory.list().stream().filter(name -> name.endsWith(".sst")).count();
    assertEquals(tree.version().tableCount(), tables, "tables that nobody names");
    tree.close();
    assertEquals(0, memory.heldBytes(), "off-heap bytes at the end");
  }

  private void operate() throws IOException {
    clock.advanceMillis(random.nextInt(500));
    int choice = random.nextInt(100);
    if (choice < 55) {
      write(1 + random.nextInt(3));
    } else if (choice < 65) {
      model.synced(tree.sync());
    } else if (choice < 70) {
      tree.rotate();
    } else if (choice < 82) {
      tree.maintain();
    } else if (choice < 91) {
      compactor.runOnce();
      assertEquals(0, compactor.statistics().failures(), compactor.statistics().lastFailure());
    } else if (choice < 96) {
      try (Snapshot now = tree.snapshot()) {
        model.checkKey(now, random);
      }
    } else if (choice < 98) {
      directory.crashAtCall(1 + random.nextInt(CALLS_TO_A_CRASH), random);
    } else {
      stop();
      recover();
    }
  }

  private void write(int batches) throws IOException {
    for (int i = 0; i < batches; i++) {
      long sequence = tree.nextSequence();
      assertEquals(sequence, tree.apply(model.batch(random, sequence)));
    }
    long written = tree.commit();
    tree.publish(written);
    model.written(written);
  }

  private void stop() throws IOException {
    if (random.nextBoolean()) {
      shutDown();
    }
    if (random.nextInt(3) == 0) {
      checkDamaged();
    }
  }

  private void shutDown() throws IOException {
    long sequence = tree.nextSequence() - 1;
    tree.close();
    model.synced(sequence);
    assertEquals(0, memory.heldBytes(), "off-heap bytes after closing");
  }

  /** A kill or power loss, and a start that may meet the same. */
  private void recover() throws IOException {
    fall();
    while (true) {
      if (random.nextInt(3) == 0) {
        directory.crashAtCall(1 + random.nextInt(CALLS_OF_A_RECOVERY), random);
      }
      try {
        tree = open(Map.of());
        compactor = compactor();
        model.goOnFrom(model.check(tree, model.safe()));
        return;
      } catch (SimulatedCrash crash) {
        fall();
      }
    }
  }

  private void fall() {
    if (random.nextInt(4) == 0) {
      directory = directory.kill();
    } else {
      directory = directory.crash(random, KEPT[random.nextInt(KEPT.length)]);
      model.losePower();
    }
    // The old process is gone with its memory.
    memory.endProcess();
  }

  /**
   * One bit of one file is not what it was: a start says so, or all is read right. Only what was
   * logged since the last start may be missing at its end, as after power loss.
   */
  private void checkDamaged() throws IOException {
    CrashableStorageDirectory whole = directory.kill();
    Map<String, byte[]> pristine = new HashMap<>();
    for (String name : whole.list()) {
      pristine.put(name, whole.content(name));
    }
    String[] names = pristine.keySet().stream().sorted().toArray(String[]::new);
    String victim = names[random.nextInt(names.length)];
    byte[] damaged = pristine.getOrDefault(victim, new byte[0]).clone();
    if (damaged.length > 0) {
      damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
    }
    directory = copy(pristine);
    directory.setContent(victim, damaged);
    memory.endProcess();
    try (LsmTree opened = open(pristine)) {
      model.check(opened, victim.endsWith(".log") ? model.recovered() : model.safe());
    } catch (AssertionError wrong) {
      throw new AssertionError("after damage of " + victim, wrong);
    } catch (ReadFailure failure) {
      assertTrue(failure.getCause() instanceof CorruptionException, failure.toString());
      assertNames(failure.getCause(), victim);
    } catch (CorruptionException failure) {
      assertNames(failure, victim);
    } catch (FormatTooNewException newer) {
      assertTrue(String.valueOf(newer.getMessage()).contains(victim), newer.getMessage());
    }
    directory = whole;
  }

  private static void assertNames(Throwable failure, String victim) {
    String message = String.valueOf(failure.getMessage());
    boolean isCurrent = victim.startsWith("CURRENT");
    assertTrue(message.contains(victim) || isCurrent, victim + " was damaged, but: " + message);
  }

  private static CrashableStorageDirectory copy(Map<String, byte[]> files) {
    CrashableStorageDirectory copy = new CrashableStorageDirectory();
    files.forEach(copy::setContent);
    return copy;
  }

  private LsmTree open(Map<String, byte[]> pristine) throws IOException {
    return LsmTree.open(
        bug == PlantedBug.NONE ? directory : new BuggyDirectory(directory, bug, pristine),
        TreeOptions.builder()
            .offHeap(memory)
            .salts(random)
            .memtableBytesMax(16 << 10)
            .blockBytes(256)
            .blockCacheBytesMax(random.nextBoolean() ? 0 : 8_000)
            .flushedTableBytes(4_000)
            .logAheadBytes(random.nextInt(3) == 0 ? 4_000 : 0)
            .immutableMemtablesMax(1_000)
            .levelZeroRuns(1_000, 2_000)
            .build());
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
}
