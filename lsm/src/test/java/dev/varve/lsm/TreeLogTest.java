package dev.varve.lsm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.wal.CrashableStorageDirectory;
import dev.varve.wal.FailingStorageDirectory;
import dev.varve.wal.FailingStorageDirectory.Kind;
import dev.varve.wal.Log;
import dev.varve.wal.OffHeap;
import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A log that is replaced, with the writer's step between the looks of the worker. */
class TreeLogTest {
  private final FailingStorageDirectory directory =
      new FailingStorageDirectory(new CrashableStorageDirectory());
  private final OffHeap memory = new OffHeap();
  private final TreeLog log = new TreeLog(Log.create(directory, memory, new Random(1), 1, 0, 0));

  TreeLogTest() throws IOException {}

  private void append() throws IOException {
    log.append(new byte[] {1}, 0, 1);
    log.write();
  }

  private void poison() throws IOException {
    append();
    directory.failCall(Kind.SYNC_FILE, 1, new IOException("Input/output error"));
    assertThrows(IOException.class, () -> log.sync(log.current().writtenPosition()));
  }

  /** A rotation meanwhile must not pass for the flush of what it rotates. */
  @Test
  void whatIsRotatedWhileTheWorkerLooksIsWaitedFor() throws IOException {
    poison();
    assertFalse(log.step(fresh -> {}));
    assertTrue(log.prepare());
    log.flushed(
        () -> {
          assertTrue(log.step(fresh -> {}));
          return true;
        });
    // Unless it was taken meanwhile.
    log.step(fresh -> {});
    assertFalse(log.isSound());
    log.flushed(() -> true);
    append();
    log.sync(log.current().writtenPosition());
    assertEquals(2, log.current().segmentNumber());
    log.close();
    assertEquals(0, memory.heldBytes());
  }
}
