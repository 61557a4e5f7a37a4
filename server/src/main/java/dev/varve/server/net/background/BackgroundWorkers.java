package dev.varve.server.net.background;

import dev.varve.server.engine.BackgroundWork;
import dev.varve.server.engine.Engine;
import dev.varve.server.net.loop.ServerThreads;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;

/**
 * The engine's background work, each kind on a worker of its own.
 *
 * <p>Started and stopped by a thread that may block; the engine wakes them from any.
 */
public final class BackgroundWorkers {
  private final Map<BackgroundWork, BackgroundWorker> workers = new HashMap<>();

  private BackgroundWorkers() {}

  /** Starts all that {@code engine} has. */
  public static BackgroundWorkers start(Engine engine, ServerThreads threads) throws IOException {
    BackgroundWorkers its = new BackgroundWorkers();
    for (BackgroundWork work : engine.backgroundWork()) {
      Executor worker = threads.startWorker(work.name());
      its.workers.put(work, new BackgroundWorker(work, worker, threads::after));
    }
    engine.onBackgroundWork(its::wake);
    its.workers.values().forEach(BackgroundWorker::wake);
    return its;
  }

  private void wake(BackgroundWork work) {
    BackgroundWorker worker = workers.get(work);
    if (worker != null) {
      worker.wake();
    }
  }

  /** Begins no more of it, and waits for what is under way. */
  public void stop() throws IOException {
    for (BackgroundWorker worker : workers.values()) {
      ServerThreads.await(worker.stop());
    }
  }
}
