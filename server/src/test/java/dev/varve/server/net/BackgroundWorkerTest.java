package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.varve.server.engine.BackgroundWork;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.ThreadingModel;
import io.vertx.core.Vertx;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When background work ends. */
class BackgroundWorkerTest {
  private final Vertx vertx = Vertx.vertx();
  private final AtomicInteger pieces = new AtomicInteger();
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch mayEnd = new CountDownLatch(1);

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

  @AfterEach
  void close() throws Exception {
    mayEnd.countDown();
    Listeners.await(vertx.close());
  }

  @Test
  void aStopWaitsForThePieceThatIsUnderWayAndNoOtherFollows() throws Exception {
    Worker worker = new Worker();
    Listeners.await(
        vertx.deployVerticle(
            worker, new DeploymentOptions().setThreadingModel(ThreadingModel.WORKER)));
    BackgroundWorker endless =
        new BackgroundWorker(new Endless(), worker, (delayMillis, task) -> {});
    endless.wake();
    begun.await();
    endless.wake();
    Future<?> stopped = endless.stop();
    assertFalse(stopped.isComplete());
    mayEnd.countDown();
    Listeners.await(stopped);
    endless.wake();
    Listeners.await(Future.future(promise -> worker.execute(promise::complete)));
    assertEquals(1, pieces.get());
  }
}
