package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class LoopWatchTest {
  private static final int LIMIT_MILLIS = 20;
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
    takeTooLong(null, 0);
    assertEquals(1, watch.blocked());
    assertEquals(1, watch.blockedItself());
  }

  @Test
  void aLoopThatHadNoProcessorIsBlockedAndNotByItself() throws Exception {
    Path schedstat = directory.resolve("schedstat");
    Files.writeString(schedstat, "0 0 0\n");
    takeTooLong(schedstat, AN_HOUR_NANOS);
    assertEquals(1, watch.blocked());
    assertEquals(0, watch.blockedItself());
  }

  /** One task on a loop, which goes on until it is seen. */
  private void takeTooLong(@Nullable Path schedstat, long waitedNanos) throws Exception {
    ContextInternal context = (ContextInternal) vertx.getOrCreateContext();
    CompletableFuture<Boolean> end = new CompletableFuture<>();
    context
        .nettyEventLoop()
        .execute(
            () -> {
              try {
                LoopWatch.Loop loop =
                    watch.thisLoop(
                        schedstat == null ? null : new ProcessorWait(schedstat, System::nanoTime));
                loop.began();
                ContextInternal before = context.beginDispatch();
                while (watch.blocked() == 0) {
                  Thread.sleep(1);
                }
                if (schedstat != null) {
                  Files.writeString(schedstat, "0 " + waitedNanos + " 1\n");
                }
                context.endDispatch(before);
                loop.ended();
                // Said once.
                loop.ended();
                end.complete(true);
              } catch (Exception | AssertionError failure) {
                end.completeExceptionally(failure);
              }
            });
    end.get();
  }
}
