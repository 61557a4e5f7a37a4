package dev.varve.server.net.loop;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * A worker verticle with a thread of its own: runs what may block, one task after the other.
 *
 * <p>Any thread hands it tasks.
 */
final class Worker extends VerticleBase implements Executor {
  private volatile boolean stopped;

  @Override
  public Future<?> start() {
    return Future.succeededFuture();
  }

  @Override
  public Future<?> stop() {
    stopped = true;
    return Future.succeededFuture();
  }

  /** Runs {@code task}, unless the server stops before. */
  @Override
  public void execute(Runnable task) {
    if (stopped) {
      return;
    }
    Context its = context;
    try {
      its.runOnContext(
          ignored -> {
            if (!stopped) {
              LostTask.run(task);
            }
          });
    } catch (RejectedExecutionException stopping) {
      // Its threads went between the look and the call. Anything else would be an error.
      if (!stopped) {
        throw stopping;
      }
    }
  }
}
