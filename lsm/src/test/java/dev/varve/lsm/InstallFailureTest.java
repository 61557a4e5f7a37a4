package dev.varve.lsm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.varve.lsm.version.TableMeta;
import dev.varve.wal.CrashableStorageDirectory;
import dev.varve.wal.OffHeap;
import dev.varve.wal.StorageDirectory;
import dev.varve.wal.StorageFile;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What fails, or happens, while an edit gets into the manifest: memory and manifest say the same.
 */
class InstallFailureTest {
  private static final int COUNTER = 3;
  private static final int WARMING_FLUSHES = 5;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  /** What a test does at calls of the manifest's file. */
  private interface Step {
    void run() throws IOException;
  }

  private final OffHeap memory = new OffHeap();
  private CrashableStorageDirectory device = new CrashableStorageDirectory();

  /** Taken one by one: before each call of that name. */
  private final ArrayDeque<Step> beforeSync = new ArrayDeque<>();

  private final ArrayDeque<Step> beforeWrite = new ArrayDeque<>();
  private final ArrayDeque<Step> beforeClose = new ArrayDeque<>();

  /** The same for files of tables. */
  private final ArrayDeque<Step> beforeTableClose = new ArrayDeque<>();

  private long allocatedByLastWrite;
  private long allocatedByWork;
  private int written;

  @AfterEach
  void allMemoryIsGivenBack() {
    assertEquals(0, memory.heldBytes());
  }

  private LsmTree open() throws IOException {
    return open(memory);
  }

  private LsmTree open(OffHeap its) throws IOException {
    return LsmTree.open(
        watched(StorageDirectory.class, device),
        TreeOptions.builder()
            .offHeap(its)
            .salts(new Random(1))
            .onWork(() -> allocatedByWork = THREADS.getCurrentThreadAllocatedBytes())
            .build());
  }

