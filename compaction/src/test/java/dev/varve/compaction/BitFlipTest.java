package dev.varve.compaction;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.lsm.LsmTree;
import dev.varve.lsm.Snapshot;
import dev.varve.lsm.TreeCheck;
import dev.varve.lsm.TreeOptions;
import dev.varve.lsm.WriteBatch;
import dev.varve.lsm.entry.KeyComparator;
import dev.varve.lsm.entry.ReadFailure;
import dev.varve.wal.CorruptionException;
import dev.varve.wal.CrashableStorageDirectory;
import dev.varve.wal.ProcessMemory;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * A bit that turned over in any file of a tree: an error that names the file and the offset, and
 * never a wrong answer; and what is damaged stays where it is. A check of the whole directory finds
 * each of them.
 */
class BitFlipTest {
  private static final int FLIPS = Integer.getInteger("varve.flips", 2_000);
  private static final long SEED = Long.getLong("varve.seed", 2);
  private static final int KEYS = 400;

  private final Map<String, byte[]> files = new TreeMap<>();
  private final TreeMap<Integer, byte[]> model = new TreeMap<>();
  private final ProcessMemory memory = new ProcessMemory();

  /** What became of one flip. */
  private enum Outcome {
    REFUSED,
    READ_FAILED,
    /** No read of the tree met it. */
    FOUND_BY_CHECK
  }

  BitFlipTest() throws IOException {
    CrashableStorageDirectory directory = new CrashableStorageDirectory();
    Random random = new Random(1);
    try (LsmTree tree = open(directory)) {
      for (int i = 0; i < 1_500; i++) {
        int key = random.nextInt(KEYS);
        if (random.nextInt(5) == 0) {
          model.remove(key);
          tree.apply(new WriteBatch().delete(key(key)));
        } else {
          byte[] value = new byte[random.nextInt(60)];
          random.nextBytes(value);
          model.put(key, value);
          tree.apply(new WriteBatch().put(key(key), value));
        }
        tree.publish(tree.commit());
        if (i % 400 == 399) {
          tree.flush();
        }
        if (i == 900) {
          compact(tree);
        }
      }
    }
    for (String name : directory.list()) {
      files.put(name, directory.content(name));
    }
  }

  private static byte[] key(int number) {
    return ("key-" + number).getBytes();
  }

  private LsmTree open(CrashableStorageDirectory directory) throws IOException {
    return LsmTree.open(
        directory,
        TreeOptions.builder()
            .offHeap(memory)
            .memtableBytesMax(1 << 20)
            .blockBytes(512)
            .blockCacheBytesMax(0)
            .flushedTableBytes(8_000)
            .build());
  }

  /** Everything to the deepest level; returns how many passes failed. */
  private static long compact(LsmTree tree) {
    FakeClock clock = new FakeClock();
    Compactor compactor =
        new Compactor(
            new TreeTableStore(tree),
            tree.deadEntryRule(),
            new Graveyard(),
            CompactionOptions.forMemtable(8_000),
            Pace.UNLIMITED,
            WorkTime.alone(clock, clock));
    compactor.compactRange(null, null);
    for (int i = 0; i < 50; i++) {
      compactor.runOnce();
      clock.advanceMillis(1_000);
    }
    return compactor.statistics().failures();
  }

  @Test
  void noFlippedBitOfAnyFileGivesAWrongAnswer() throws IOException {
    Map<String, Map<Outcome, Integer>> outcomes = new TreeMap<>();
    List<String> names = List.copyOf(files.keySet());
    Random random = new Random(SEED);
    System.out.printf("BitFlipTest -Dvarve.seed=%d -Dvarve.flips=%d%n", SEED, FLIPS);
    for (int i = 0; i < FLIPS; i++) {
      String victim = names.get(i % names.size());
      byte[] damaged = files.getOrDefault(victim, new byte[0]).clone();
      int at = random.nextInt(damaged.length);
      damaged[at] ^= (byte) (1 << random.nextInt(8));
      try {
        outcomes
            .computeIfAbsent(victim.replaceAll("\\d", ""), kind -> new TreeMap<>())
            .merge(outcome(victim, damaged), 1, Integer::sum);
      } catch (AssertionError | RuntimeException wrong) {
        throw new AssertionError("flip " + i + ", byte " + at + " of " + victim, wrong);
      }
    }
    System.out.println("BitFlipTest: " + outcomes);
    assertTrue(outcomes.size() >= 4, () -> "kinds of files: " + outcomes);
  }

  private Outcome outcome(String victim, byte[] damaged) throws IOException {
    CrashableStorageDirectory directory = new CrashableStorageDirectory();
    files.forEach(directory::setContent);
    directory.setContent(victim, damaged);
    memory.endProcess();
    assertFoundByCheck(directory, victim);
    memory.endProcess();
    try (LsmTree tree = open(directory)) {
      int failed = failedReads(tree, victim);
      if (failed == 0) {
        return Outcome.FOUND_BY_CHECK;
      }
      assertEquals(1, tree.stats().corruptBlocks(), "blocks that were met");
      assertTrue(compact(tree) > 0, "a pass over a damaged block that did not fail");
      tree.maintain();
      assertEquals(failed, failedReads(tree, victim), "damaged before, and after compaction");
      assertArrayEquals(damaged, directory.content(victim));
      return Outcome.READ_FAILED;
    } catch (CorruptionException refused) {
      assertNames(refused, victim);
      return Outcome.REFUSED;
    }
  }

  /** Who reads everything finds what no read needs. */
  private void assertFoundByCheck(CrashableStorageDirectory directory, String victim)
      throws IOException {
    List<IOException> found = TreeCheck.run(directory, KeyComparator.BYTEWISE, memory, line -> {});
    assertEquals(1, found.size(), found::toString);
    assertNames(found.get(0), victim);
  }

  /** Reads every key there is or was: right, or an error; returns how many errors. */
  private int failedReads(LsmTree tree, String victim) {
    int failed = 0;
    try (Snapshot now = tree.snapshot()) {
      for (int i = 0; i < KEYS; i++) {
        byte @Nullable [] found = null;
        try {
          found = now.get(key(i));
        } catch (ReadFailure damage) {
          assertTrue(damage.getCause() instanceof CorruptionException, damage.toString());
          assertNames(damage.getCause(), victim);
          failed++;
          continue;
        }
        assertArrayEquals(model.get(i), found, "key " + i);
      }
    }
    return failed;
  }

  private static void assertNames(Throwable damage, String victim) {
    String message = String.valueOf(damage.getMessage());
    assertTrue(message.contains(victim) && message.contains("offset"), message);
  }
}
