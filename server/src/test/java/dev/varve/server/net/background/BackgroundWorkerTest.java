package dev.varve.server.net.background;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.varve.server.config.Settings;
import dev.varve.server.engine.BackgroundWork;
import dev.varve.server.net.loop.ServerThreads;
import io.vertx.core.Future;
import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When background work ends, and when it is tried again. */
class BackgroundWorkerTest {
  private final ServerThreads threads;
  private final Executor worker;
  private final AtomicInteger pieces = new AtomicInteger();
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch mayEnd = new CountDownLatch(1);

  BackgroundWorkerTest() throws IOException {
    threads = ServerThreads.start(new Settings());
    worker = threads.startWorker("test");
  }

  /** There is always more of it. */
  private final class Endless implements BackgroundWork {
    @Override
    public String name() {
      return "endless";
    }

    @Override
    public boolean runOnce() {
      pieces.incrementAndGet();
      begun.countDown();
      try {
        mayEnd.await();
      } catch (InterruptedException stopping) {
        Thread.currentThread().interrupt();
      }
      return true;
    }
  }

  /** Finds the disk full, or the heap. */
  private final class Failing implements BackgroundWork {
    private final boolean isHeap;

    Failing(boolean isHeap) {
      this.isHeap = isHeap;
    }

    @Override
    public String name() {
      return "failing";
    }

    @Override
    public boolean runOnce() throws IOException {
      pieces.incrementAndGet();
      if (isHeap) {
        throw new OutOfMemoryError("as a test wants it");
      }
      throw new IOException("No space left on device");
    }
  }

  @AfterEach
  void close() throws Exception {
    mayEnd.countDown();
    threads.close();
  }

  private void awaitRuns() throws IOException {
    ServerThreads.await(Future.future(promise -> worker.execute(promise::complete)));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatFailsIsTriedAgainByOneTimerHoweverOftenItIsWoken(boolean isHeap) throws Exception {
    Queue<Runnable> retries = new ConcurrentLinkedQueue<>();
    BackgroundWorker failing =
        new BackgroundWorker(new Failing(isHeap), worker, (delayMillis, task) -> retries.add(task));
    for (int wakes = 1; wakes <= 3; wakes++) {
      failing.wake();
      awaitRuns();
      assertEquals(wakes, pieces.get());
      assertEquals(1, retries.size());
    }
    retries.remove().run();
    awaitRuns();
    assertEquals(4, pieces.get());
    assertEquals(1, retries.size());
  }

  @Test
  void aStopWaitsForThePieceThatIsUnderWayAndNoOtherFollows() throws Exception {
    BackgroundWorker endless =
        new BackgroundWorker(new Endless(), worker, (delayMillis, task) -> {});
    endless.wake();
    begun.await();
    endless.wake();
    Future<?> stopped = endless.stop();
    assertFalse(stopped.isComplete());
    mayEnd.countDown();
    ServerThreads.await(stopped);
    endless.wake();
    awaitRuns();
    assertEquals(1, pieces.get());
  }
}