  private <T> T watched(Class<T> type, T inner) {
    InvocationHandler handler =
        (proxy, method, args) -> {
          boolean isManifest =
              inner instanceof StorageFile file && file.name().startsWith("MANIFEST");
          if (isManifest) {
            before(method.getName());
          } else if (inner instanceof StorageFile file
              && file.name().endsWith(TableMeta.FILE_SUFFIX)
              && method.getName().equals("close")) {
            run(beforeTableClose.poll());
          }
          Object result;
          try {
            result = method.invoke(inner, args);
          } catch (InvocationTargetException failed) {
            throw failed.getCause();
          }
          if (result instanceof StorageFile file) {
            return watched(StorageFile.class, file);
          }
          if (isManifest && method.getName().equals("writeFully")) {
            allocatedByLastWrite = THREADS.getCurrentThreadAllocatedBytes();
          }
          return result;
        };
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private void before(String call) throws IOException {
    ArrayDeque<Step> steps =
        switch (call) {
          case "sync" -> beforeSync;
          case "writeFully" -> beforeWrite;
          case "close" -> beforeClose;
          default -> new ArrayDeque<>();
        };
    run(steps.poll());
  }

  private static void run(@Nullable Step step) throws IOException {
    if (step != null) {
      step.run();
    }
  }

  private void write(LsmTree tree) throws IOException {
    tree.write(new WriteBatch().put(key(written++), new byte[] {1}).addToCounter(COUNTER, 1));
  }

  /** Writes one more, and leaves it in a memtable that is to be flushed. */
  private void writeAndRotate(LsmTree tree) throws IOException {
    write(tree);
    tree.maintain();
    assertTrue(tree.rotate());
  }

  private static byte[] key(int number) {
    return String.format("key%03d", number).getBytes();
  }

  private void requireAll(LsmTree tree) {
    assertEquals(written, tree.counter(COUNTER));
    try (Snapshot now = tree.snapshot()) {
      for (int i = 0; i < written; i++) {
        assertNotNull(now.get(key(i)), "key " + i);
      }
    }
  }

  private void requireAllAfterRestart() throws IOException {
    try (LsmTree tree = open()) {
      requireAll(tree);
    }
  }

  /** What follows the edit cannot fail, for it needs no memory. */
  @Test
  void nothingIsAllocatedBetweenAnEditAndTheStateItLeadsTo() throws IOException {
    try (LsmTree tree = open()) {
      for (int flush = 0; flush < WARMING_FLUSHES; flush++) {
        writeAndRotate(tree);
        tree.maintain();
      }
      writeAndRotate(tree);
      // The last call of the disk for an edit writes its mark; the work is offered once it is in.
      tree.maintain();
      assertEquals(allocatedByLastWrite, allocatedByWork);
      requireAll(tree);
    }
  }

  @Test
  void tablesThatTheManifestNamesStayAlthoughMemoryRunsOutBehindTheirEdit() throws IOException {
    try (LsmTree tree = open()) {
      writeAndRotate(tree);
      runOutBehindTheEdit();
      assertThrows(OutOfMemoryError.class, tree::maintain);
      writeAndRotate(tree);
      while (tree.maintain()) {
        continue;
      }
      assertEquals(2, tree.version().tableCount());
      requireAll(tree);
    }
    requireAllAfterRestart();
  }

  @Test
  void powerLossWhereMemoryRanOutBehindAnEditFindsAllOfIt() throws IOException {
    LsmTree tree = open(new OffHeap());
    writeAndRotate(tree);
    runOutBehindTheEdit();
    assertThrows(OutOfMemoryError.class, tree::maintain);
    device = device.crash(new Random(1), 1);
    try (LsmTree next = open()) {
      requireAll(next);
    }
  }

  /** For its mark, and for closing the file then. */
  private void runOutBehindTheEdit() {
    beforeWrite.add(() -> {});
    beforeWrite.add(InstallFailureTest::runOut);
    beforeClose.add(InstallFailureTest::runOut);
  }

  private static void runOut() {
    throw new OutOfMemoryError("none left");
  }

  @Test
  void aRotationWhileAnEditIsMadeDurableIsKept() throws IOException {
    try (LsmTree tree = open()) {
      writeAndRotate(tree);
      beforeSync.add(
          () -> {
            write(tree);
            assertTrue(tree.rotate());
            write(tree);
          });
      tree.maintain();
      assertEquals(1, tree.version().tableCount());
      assertEquals(1, tree.tables().immutableCount());
      requireAll(tree);
      tree.maintain();
      assertEquals(2, tree.version().tableCount());
      requireAll(tree);
    }
    requireAllAfterRestart();
  }

  @Test
  void aRotationWhileAnEditFailsIsKept() throws IOException {
    try (LsmTree tree = open()) {
      writeAndRotate(tree);
      beforeSync.add(
          () -> {
            write(tree);
            assertTrue(tree.rotate());
            throw new IOException("Input/output error");
          });
      requireFlushFailsAndBothAreKept(tree);
    }
    requireAllAfterRestart();
  }

  /** Its tables are known no more then, and a state that reads them would be one that cannot be. */
  @Test
  void aRotationWhileAFailedEditIsGivenUpIsKept() throws IOException {
    try (LsmTree tree = open()) {
      writeAndRotate(tree);
      write(tree);
      beforeSync.add(
          () -> {
            beforeTableClose.add(() -> assertTrue(tree.rotate()));
            throw new IOException("Input/output error");
          });
      requireFlushFailsAndBothAreKept(tree);
    }
    requireAllAfterRestart();
  }

  /** The memtable whose flush fails, and the one that is rotated meanwhile. */
  private void requireFlushFailsAndBothAreKept(LsmTree tree) throws IOException {
    assertThrows(IOException.class, tree::maintain);
    assertEquals(0, tree.version().tableCount());
    assertEquals(2, tree.tables().immutableCount());
    requireAll(tree);
    while (tree.maintain()) {
      continue;
    }
    assertEquals(2, tree.version().tableCount());
    requireAll(tree);
  }
}
