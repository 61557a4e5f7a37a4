package dev.varve.server.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.store.StoreBatch;
import dev.varve.codec.store.StoreView;
import dev.varve.lsm.TreeOptions;
import dev.varve.lsm.version.TableMeta;
import dev.varve.wal.CrashableStorageDirectory;
import dev.varve.wal.FailingStorageDirectory;
import dev.varve.wal.OffHeap;
import dev.varve.wal.ScarceMemory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a client is told while nothing can be written, and that it goes on when something can. */
class FullDiskTest {
  private static final IOException FULL = new IOException("No space left on device");
  private static final Predicate<FailingStorageDirectory.Call> TABLES =
      call -> call.file().endsWith(TableMeta.FILE_SUFFIX);
  private static final byte[] VALUE = new byte[512];
  private static final long WRITES = 7;

  private final FailingStorageDirectory directory =
      new FailingStorageDirectory(new CrashableStorageDirectory());
  private final ScarceMemory memory = new ScarceMemory(OffHeap.Part.COMPACTION_BUFFER);
  private TreeEngine engine;
  private int written;

  @BeforeEach
  void open() throws IOException {
    engine =
        TreeEngine.open(
            directory,
            TreeOptions.builder().memtableBytesMax(64 << 10).immutableMemtablesMax(2),
            memory,
            1);
  }

  @AfterEach
  void close() throws IOException {
    directory.heal();
    memory.relax();
    engine.close();
  }

  private static byte[] key(int number) {
    return ("m0000" + number).getBytes(StandardCharsets.ISO_8859_1);
  }

  /** As the keyspace loop does it. */
  private void write() throws IOException {
    StoreBatch batch = new StoreBatch();
    batch.put(key(written), VALUE);
    batch.count(WRITES, 1);
    engine.store().write(batch);
    engine.publish(engine.commit(true));
    written++;
  }

  private void flushAll() {
    for (BackgroundWork work : engine.backgroundWork()) {
      try {
        while (work.runOnce()) {
          continue;
        }
      } catch (IOException failure) {
        assertEquals(FULL.getMessage(), failure.getMessage());
      } catch (OutOfMemoryError failure) {
        assertEquals(ScarceMemory.NONE_LEFT, failure.getMessage());
      }
    }
  }

  private void writeUntilStopped() throws IOException {
    while (engine.writeDelayMillis() != Engine.WRITES_STOPPED) {
      assertTrue(written < 100_000, "writes are never stopped");
      write();
      engine.upkeep();
      flushAll();
    }
  }

  @Test
  void writesThatNoFlushMakesRoomForAreRefusedAndResumeByThemselves() throws IOException {
    directory.failAll(TABLES, FULL);
    writeUntilStopped();
    String refusal = engine.writeRefusal();
    assertNotNull(refusal);
    assertTrue(refusal.startsWith("MISCONF "), refusal);
    assertTrue(refusal.contains(FULL.getMessage()), refusal);

    directory.heal();
    flushAll();
    assertNull(engine.writeRefusal());
    write();
    assertEverythingIsThere();
  }

  @Test
  void writesThatNoFlushHasTheMemoryForAreRefusedAndResumeByThemselves() throws IOException {
    memory.runOutAfter(0);
    writeUntilStopped();
    String refusal = engine.writeRefusal();
    assertNotNull(refusal);
    assertTrue(refusal.startsWith("MISCONF "), refusal);
    assertTrue(refusal.contains(ScarceMemory.NONE_LEFT), refusal);

    memory.relax();
    flushAll();
    assertNull(engine.writeRefusal());
    write();
    assertEverythingIsThere();
  }

  @Test
  void aFlushThatFailsWhileThereIsRoomRefusesNothing() throws IOException {
    directory.failAll(TABLES, FULL);
    while (engine.tree().stats().immutableMemtables() == 0) {
      write();
      engine.upkeep();
      flushAll();
    }
    assertNull(engine.writeRefusal());
    write();
    assertEverythingIsThere();
  }

  @Test
  void aLogThatTakesNothingRefusesUntilItTakesEverything() throws IOException {
    write();
    directory.failAll(call -> call.file().endsWith(".log"), FULL);
    assertThrows(IOException.class, this::write);
    written++;
    assertNotNull(engine.writeRefusal());
    engine.upkeep();
    assertNotNull(engine.writeRefusal());
    assertEquals(1, engine.store().counter(WRITES), "counts what no reader sees");
    directory.heal();
    engine.upkeep();
    assertNull(engine.writeRefusal());
    assertEquals(2, engine.store().counter(WRITES), "the writer does not see what it wrote");
    engine.publish(engine.commit(true));
    assertEquals(2, engine.store().counter(WRITES));
    assertEverythingIsThere();
  }

  private void assertEverythingIsThere() {
    try (StoreView view = engine.blockingView()) {
      for (int i = 0; i < written; i++) {
        assertArrayEquals(VALUE, view.get(key(i)), () -> "a written key is lost");
      }
    }
  }
}
