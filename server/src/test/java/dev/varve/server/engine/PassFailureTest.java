package dev.varve.server.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.store.StoreBatch;
import dev.varve.compaction.WorkTime;
import dev.varve.lsm.TreeOptions;
import dev.varve.lsm.version.TableMeta;
import dev.varve.wal.CrashableStorageDirectory;
import dev.varve.wal.FailingStorageDirectory;
import dev.varve.wal.OffHeap;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a merge that failed long ago has to do with clients that wait for a flush: nothing. */
class PassFailureTest {
  private static final IOException FULL = new IOException("No space left on device");
  private static final byte[] VALUE = new byte[512];

  /** Each table has all of them, so that no table can sink without being merged. */
  private static final int KEYS = 60;

  /** More than that in a second is no rest. */
  private static final int WRITES_PER_STEP = 100;

  private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(600);

  private final FailingStorageDirectory directory =
      new FailingStorageDirectory(new CrashableStorageDirectory());
  private long nanos = 1;
  private TreeEngine engine;
  private int written;

  @BeforeEach
  void open() throws IOException {
    engine =
        TreeEngine.open(
            directory,
            TreeOptions.builder()
                .memtableBytesMax(64 << 10)
                .immutableMemtablesMax(2)
                .levelZeroRuns(1_000, 2_000),
            new OffHeap(),
            1,
            System::currentTimeMillis,
            WorkTime.alone(() -> nanos, pause -> nanos += pause));
  }

  @AfterEach
  void close() throws IOException {
    directory.heal();
    engine.close();
  }

  /** As the keyspace loop does it. */
  private void write(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      StoreBatch batch = new StoreBatch();
      batch.put(("m0000" + written % KEYS).getBytes(StandardCharsets.ISO_8859_1), VALUE);
      engine.store().write(batch);
      engine.publish(engine.commit(true));
      engine.upkeep();
      written++;
    }
  }

  private void work(String name) throws IOException {
    for (BackgroundWork work : engine.backgroundWork()) {
      while (work.name().equals(name) && work.runOnce()) {
        continue;
      }
    }
  }

  private String failedPasses() {
    return engine.statistics().getOrDefault("compaction_failures_total", "");
  }

  @Test
  void aPassThatFailedAndIsWantedNoMoreRefusesNoWrites() throws IOException {
    for (int i = 0; i < 4; i++) {
      write(WRITES_PER_STEP);
      work("flush");
    }
    directory.failAll(call -> call.file().endsWith(TableMeta.FILE_SUFFIX), FULL);
    // While nobody writes, level 0 is merged before it has to be.
    for (int i = 0; failedPasses().equals("0"); i++) {
      assertTrue(i < 100, "nothing is merged");
      nanos += STEP_NANOS;
      work("compaction");
    }

    directory.heal();
    String failed = failedPasses();
    for (int i = 0; engine.writeDelayMillis() != Engine.WRITES_STOPPED || i < 4; i++) {
      assertTrue(i < 100, "writes are never stopped");
      write(WRITES_PER_STEP);
      nanos += STEP_NANOS;
      work("compaction");
    }
    assertNotEquals("0", failed);
    assertEquals(failed, failedPasses(), "another pass was tried");
    assertNull(engine.writeRefusal(), "the flush is late, and nothing else is wrong");
  }
}
