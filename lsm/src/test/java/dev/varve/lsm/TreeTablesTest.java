package dev.varve.lsm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.lsm.table.TableWriter;
import dev.varve.lsm.version.TableMeta;
import dev.varve.lsm.version.VersionEdit;
import dev.varve.wal.CrashableStorageDirectory;
import dev.varve.wal.FailingStorageDirectory;
import dev.varve.wal.FailingStorageDirectory.Kind;
import dev.varve.wal.OffHeap;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How one state follows another, with a rotation or a failure in between. */
class TreeTablesTest {
  private static final int ROTATIONS = 500;
  private static final Set<Kind> FAIL_OPENED = EnumSet.of(Kind.OPEN, Kind.DELETE);

  private final CrashableStorageDirectory device = new CrashableStorageDirectory();
  private final FailingStorageDirectory directory = new FailingStorageDirectory(device);
  private final OffHeap memory = new OffHeap();
  private final LsmTree tree =
      LsmTree.open(
          directory, TreeOptions.builder().offHeap(memory).memtableBytesMax(8 << 10).build());

  TreeTablesTest() throws IOException {}

  @AfterEach
  void allMemoryIsGivenBack() throws IOException {
    directory.heal();
    tree.close();
    assertEquals(0, memory.heldBytes());
  }

  /**
   * Each memtable begins a log segment: what is behind one begins the next, whatever is rotated.
   */
  @Test
  void theLogBeginsAtTheMemtableBehindTheFlushedOneWhileOthersAreRotated() throws Exception {
    TreeTables tables = tree.tables();
    long first = tables.active().firstLogSegment();
    tables.rotate(new MemtableSlot(tables.newMemtable(), first + 1, 0));
    Thread writer =
        new Thread(
            () -> {
              for (int i = 2; i < ROTATIONS; i++) {
                tables.rotate(new MemtableSlot(tables.newMemtable(), first + i, 0));
              }
            });
    writer.start();
    while (writer.isAlive()) {
      MemtableSlot newest = tables.state().immutables().get(0);
      assertEquals(newest.firstLogSegment() + 1, tables.firstLogSegmentAfter(newest));
    }
    writer.join();
  }

  @Test
  void whatCannotBeDeletedOfAPassThatGaveUpIsDeletedLater() throws IOException {
    TableWriter writer = tree.tables().forPasses().newTable(null);
    byte[] key = {1};
    writer.add(key, 0, key.length, 1, false, ByteBuffer.wrap(key), 0, key.length);
    TableMeta table = writer.finish(0);
    directory.failCall(Kind.DELETE, 1, new IOException("Input/output error"));
    assertThrows(IOException.class, () -> tree.tables().discard(table));
    assertEquals(1, tableFiles());
    tree.maintain();
    assertEquals(0, tableFiles());
  }

  private long tableFiles() {
    return device.list().stream().filter(name -> name.endsWith(".sst")).count();
  }

  private void write(String key) throws IOException {
    tree.write(new WriteBatch().put(key.getBytes(), new byte[] {1}));
  }

  /** What is written is to be flushed next. */
  private void writeAndRotate(String key) throws IOException {
    write(key);
    tree.maintain();
    assertTrue(tree.rotate());
  }

  /** The tree has so many tables, and the disk no others. */
  private void requireTables(int tables) {
    assertEquals(tables, tree.version().tableCount());
    assertEquals(tables, tableFiles());
  }

  @ParameterizedTest
  @EnumSource(names = {"WRITE", "SYNC_FILE"})
  void tablesOfAnEditInDoubtAreDeletedOnceALaterOneIsInForce(Kind failing) throws IOException {
    write("first");
    tree.flush();
    writeAndRotate("second");
    directory.failMatching(
        call -> call.kind() == failing && call.file().startsWith("MANIFEST"),
        1,
        new IOException("Input/output error"));
    assertThrows(IOException.class, tree::maintain);
    assertEquals(1, tree.version().tableCount());
    assertEquals(2, tableFiles());

    tree.maintain();
    requireTables(2);
  }

