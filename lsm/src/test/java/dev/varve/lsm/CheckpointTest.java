package dev.varve.lsm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.lsm.entry.KeyComparator;
import dev.varve.lsm.entry.VisibleCursor;
import dev.varve.lsm.version.TableMeta;
import dev.varve.lsm.version.VersionEdit;
import dev.varve.wal.CorruptionException;
import dev.varve.wal.CrashableStorageDirectory;
import dev.varve.wal.FailingStorageDirectory;
import dev.varve.wal.FailingStorageDirectory.Call;
import dev.varve.wal.FailingStorageDirectory.Kind;
import dev.varve.wal.OffHeap;
import dev.varve.wal.RealStorageDirectory;
import dev.varve.wal.SimulatedCrash;
import dev.varve.wal.StorageDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A second directory that opens as the tree was at one moment. */
class CheckpointTest {
  private static final int COUNTER = 5;
  private static final IOException FULL = new IOException("No space left on device");

  @TempDir Path path;

  private final OffHeap memory = new OffHeap();
  private final CrashableStorageDirectory device = new CrashableStorageDirectory();
  private final FailingStorageDirectory directory = new FailingStorageDirectory(device);
  private final TreeMap<String, String> model = new TreeMap<>();
  private int written;

  /** Where the tree's batches are at the moment of the checkpoint. */
  private enum Place {
    TABLES {
      @Override
      void bring(CheckpointTest test, LsmTree tree) throws IOException {
        test.write(tree, 300);
        tree.flush();
      }
    },
    LOG {
      @Override
      void bring(CheckpointTest test, LsmTree tree) throws IOException {
        test.write(tree, 300);
      }
    },
    TABLES_AND_LOG {
      @Override
      void bring(CheckpointTest test, LsmTree tree) throws IOException {
        for (int i = 0; i < 3; i++) {
          test.write(tree, 100);
          tree.flush();
        }
        test.write(tree, 50);
      }
    },
    SEVERAL_SEGMENTS {
      @Override
      void bring(CheckpointTest test, LsmTree tree) throws IOException {
        for (int i = 0; i < 4; i++) {
          test.write(tree, 50);
          test.rotate(tree);
        }
        test.write(tree, 10);
      }
    },
    SEGMENTS_BEFORE_AN_EMPTY_ONE {
      @Override
      void bring(CheckpointTest test, LsmTree tree) throws IOException {
        test.write(tree, 50);
        test.rotate(tree);
      }
    },
    NOTHING {
      @Override
      void bring(CheckpointTest test, LsmTree tree) {}
    };

    abstract void bring(CheckpointTest test, LsmTree tree) throws IOException;
  }

  @AfterEach
  void allMemoryIsGivenBack() {
    assertEquals(0, memory.heldBytes());
  }

  private LsmTree open(StorageDirectory where) throws IOException {
    return open(where, memory);
  }

  private static LsmTree open(StorageDirectory where, OffHeap memory) throws IOException {
    return LsmTree.open(
        where,
        TreeOptions.builder()
            .offHeap(memory)
            .memtableBytesMax(64 << 10)
            .immutableMemtablesMax(100)
            .logPreallocateBytes(20_000)
            .build());
  }

  private void write(LsmTree tree, int batches) throws IOException {
    for (int i = 0; i < batches; i++) {
      String key = "key" + written * 7 % 200;
      WriteBatch batch = new WriteBatch();
      if (written % 5 == 4) {
        batch.delete(bytes(key));
        model.remove(key);
      } else {
        batch.put(bytes(key), bytes("value" + written));
        model.put(key, "value" + written);
      }
      tree.apply(batch.addToCounter(COUNTER, 1));
      written++;
    }
    tree.publish(tree.commit());
  }

