package dev.varve.server.net.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.wal.ProcessorWait;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class LoopWatchTest {
  private static final int LIMIT_MILLIS = 20;
  private static final long SECONDS_MAX = 20;
  private static final long AN_HOUR_NANOS = TimeUnit.HOURS.toNanos(1);

  @TempDir Path directory;

  private final Vertx vertx =
      Vertx.vertx(LoopWatch.limit(new VertxOptions().setEventLoopPoolSize(1), LIMIT_MILLIS));
  private final LoopWatch watch = LoopWatch.of((VertxInternal) vertx, LIMIT_MILLIS);

  @AfterEach
  void close() throws Exception {
    watch.close();
    vertx.close().toCompletionStage().toCompletableFuture().get();
  }

  @Test
  void aLoopThatTakesTooLongByItselfIsCountedAsSuch() throws Exception {
    WatchedLoop loop = watch.watch(context(), () -> null);
    on(loop, () -> takeTooLong(loop, () -> {}));
    assertEquals(1, watch.blocked());
    assertEquals(1, watch.blockedItself());
  }

  @Test
  void aLoopThatHadNoProcessorIsBlockedAndNotByItself() throws Exception {
    waited(0);
    WatchedLoop loop = watch.watch(context(), this::processorWait);
    on(loop, () -> takeTooLong(loop, () -> waited(AN_HOUR_NANOS)));
    assertEquals(1, watch.blocked());
    assertEquals(0, watch.blockedItself());
  }

  @Test
  void whatIsPartOfATaskIsNotOneItself() throws Exception {
    WatchedLoop loop = watch.watch(context(), () -> null);
    on(
        loop,
        () ->
            takeTooLong(
                loop,
                () -> {
                  loop.leave(loop.enter());
                  assertEquals(0, watch.blockedItself());
                }));
    assertEquals(1, watch.blockedItself());
  }

  private ContextInternal context() {
    return (ContextInternal) vertx.getOrCreateContext();
  }

  private ProcessorWait processorWait() {
    try {
      return new ProcessorWait(directory.resolve("schedstat"), System::nanoTime);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private void waited(long nanos) {
    try {
      Files.writeString(directory.resolve("schedstat"), "0 " + nanos + " 1\n");
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static void on(WatchedLoop loop, Runnable task)
      throws InterruptedException, ExecutionException {
    loop.eventLoop().submit(task).get();
  }

  /** One task, which goes on until it is seen. */
  private void takeTooLong(WatchedLoop loop, Runnable then) {
    ContextInternal before = loop.enter();
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_MAX);
    while (watch.blocked() == 0 && System.nanoTime() < deadline) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
    then.run();
    loop.leave(before);
  }
}
