package dev.varve.server.net.connection;

import dev.varve.server.command.Wait;
import dev.varve.server.net.loop.ServerLoop;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Ends the wait of one client when its time is over.
 *
 * <p>Keyspace loop.
 */
final class WaitTimeout {
  /** How often it looks whether a client that is being served is still waiting. */
  private static final int POLL_MILLIS = 5;

  private final ServerLoop loop;
  private final Consumer<Wait> onTimeout;
  private @Nullable Future<?> timer;

  /**
   * @param onTimeout called when the time is over and nobody is serving the client
   */
  WaitTimeout(ServerLoop loop, Consumer<Wait> onTimeout) {
    this.loop = loop;
    this.onTimeout = onTimeout;
  }

  /** The client waits; nothing changes if it has been waiting. */
  void begin(Wait wait) {
    if (timer == null && wait.timeoutMillis() != Wait.FOREVER) {
      after(wait.timeoutMillis(), wait);
    }
  }

  private void after(long millis, Wait wait) {
    timer = loop.eventLoop().schedule(() -> isOver(wait), millis, TimeUnit.MILLISECONDS);
  }

  private void isOver(Wait wait) {
    timer = null;
    if (wait.isEnded()) {
      return;
    }
    if (wait.isIdle()) {
      onTimeout.accept(wait);
    } else {
      after(POLL_MILLIS, wait);
    }
  }

  void cancel() {
    if (timer != null) {
      timer.cancel(false);
      timer = null;
    }
  }
}
