package dev.varve.lsm;

import static dev.varve.lsm.CheckpointRig.FULL;
import static dev.varve.lsm.CheckpointRig.checkpoint;
import static dev.varve.lsm.CheckpointRig.contents;
import static dev.varve.lsm.CheckpointRig.isTree;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.lsm.CheckpointRig.Place;
import dev.varve.wal.CorruptionException;
import dev.varve.wal.CrashableStorageDirectory;
import dev.varve.wal.FailingStorageDirectory;
import dev.varve.wal.FailingStorageDirectory.Kind;
import dev.varve.wal.OffHeap;
import dev.varve.wal.SimulatedCrash;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A checkpoint that fails, is ended or is damaged, and what is left then. */
class CheckpointFailureTest {
  private final CheckpointRig rig = new CheckpointRig();

  @AfterEach
  void allMemoryIsGivenBack() {
    assertEquals(0, rig.memory.heldBytes());
  }

  @ParameterizedTest
  @EnumSource
  void powerLossRightBehindItTakesNothingOfIt(Place place) throws IOException {
    CrashableStorageDirectory target = new CrashableStorageDirectory();
    try (LsmTree tree = rig.open()) {
      place.bring(rig, tree);
      checkpoint(tree, target);
      rig.requireWhole(target.crash(new Random(1), 0), tree.nextSequence());
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"TABLES_AND_LOG", "SEGMENTS_BEFORE_AN_EMPTY_ONE"})
  void powerLossInTheMiddleOfItLeavesAWholeOneOrNone(Place place) throws IOException {
    Random random = new Random(1);
    int whole = 0;
    // Memory of its own, for a process that has stopped gives nothing back.
    try (LsmTree tree = CheckpointRig.open(rig.directory, new OffHeap())) {
      place.bring(rig, tree);
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
          rig.requireWhole(left, tree.nextSequence());
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void aLogThatIsMissingInItIsMissed(Place place) throws IOException {
    CrashableStorageDirectory target = new CrashableStorageDirectory();
    try (LsmTree tree = rig.open()) {
      place.bring(rig, tree);
      checkpoint(tree, target);
    }
    target.list().stream().filter(name -> name.endsWith(".log")).forEach(target::delete);
    assertThrows(CorruptionException.class, () -> rig.open(target));
  }

  @ParameterizedTest
  @EnumSource(names = {"LOG", "TABLES_AND_LOG", "SEVERAL_SEGMENTS"})
  void damageAtTheEndOfItsLogIsNoTornTail(Place place) throws IOException {
    CrashableStorageDirectory target = new CrashableStorageDirectory();
    try (LsmTree tree = rig.open()) {
      place.bring(rig, tree);
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
    assertThrows(CorruptionException.class, () -> rig.open(target));
  }

  @ParameterizedTest
  @EnumSource
  void aStartOnItThatIsKilledAnywhereIsDoneAgain(Place place) throws IOException {
    // Memory of its own, for a process that has stopped gives nothing back.
    try (LsmTree tree = CheckpointRig.open(rig.directory, new OffHeap())) {
      place.bring(rig, tree);
      boolean isWhole = false;
      for (int call = 1; !isWhole; call++) {
        CrashableStorageDirectory target = new CrashableStorageDirectory();
        checkpoint(tree, target);
        target.crashAtCall(call, new Random(call));
        try {
          CheckpointRig.open(target, new OffHeap());
          isWhole = true;
        } catch (SimulatedCrash stopped) {
          // As it was meant to be.
        }
        CrashableStorageDirectory left = target.crash(new Random(call), 1);
        try (LsmTree again = CheckpointRig.open(left, new OffHeap())) {
          assertEquals(rig.model, contents(again), "after a kill in call " + call);
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void aStartOnItThatFailsAnywhereIsDoneAgain(Place place) throws IOException {
    try (LsmTree tree = rig.open()) {
      place.bring(rig, tree);
      boolean isWhole = false;
      for (int call = 1; !isWhole; call++) {
        FailingStorageDirectory target =
            new FailingStorageDirectory(new CrashableStorageDirectory());
        checkpoint(tree, target);
        target.failCall(call, FULL);
        try {
          rig.open(target).close();
          isWhole = true;
        } catch (IOException full) {
          // As it was meant to be.
        }
        target.heal();
        rig.requireWhole(target, tree.nextSequence());
      }
    }
  }

  @Test
  void aFailingTargetGetsNothingThatOpensAndTheTreeIsUnharmed() throws IOException {
    try (LsmTree tree = rig.open()) {
      Place.TABLES_AND_LOG.bring(rig, tree);
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
      rig.write(tree, 10);
      tree.flush();
      assertEquals(rig.model, contents(tree));
      CrashableStorageDirectory target = new CrashableStorageDirectory();
      checkpoint(tree, target);
      rig.requireWhole(target, tree.nextSequence());
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"OPEN", "READ", "LENGTH"})
  void aFailingSourceGivesNothingThatOpens(Kind kind) throws IOException {
    try (LsmTree tree = rig.open()) {
      Place.SEVERAL_SEGMENTS.bring(rig, tree);
      for (int call = 1; call < 4; call++) {
        CrashableStorageDirectory target = new CrashableStorageDirectory();
        rig.directory.failCall(kind, call, new IOException("Input/output error"));
        assertThrows(IOException.class, () -> checkpoint(tree, target));
        assertFalse(isTree(target));
        rig.directory.heal();
      }
    }
  }

  @Test
  void thereIsNoneWhileTheLogIsReplaced() throws IOException {
    CrashableStorageDirectory target = new CrashableStorageDirectory();
    try (LsmTree tree = rig.open()) {
      rig.write(tree, 20);
      rig.directory.failCall(Kind.SYNC_FILE, 1, new IOException("Input/output error"));
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
      rig.write(tree, 20);
      checkpoint(tree, target);
      rig.requireWhole(target, tree.nextSequence());
    }
  }

  @Test
  void aSyncThatFailsMeanwhileEndsIt() throws IOException {
    LsmTree tree = rig.open();
    rig.write(tree, 20);
    FailingStorageDirectory target = new FailingStorageDirectory(new CrashableStorageDirectory());
    target.failMatching(
        call -> {
          if (call.kind() == Kind.CREATE) {
            rig.directory.failCall(Kind.SYNC_FILE, 1, new IOException("Input/output error"));
            assertThrows(IOException.class, tree::sync);
          }
          return false;
        },
        1,
        FULL);
    assertThrows(IOException.class, () -> checkpoint(tree, target));
    assertFalse(isTree(target));
    assertThrows(IOException.class, tree::close);
  }

  @Test
  void whoEndsItGetsNothingThatOpens() throws IOException {
    CrashableStorageDirectory target = new CrashableStorageDirectory();
    try (LsmTree tree = rig.open()) {
      Place.TABLES.bring(rig, tree);
      assertThrows(IOException.class, () -> tree.checkpoint(target, () -> true));
      assertFalse(isTree(target));
    }
  }
}
