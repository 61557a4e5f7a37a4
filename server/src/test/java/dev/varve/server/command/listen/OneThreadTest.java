package dev.varve.server.command.listen;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.varve.server.command.Watch;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A call from a thread that the tables of the keyspace loop do not belong to fails a test. */
class OneThreadTest {

  private static @Nullable Throwable onAnother(Runnable task) throws InterruptedException {
    CompletableFuture<Void> done = new CompletableFuture<>();
    Thread other =
        new Thread(
            () -> {
              try {
                task.run();
                done.complete(null);
              } catch (Throwable failure) {
                done.completeExceptionally(failure);
              }
            });
    other.start();
    other.join();
    try {
      done.get();
      return null;
    } catch (ExecutionException failed) {
      return failed.getCause();
    }
  }

  @Test
  void whoeverComesFirstHasTheTable() throws InterruptedException {
    WatchTable watches = new WatchTable(NameRoom.ofListened(1 << 20));
    assertNull(onAnother(watches::isListening));
    assertInstanceOf(AssertionError.class, onAnother(watches::isListening));
  }

  @Test
  void watchesBelongToOneThread() throws InterruptedException {
    WatchTable watches = new WatchTable(NameRoom.ofListened(1 << 20));
    watches.remove(new Watch());
    assertInstanceOf(AssertionError.class, onAnother(() -> watches.remove(new Watch())));
  }

  @Test
  void whoWaitsBelongsToOneThreadButForHowManyDo() throws InterruptedException {
    BlockedClients blocked = new BlockedClients(NameRoom.ofAwaited(1 << 20), () -> {});
    blocked.serve(() -> {});
    assertInstanceOf(AssertionError.class, onAnother(() -> blocked.serve(() -> {})));
    assertNull(onAnother(blocked::count));
  }
}
