package dev.varve.lsm;

import static dev.varve.lsm.CheckpointRig.FULL;
import static dev.varve.lsm.CheckpointRig.bytes;
import static dev.varve.lsm.CheckpointRig.checkpoint;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.lsm.CheckpointRig.Place;
import dev.varve.lsm.version.TableMeta;
import dev.varve.lsm.version.VersionEdit;
import dev.varve.wal.CrashableStorageDirectory;
import dev.varve.wal.FailingStorageDirectory;
import dev.varve.wal.FailingStorageDirectory.Call;
import dev.varve.wal.FailingStorageDirectory.Kind;
import dev.varve.wal.RealStorageDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A second directory that opens as the tree was at one moment. */
class CheckpointTest {
  @TempDir Path path;

  private final CheckpointRig rig = new CheckpointRig();

  @AfterEach
  void allMemoryIsGivenBack() {
    assertEquals(0, rig.memory.heldBytes());
  }

  @ParameterizedTest
  @EnumSource
  void itHasAllThatWasCommittedWhereverThatWas(Place place) throws IOException {
    CrashableStorageDirectory target = new CrashableStorageDirectory();
    try (LsmTree tree = rig.open()) {
      place.bring(rig, tree);
      checkpoint(tree, target);
      rig.requireWhole(target, tree.nextSequence());
    }
  }

  @Test
  void itStaysWholeWhenTheTreeReplacesItsTables() throws IOException {
    Path data = path.resolve("data");
    Path copy = path.resolve("copy");
    long nextSequence;
    try (LsmTree tree = rig.open(RealStorageDirectory.open(data));
        RealStorageDirectory target = RealStorageDirectory.open(copy)) {
      Place.TABLES_AND_LOG.bring(rig, tree);
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
      rig.requireWhole(target, nextSequence);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"OPEN", "CREATE"})
  void noFlushTakesItsLogAway(Kind during) throws Exception {
    CrashableStorageDirectory disk = new CrashableStorageDirectory();
    FailingStorageDirectory target = new FailingStorageDirectory(disk);
    try (LsmTree tree = rig.open()) {
      Place.SEVERAL_SEGMENTS.bring(rig, tree);
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
      (during == Kind.OPEN ? rig.directory : target).failMatching(startFlush, 1, FULL);
      checkpoint(tree, target);
      flush.join();
      assertEquals(0, tree.tables().immutableCount());
      rig.requireWhole(disk, tree.nextSequence());
    }
  }

  @Test
  void tablesThatLeaveTheTreeMeanwhileAreInIt() throws IOException {
    CrashableStorageDirectory disk = new CrashableStorageDirectory();
    FailingStorageDirectory target = new FailingStorageDirectory(disk);
    try (LsmTree tree = rig.open()) {
      Place.TABLES_AND_LOG.bring(rig, tree);
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
      assertTrue(
          rig.device.list().stream().noneMatch(name -> name.endsWith(TableMeta.FILE_SUFFIX)));
      rig.requireWhole(disk, tree.nextSequence());
    }
  }

  @Test
  void whatIsWrittenBehindItIsNotInIt() throws IOException {
    CrashableStorageDirectory target = new CrashableStorageDirectory();
    try (LsmTree tree = rig.open()) {
      rig.write(tree, 20);
      checkpoint(tree, target);
      tree.write(new WriteBatch().put(bytes("later"), bytes("yes")));
    }
    try (LsmTree opened = rig.open(target);
        Snapshot now = opened.snapshot()) {
      assertNull(now.get(bytes("later")));
    }
  }

  @Test
  void itNeedsAnEmptyDirectoryAndAnOpenTree() throws IOException {
    CrashableStorageDirectory target = new CrashableStorageDirectory();
    LsmTree tree = rig.open();
    checkpoint(tree, target);
    assertThrows(IOException.class, () -> checkpoint(tree, target));
    rig.requireWhole(target, tree.nextSequence());
    tree.close();
    CrashableStorageDirectory another = new CrashableStorageDirectory();
    assertThrows(IOException.class, () -> checkpoint(tree, another));
    assertEquals(List.of(), another.list());
  }
}
