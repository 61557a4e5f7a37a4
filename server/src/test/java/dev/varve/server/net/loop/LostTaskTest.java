package dev.varve.server.net.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LostTaskTest {
  private final AtomicReference<@Nullable Throwable> ended = new AtomicReference<>();

  private void run(Error failure) throws InterruptedException {
    Thread thread =
        new Thread(
            () -> {
              try {
                LostTask.run(
                    () -> {
                      throw failure;
                    });
              } catch (OutOfMemoryError | AssertionError taken) {
                // As an event loop does.
              }
            });
    thread.setUncaughtExceptionHandler((its, what) -> ended.set(what));
    thread.start();
    thread.join();
  }

  @Test
  void aThreadThatGoesOnWithoutATaskIsSaidToHaveEnded() throws InterruptedException {
    OutOfMemoryError noMemory = new OutOfMemoryError("as a test wants it");
    run(noMemory);
    assertEquals(noMemory, ended.get());
  }

  @Test
  void otherFailuresAreForWhoeverRunsIt() throws InterruptedException {
    run(new AssertionError("as a test wants it"));
    assertNull(ended.get());
  }
}
