package dev.varve.wal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.wal.FailingStorageDirectory.Kind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class LogSyncTest extends LogFixture {
  @Test
  void failedSyncPoisonsTheLogAndIsNeverRetried() throws IOException {
    Log log = Records.newLog(directory, 0);
    append(log, 1);
    log.write();
    directory.failCall(Kind.SYNC_FILE, 1, BROKEN);
    assertSame(BROKEN, assertThrows(IOException.class, log::sync));
    assertTrue(log.isPoisoned());

    long calls = disk.changeCalls();
    LogPoisonedException refused = assertThrows(LogPoisonedException.class, log::sync);
    assertSame(BROKEN, refused.getCause());
    assertThrows(LogPoisonedException.class, () -> append(log, 2));
    assertThrows(LogPoisonedException.class, log::write);
    assertThrows(LogPoisonedException.class, log::roll);
    assertThrows(LogPoisonedException.class, log::prepareNextSegment);
    assertEquals(0, log.syncedPosition());
    log.close();
    assertEquals(calls, disk.changeCalls(), "a poisoned log touched the disk");
  }

  /** Whatever it was, nobody knows what the device has. */
  @Test
  void aSyncThatEndsByAnErrorPoisonsTheLogToo() throws IOException {
    OutOfMemoryError noMemory = new OutOfMemoryError("none for a small object");
    Log log = Records.newLog(directory, 0);
    append(log, 1);
    log.write();
    directory.failMatching(
        call -> {
          if (call.kind() == Kind.SYNC_FILE) {
            throw noMemory;
          }
          return false;
        },
        1,
        BROKEN);
    assertSame(noMemory, assertThrows(OutOfMemoryError.class, log::sync));
    directory.heal();
    directory.failMatching(call -> false, 1, BROKEN);
    assertTrue(log.isPoisoned());
    LogPoisonedException refused = assertThrows(LogPoisonedException.class, log::sync);
    assertSame(noMemory, refused.getCause());
    assertThrows(LogPoisonedException.class, () -> append(log, 2));
    assertEquals(0, log.syncedPosition());
    log.close();
  }

  @Test
  void failedSyncOfARolledSegmentPoisonsToo() throws IOException {
    Log log = Records.newLog(directory, 0);
    append(log, 1);
    log.prepareNextSegment();
    log.roll();
    append(log, 2);
    log.write();
    String rolled = LogFormat.fileName(1);
    directory.failMatching(
        call -> call.kind() == Kind.SYNC_FILE && call.file().equals(rolled), 1, BROKEN);
    assertThrows(IOException.class, log::sync);
    assertEquals(0, log.syncedPosition());
    assertThrows(LogPoisonedException.class, log::sync);
    log.close();
  }

  @Test
  void freshLogTakesOverFromAPoisonedOne() throws IOException {
    Log log = Records.newLog(directory, 0);
    append(log, 1);
    log.write();
    log.prepareNextSegment();
    directory.failCall(Kind.SYNC_FILE, 1, BROKEN);
    assertThrows(IOException.class, log::sync);
    // The prepared segment cannot be deleted either: the next log replaces it.
    directory.failAll(call -> call.kind() == Kind.DELETE, BROKEN);
    assertThrows(IOException.class, log::close);
    directory.heal();
    try (Log fresh =
        Log.create(directory, new OffHeap(), Records.salts(), 2, log.writtenPosition(), 0)) {
      append(fresh, 2);
    }
    List<byte[]> payloads = Records.replayAll(directory, 2);
    assertEquals(1, payloads.size());
    assertArrayEquals(Records.payload(2, 100), payloads.get(0));
  }

  /** It was synced before, and a log that says otherwise would be given up. */
  @Test
  void aSegmentThatDoesNotCloseKeepsNoOtherOpenAndIsNoFailureOfTheSync() throws IOException {
    try (Log log = Records.newLog(directory, 0)) {
      for (int i = 1; i <= 3; i++) {
        append(log, i);
        log.prepareNextSegment();
        log.roll();
      }
      append(log, 4);
      log.write();
      directory.beforeClose(
          file -> {
            if (file.equals(LogFormat.fileName(1))) {
              LogSyncTest.<RuntimeException>raise(BROKEN);
            }
          });
      log.sync();
      assertEquals(log.writtenPosition(), log.syncedPosition());
      assertEquals(List.of(LogFormat.fileName(1), LogFormat.fileName(4)), directory.openFiles());
      directory.beforeClose(file -> LogSyncTest.<RuntimeException>raise(BROKEN));
    }
    assertReplays(disk.crash(new Random(1), 0), 1, 2, 3, 4);
  }

  @SuppressWarnings("unchecked")
  private static <T extends Throwable> void raise(Throwable failure) throws T {
    throw (T) failure;
  }

  @Test
  @Timeout(30)
  void oneSyncServesAllWhoWait() throws IOException, InterruptedException, ExecutionException {
    CountDownLatch inSync = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    FailingStorageDirectory slow = new FailingStorageDirectory(disk);
    Log log = Records.newLog(slow, 0);
    append(log, 1);
    log.write();
    slow.failMatching(
        call -> {
          if (call.kind() == Kind.SYNC_FILE) {
            inSync.countDown();
            awaitUninterrupted(goOn);
          }
          return false;
        },
        1,
        BROKEN);
    ExecutorService threads = Executors.newFixedThreadPool(6);
    try {
      Future<?> first = threads.submit(() -> callSync(log));
      inSync.await();
      long before = disk.changeCalls();
      append(log, 2);
      log.write();
      List<Future<?>> others = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        others.add(threads.submit(() -> callSync(log)));
      }
      goOn.countDown();
      first.get();
      for (Future<?> other : others) {
        other.get();
      }
      assertEquals(256, log.syncedPosition());
      // The write, the first sync, and one for the five who came meanwhile.
      assertEquals(before + 3, disk.changeCalls());
    } finally {
      threads.shutdownNow();
      log.close();
    }
  }

  @SuppressWarnings("UnusedReturnValue")
  private static Object callSync(Log log) throws IOException {
    log.sync();
    return log;
  }

  private static void awaitUninterrupted(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