  @Test
  void tablesThatCannotBeOpenedAreDeletedAtOnce() throws IOException {
    writeAndRotate("first");
    directory.failAll(
        call -> call.kind() == Kind.OPEN && call.file().endsWith(TableMeta.FILE_SUFFIX),
        new IOException("Too many open files"));
    for (int i = 0; i < 3; i++) {
      assertThrows(IOException.class, tree::maintain);
      assertEquals(0, tableFiles());
    }
    directory.heal();
    tree.maintain();
    requireTables(1);
  }

  @Test
  void tablesThatCouldNotBeDeletedAtOnceAreDeletedLater() throws IOException {
    writeAndRotate("first");
    directory.failAll(
        call -> call.file().endsWith(TableMeta.FILE_SUFFIX) && FAIL_OPENED.contains(call.kind()),
        new IOException("Input/output error"));
    assertThrows(IOException.class, tree::maintain);
    assertEquals(1, tableFiles());

    directory.heal();
    tree.maintain();
    requireTables(1);
  }

  @Test
  void tablesOfAnEditForWhichNoManifestCanBeBegunAreDeletedAtOnce() throws IOException {
    writeAndRotate("first");
    directory.failMatching(
        call -> call.kind() == Kind.WRITE && call.file().startsWith("MANIFEST"),
        1,
        new IOException("No space left on device"));
    assertThrows(IOException.class, tree::maintain);
    assertEquals(1, tableFiles(), "the edit may be in force");
    directory.failAll(
        call -> call.kind() == Kind.CREATE && call.file().startsWith("MANIFEST"),
        new IOException("No space left on device"));
    for (int i = 0; i < 3; i++) {
      assertThrows(IOException.class, tree::maintain);
      assertEquals(1, tableFiles(), "a later edit was written nowhere");
    }
    directory.heal();
    tree.maintain();
    requireTables(1);
  }

  /** As where there is no memory for the snapshot itself. */
  @Test
  @SuppressWarnings("NullAway") // The context that is none is what fails.
  void aSnapshotThatCannotBeMadeHoldsNothing() throws IOException {
    write("first");
    assertThrows(NullPointerException.class, () -> tree.snapshot(null));
    assertThrows(NullPointerException.class, () -> tree.writerSnapshot(null));
    // The tree gives back all memory when it is closed, but for what somebody holds.
  }

  @Test
  void anEditThatIsNoneLeavesNoTable() throws IOException {
    TableWriter writer = tree.tables().forPasses().newTable(null);
    writer.add(new byte[] {1}, 0, 1, 1, false, ByteBuffer.allocate(0), 0, 0);
    VersionEdit edit = new VersionEdit().add(1, writer.finish(0)).delete(1, 4711);
    assertThrows(IllegalArgumentException.class, () -> tree.tables().install(edit));
    assertEquals(0, tableFiles());
  }

  @Test
  void aFileThatCannotBeDeletedStopsNeitherFlushesNorOtherDeletions() throws IOException {
    write("first");
    tree.flush();
    write("second");
    tree.flush();
    List<TableMeta> tables = tree.version().level(0);
    VersionEdit edit = new VersionEdit();
    tables.forEach(table -> edit.delete(0, table.number()));
    tree.tables().install(edit);
    String undeletable = tables.get(1).fileName();
    directory.failAll(
        call -> call.kind() == Kind.DELETE && call.file().equals(undeletable),
        new IOException("Operation not permitted"));
    write("third");
    tree.rotate();
    for (int i = 0; i < 3; i++) {
      assertThrows(IOException.class, tree::maintain);
      assertEquals(1, tree.version().tableCount());
      assertEquals(2, tableFiles());
    }
    write("fourth");
    assertTrue(tree.rotate(), "there is a log segment");

    directory.heal();
    tree.maintain();
    requireTables(2);
  }
}
