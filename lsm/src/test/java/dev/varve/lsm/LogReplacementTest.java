package dev.varve.lsm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.wal.CrashableStorageDirectory;
import dev.varve.wal.FailingStorageDirectory;
import dev.varve.wal.FailingStorageDirectory.Kind;
import dev.varve.wal.OffHeap;
import dev.varve.wal.ScarceMemory;
import dev.varve.wal.StorageDirectory;
import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A sync of the log that failed: the tree goes on with a fresh log, and nothing is lost. */
class LogReplacementTest {
  private static final IOException BROKEN = new IOException("Input/output error");
  private static final byte[] VALUE = new byte[100];

  private final CrashableStorageDirectory device = new CrashableStorageDirectory();
  private final FailingStorageDirectory directory = new FailingStorageDirectory(device);
  private final ScarceMemory memory = new ScarceMemory(OffHeap.Part.MEMTABLE);
  private LsmTree tree = open(directory);
  private int written;

  LogReplacementTest() throws IOException {}

  private LsmTree open(StorageDirectory where) throws IOException {
    return LsmTree.open(
        where, TreeOptions.builder().offHeap(memory).memtableBytesMax(64 << 10).build());
  }

  private static byte[] key(int number) {
    return ("key" + number).getBytes();
  }

  private void write() throws IOException {
    tree.apply(new WriteBatch().put(key(written), VALUE));
    written++;
    tree.publish(tree.commit());
  }

  private void poison() {
    directory.failCall(Kind.SYNC_FILE, 1, BROKEN);
    assertThrows(IOException.class, tree::sync);
  }

  /** What the writer and the worker do in turn. */
  private void recover() throws IOException {
    for (int turn = 0; turn < 4; turn++) {
      tree.rotateIfFull();
      while (tree.maintain()) {
        continue;
      }
    }
    tree.publish(tree.commit());
  }

  private void assertAllIsThere() {
    try (Snapshot now = tree.snapshot()) {
      for (int i = 0; i < written; i++) {
        assertArrayEquals(VALUE, now.get(key(i)), "key " + i);
      }
    }
  }

  private void losePowerAndReopen() throws IOException {
    tree = open(device.crash(new Random(1), 0));
    assertAllIsThere();
  }

  @Test
  void theFreshLogIsTakenOnceThereIsMemoryForItsMemtable() throws IOException {
    write();
    poison();
    tree.rotateIfFull();
    tree.maintain();
    memory.runOutAfter(0);
    for (int attempt = 0; attempt < 3; attempt++) {
      assertThrows(OutOfMemoryError.class, tree::rotateIfFull);
      tree.maintain();
    }
    memory.relax();
    recover();
    write();
    tree.sync();
    losePowerAndReopen();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2_000})
  void writingResumesAndPowerLossTakesNothingOfWhatWasBefore(int batches) throws IOException {
    write();
    tree.flush();
    for (int i = 0; i < batches; i++) {
      write();
      tree.maintain();
    }
    tree.apply(new WriteBatch().put(key(written), VALUE));
    tree.commit();
    written++;
    poison();
    assertThrows(IOException.class, () -> tree.apply(new WriteBatch().put(key(-1), VALUE)));
    assertThrows(IOException.class, tree::commit);
    assertThrows(IOException.class, tree::sync);
    assertAllIsThereBut(1);

    recover();
    assertAllIsThere();
    write();
    tree.sync();
    // The one in use and the one that is prepared.
    assertEquals(2, device.list().stream().filter(name -> name.endsWith(".log")).count());
    losePowerAndReopen();
  }

  private void assertAllIsThereBut(int unpublished) {
    written -= unpublished;
    assertAllIsThere();
    written += unpublished;
  }

  @Test
  void nothingIsLoggedBeforeAllThatWasThereIsInTables() throws IOException {
    write();
    poison();
    directory.failAll(call -> call.file().endsWith(".sst"), BROKEN);
    for (int turn = 0; turn < 5; turn++) {
      tree.rotateIfFull();
      try {
        tree.maintain();
      } catch (IOException failed) {
        assertEquals(BROKEN.getMessage(), failed.getMessage());
      }
      assertThrows(IOException.class, tree::commit);
      assertThrows(IOException.class, tree::sync);
      assertThrows(IOException.class, () -> tree.apply(new WriteBatch().put(key(-1), VALUE)));
    }
    directory.heal();
    recover();
    write();
    tree.sync();
    losePowerAndReopen();
  }

  @Test
  void aKillInTheMiddleLosesNothing() throws IOException {
    write();
    poison();
    tree.rotateIfFull();
    tree.maintain();
    tree.rotateIfFull();
    tree = open(device.kill());
    assertAllIsThere();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void powerLossAfterAnEndInTheMiddleCutsTheLogAsOneWithoutAnEnd(int steps) throws IOException {
    write();
    tree.sync();
    tree.apply(new WriteBatch().put(key(written), VALUE));
    tree.commit();
    poison();
    for (int step = 1; step <= steps; step++) {
      if (step == 2) {
        tree.maintain();
      } else {
        tree.rotateIfFull();
      }
    }
    // It is in no table yet.
    assertThrows(IOException.class, tree::close);
    losePowerAndReopen();
  }

  @Test
  void aRotationThatWaitedForASegmentIsDoneWithTheReplacement() throws IOException {
    write();
    assertFalse(tree.rotate());
    assertTrue(tree.wantsRotation());
    poison();
    recover();
    assertFalse(tree.wantsRotation());
  }

  @Test
  void closingInTheMiddleGivesEverythingBack() throws IOException {
    write();
    poison();
    tree.rotateIfFull();
    assertFalse(tree.maintain());
    assertThrows(IOException.class, tree::close);
    assertEquals(0, memory.heldBytes());
  }
}