  /** Without a flush: one segment more. */
  private void rotate(LsmTree tree) throws IOException {
    directory.failAll(
        call -> call.kind() == Kind.CREATE && call.file().endsWith(TableMeta.FILE_SUFFIX), FULL);
    int before = tree.tables().immutableCount();
    while (!tree.rotate()) {
      try {
        tree.maintain();
      } catch (IOException noTable) {
        // The segment has been prepared.
      }
    }
    directory.heal();
    assertEquals(before + 1, tree.tables().immutableCount());
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static void checkpoint(LsmTree tree, StorageDirectory target) throws IOException {
    tree.checkpoint(target, () -> false);
  }

  /** What all keys of a tree have. */
  private static Map<String, String> contents(LsmTree tree) {
    Map<String, String> found = new TreeMap<>();
    try (Snapshot now = tree.snapshot();
        VisibleCursor cursor = now.cursor()) {
      for (boolean more = cursor.seekToFirst(); more; more = cursor.next()) {
        found.put(
            new String(cursor.copyKey(), StandardCharsets.UTF_8),
            new String(cursor.copyValue(), StandardCharsets.UTF_8));
      }
    }
    return found;
  }

  private void requireWhole(StorageDirectory where, long nextSequence) throws IOException {
    assertEquals(List.of(), TreeCheck.run(where, KeyComparator.BYTEWISE, memory, line -> {}));
    try (LsmTree opened = open(where)) {
      assertEquals(model, contents(opened));
      assertEquals(written, opened.counter(COUNTER));
      assertEquals(nextSequence, opened.nextSequence());
      assertEquals(0, opened.recovery().cutBytes());
      // It goes on like any other.
      opened.write(new WriteBatch().put(bytes("more"), bytes("yes")));
      opened.flush();
    }
    try (LsmTree opened = open(where);
        Snapshot now = opened.snapshot()) {
      assertArrayEquals(bytes("yes"), now.get(bytes("more")));
    }
  }

  private static boolean isTree(StorageDirectory where) {
    try {
      TreeCheck.requireTree(where);
      return true;
    } catch (IOException none) {
      return false;
    }
  }

  @ParameterizedTest
  @EnumSource
  void itHasAllThatWasCommittedWhereverThatWas(Place place) throws IOException {
    CrashableStorageDirectory target = new CrashableStorageDirectory();
    try (LsmTree tree = open(directory)) {
      place.bring(this, tree);
      checkpoint(tree, target);
      requireWhole(target, tree.nextSequence());
    }
  }

  @ParameterizedTest
  @EnumSource
  void powerLossRightBehindItTakesNothingOfIt(Place place) throws IOException {
    CrashableStorageDirectory target = new CrashableStorageDirectory();
    try (LsmTree tree = open(directory)) {
      place.bring(this, tree);
      checkpoint(tree, target);
      requireWhole(target.crash(new Random(1), 0), tree.nextSequence());
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"TABLES_AND_LOG", "SEGMENTS_BEFORE_AN_EMPTY_ONE"})
  void powerLossInTheMiddleOfItLeavesAWholeOneOrNone(Place place) throws IOException {
    Random random = new Random(1);
    int whole = 0;
    // Memory of its own, for a process that has stopped gives nothing back.
    try (LsmTree tree = open(directory, new OffHeap())) {
      place.bring(this, tree);
      for (int call = 1; whole < 5; call++) {
        CrashableStorageDirectory target = new CrashableStorageDirectory();
        target.crashAtCall(call, random);
        try {
          checkpoint(tree, target);
          whole++;
        } catch (SimulatedCrash stopped) {
          // As it was meant to be.
        }
        CrashableStorageDirectory left = target.crash(random, random.nextDouble());
        if (isTree(left)) {
          requireWhole(left, tree.nextSequence());
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void aLogThatIsMissingInItIsMissed(Place place) throws IOException {
    CrashableStorageDirectory target = new CrashableStorageDirectory();
    try (LsmTree tree = open(directory)) {
      place.bring(this, tree);
      checkpoint(tree, target);
    }
    target.list().stream().filter(name -> name.endsWith(".log")).forEach(target::delete);
    assertThrows(CorruptionException.class, () -> open(target));
  }

  @ParameterizedTest
  @EnumSource(names = {"LOG", "TABLES_AND_LOG", "SEVERAL_SEGMENTS"})
  void damageAtTheEndOfItsLogIsNoTornTail(Place place) throws IOException {
    CrashableStorageDirectory target = new CrashableStorageDirectory();
    try (LsmTree tree = open(directory)) {
      place.bring(this, tree);
      checkpoint(tree, target);
    }
    String last =
        target.list().stream()
            .filter(name -> name.endsWith(".log"))
            .max(String::compareTo)
            .orElseThrow();
    byte[] log = target.content(last);
    log[log.length - 1] ^= 1;
    target.setContent(last, log);
    assertThrows(CorruptionException.class, () -> open(target));
  }

  @Test
  void aFailingTargetGetsNothingThatOpensAndTheTreeIsUnharmed() throws IOException {
    try (LsmTree tree = open(directory)) {
      Place.TABLES_AND_LOG.bring(this, tree);
      boolean failed = true;
      for (int call = 1; failed; call++) {
        CrashableStorageDirectory disk = new CrashableStorageDirectory();
        FailingStorageDirectory target = new FailingStorageDirectory(disk);
        target.failCall(call, FULL);
        try {
          checkpoint(tree, target);
          failed = false;
        } catch (IOException full) {
          assertFalse(isTree(disk), "after a failure of call " + call);
        }
        target.heal();
      }
      write(tree, 10);
      tree.flush();
      assertEquals(model, contents(tree));
      CrashableStorageDirectory target = new CrashableStorageDirectory();
      checkpoint(tree, target);
      requireWhole(target, tree.nextSequence());
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"OPEN", "READ", "LENGTH"})
  void aFailingSourceGivesNothingThatOpens(Kind kind) throws IOException {
    try (LsmTree tree = open(directory)) {
      Place.SEVERAL_SEGMENTS.bring(this, tree);
      for (int call = 1; call < 4; call++) {
        CrashableStorageDirectory target = new CrashableStorageDirectory();
        directory.failCall(kind, call, new IOException("Input/output error"));
        assertThrows(IOException.class, () -> checkpoint(tree, target));
        assertFalse(isTree(target));
        directory.heal();
      }
    }
  }

  @Test
  void itStaysWholeWhenTheTreeReplacesItsTables() throws IOException {
    Path data = path.resolve("data");
    Path copy = path.resolve("copy");
    long nextSequence;
    try (LsmTree tree = open(RealStorageDirectory.open(data));
        RealStorageDirectory target = RealStorageDirectory.open(copy)) {
      Place.TABLES_AND_LOG.bring(this, tree);
      nextSequence = tree.nextSequence();
      checkpoint(tree, target);
      List<TableMeta> tables = tree.version().level(0);
      assertEquals(3, tables.size());
      for (TableMeta table : tables) {
        // No byte of it was copied.
        assertTrue(
            Files.isSameFile(data.resolve(table.fileName()), copy.resolve(table.fileName())));
        tree.tables().install(new VersionEdit().delete(0, table.number()));
      }
      tree.flush();
      for (TableMeta table : tables) {
        assertFalse(Files.exists(data.resolve(table.fileName())));
      }
      for (int i = 0; i < 200; i++) {
        tree.write(new WriteBatch().put(bytes("key" + i), bytes("later")));
      }
      tree.flush();
    }
    try (RealStorageDirectory target = RealStorageDirectory.open(copy)) {
      requireWhole(target, nextSequence);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"OPEN", "CREATE"})
  void noFlushTakesItsLogAway(Kind during) throws Exception {
    CrashableStorageDirectory disk = new CrashableStorageDirectory();
    FailingStorageDirectory target = new FailingStorageDirectory(disk);
    try (LsmTree tree = open(directory)) {
      Place.SEVERAL_SEGMENTS.bring(this, tree);
      Thread flush =
          new Thread(
              () -> {
                try {
                  while (tree.maintain()) {
                    continue;
                  }
                } catch (IOException wrong) {
                  throw new UncheckedIOException(wrong);
                }
              });
      // While segments are opened a flush waits, while they are copied it does not.
      Predicate<Call> startFlush =
          call -> {
            if (call.kind() == during && flush.getState() == Thread.State.NEW) {
              flush.start();
              while (flush.isAlive() && flush.getState() != Thread.State.BLOCKED) {
                Thread.onSpinWait();
              }
            }
            return false;
          };
      (during == Kind.OPEN ? directory : target).failMatching(startFlush, 1, FULL);
      checkpoint(tree, target);
      flush.join();
      assertEquals(0, tree.tables().immutableCount());
      requireWhole(disk, tree.nextSequence());
    }
  }

  @Test
  void tablesThatLeaveTheTreeMeanwhileAreInIt() throws IOException {
    CrashableStorageDirectory disk = new CrashableStorageDirectory();
    FailingStorageDirectory target = new FailingStorageDirectory(disk);
    try (LsmTree tree = open(directory)) {
      Place.TABLES_AND_LOG.bring(this, tree);
      target.failMatching(
          call -> {
            if (call.kind() == Kind.CREATE
                && call.file().endsWith(TableMeta.FILE_SUFFIX)
                && tree.version().tableCount() > 0) {
              try {
                for (TableMeta table : tree.version().level(0)) {
                  tree.tables().install(new VersionEdit().delete(0, table.number()));
                }
                tree.maintain();
              } catch (IOException wrong) {
                throw new UncheckedIOException(wrong);
              }
            }
            return false;
          },
          1,
          FULL);
      checkpoint(tree, target);
      assertEquals(0, tree.version().tableCount());
      tree.maintain();
      assertTrue(device.list().stream().noneMatch(name -> name.endsWith(TableMeta.FILE_SUFFIX)));
      requireWhole(disk, tree.nextSequence());
    }
  }

  @Test
  void whatIsWrittenBehindItIsNotInIt() throws IOException {
    CrashableStorageDirectory target = new CrashableStorageDirectory();
    try (LsmTree tree = open(directory)) {
      write(tree, 20);
      checkpoint(tree, target);
      tree.write(new WriteBatch().put(bytes("later"), bytes("yes")));
    }
    try (LsmTree opened = open(target);
        Snapshot now = opened.snapshot()) {
      assertNull(now.get(bytes("later")));
    }
  }

  @Test
  void thereIsNoneWhileTheLogIsReplaced() throws IOException {
    CrashableStorageDirectory target = new CrashableStorageDirectory();
    try (LsmTree tree = open(directory)) {
      write(tree, 20);
      directory.failCall(Kind.SYNC_FILE, 1, new IOException("Input/output error"));
      assertThrows(IOException.class, tree::sync);
      for (int turn = 0; turn < 2; turn++) {
        assertThrows(IOException.class, () -> checkpoint(tree, target));
        assertEquals(List.of(), target.list());
        tree.rotateIfFull();
        tree.maintain();
        tree.rotateIfFull();
      }
      while (tree.maintain()) {
        continue;
      }
      write(tree, 20);
      checkpoint(tree, target);
      requireWhole(target, tree.nextSequence());
    }
  }

  @Test
  void aSyncThatFailsMeanwhileEndsIt() throws IOException {
    try (LsmTree tree = open(directory)) {
      write(tree, 20);
      FailingStorageDirectory target = new FailingStorageDirectory(new CrashableStorageDirectory());
      target.failMatching(
          call -> {
            if (call.kind() == Kind.CREATE) {
              directory.failCall(Kind.SYNC_FILE, 1, new IOException("Input/output error"));
              assertThrows(IOException.class, tree::sync);
            }
            return false;
          },
          1,
          FULL);
      assertThrows(IOException.class, () -> checkpoint(tree, target));
      assertFalse(isTree(target));
    }
  }

  @Test
  void itNeedsAnEmptyDirectoryAndAnOpenTree() throws IOException {
    CrashableStorageDirectory target = new CrashableStorageDirectory();
    LsmTree tree = open(directory);
    checkpoint(tree, target);
    assertThrows(IOException.class, () -> checkpoint(tree, target));
    requireWhole(target, tree.nextSequence());
    tree.close();
    CrashableStorageDirectory another = new CrashableStorageDirectory();
    assertThrows(IOException.class, () -> checkpoint(tree, another));
    assertEquals(List.of(), another.list());
  }

  @Test
  void whoEndsItGetsNothingThatOpens() throws IOException {
    CrashableStorageDirectory target = new CrashableStorageDirectory();
    try (LsmTree tree = open(directory)) {
      Place.TABLES.bring(this, tree);
      assertThrows(IOException.class, () -> tree.checkpoint(target, () -> true));
      assertFalse(isTree(target));
    }
  }
}
