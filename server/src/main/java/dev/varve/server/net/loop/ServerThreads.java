package dev.varve.server.net.loop;

import dev.varve.server.command.run.Role;
import dev.varve.server.config.Parameters;
import dev.varve.server.config.Settings;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.ThreadingModel;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.internal.VertxInternal;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The threads of a server: event loops and their watch, workers, timers.
 *
 * <p>Started and closed by a thread that may block; tasks and timers come from any.
 */
public final class ServerThreads {

  private static final long SECOND_MILLIS = 1000;
  private static final long SECONDS_MAX = 60;
  private static final int ASIDE_THREADS_MAX = 4;

  private final Vertx vertx;
  private final LoopWatch watch;
  private final List<LoopVerticle> loops = new ArrayList<>();
  private final List<WorkerExecutor> pools = new ArrayList<>();

  /**
   * Starts the event loops that {@code settings} ask for.
   *
   * @throws IOException when they cannot be
   */
  public static ServerThreads start(Settings settings) throws IOException {
    ServerThreads threads = new ServerThreads(settings);
    try {
      threads.startLoops(settings.integer(Parameters.IO_THREADS));
    } catch (IOException | RuntimeException failure) {
      threads.abandon();
      throw failure;
    }
    return threads;
  }

  private ServerThreads(Settings settings) throws IOException {
    int limitMillis = settings.integer(Parameters.EVENT_LOOP_BLOCKED_MILLIS);
    VertxOptions options = options(settings.integer(Parameters.IO_THREADS));
    this.vertx =
        Vertx.builder()
            .with(LoopWatch.limit(options, limitMillis))
            .withTransport(SocketTransport.named(settings.text(Parameters.IO_TRANSPORT)))
            .build();
    this.watch = LoopWatch.of((VertxInternal) vertx, limitMillis);
  }

  private static VertxOptions options(int loops) {
    return new VertxOptions()
        .setEventLoopPoolSize(loops)
        // Flush and compaction run for as long as they run; that is no reason for a warning.
        .setMaxWorkerExecuteTime(1)
        .setMaxWorkerExecuteTimeUnit(TimeUnit.DAYS)
        .setFileSystemOptions(
            new FileSystemOptions()
                .setFileCachingEnabled(false)
                .setClassPathResolvingEnabled(false));
  }

  private void startLoops(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      LoopVerticle verticle = new LoopVerticle();
      await(vertx.deployVerticle(verticle, new DeploymentOptions()));
      loops.add(verticle);
    }
  }

  public Vertx vertx() {
    return vertx;
  }

  /** How long the loops are held up. */
  public LoopWatch watch() {
    return watch;
  }

  /** The event loops; the first one has the keyspace. */
  public List<LoopVerticle> loops() {
    return loops;
  }

  /** Makes the threads of requests that wait for the disk. Once. */
  public Executor startColdPool() {
    return pool("varve-cold", Role.WORKERS_MAX);
  }

  /**
   * Makes the threads of requests that wait or take long for another reason, so that they do not
   * wait for the disk too. Once.
   */
  public Executor startAsidePool() {
    return pool("varve-aside", ASIDE_THREADS_MAX);
  }

  /**
   * Makes the threads of what TLS has to calculate when a connection begins: as many as there are
   * processors. Once; there are none of them before there is something to do.
   */
  public Executor startHandshakePool() {
    return pool("varve-handshake", Runtime.getRuntime().availableProcessors());
  }

  private Executor pool(String name, int threadsMax) {
    WorkerExecutor workers = vertx.createSharedWorkerExecutor(name, threadsMax);
    pools.add(workers);
    return task ->
        workers.executeBlocking(
            () -> {
              LostTask.run(task);
              return true;
            },
            false);
  }

  /** Makes a worker with a thread of its own, which runs one task after the other. */
  public Executor startWorker(String name) throws IOException {
    Worker worker = new Worker();
    await(
        vertx.deployVerticle(
            worker,
            new DeploymentOptions()
                .setThreadingModel(ThreadingModel.WORKER)
                .setWorkerPoolName("varve-" + name)
                .setWorkerPoolSize(1)));
    return worker;
  }

  /** Runs {@code task} once, on some event loop. */
  public void after(long delayMillis, Runnable task) {
    vertx.setTimer(delayMillis, timer -> LostTask.run(task));
  }

  /** Runs {@code task} once a second, on one event loop. */
  public void everySecond(Runnable task) {
    vertx.setPeriodic(SECOND_MILLIS, timer -> task.run());
  }

  /** Takes no more connections, and closes those there are. */
  public void stopListening() throws IOException {
    for (LoopVerticle loop : loops) {
      await(loop.stopListening());
    }
  }

  /** Ends all of them. */
  public void close() throws IOException {
    for (WorkerExecutor workers : pools) {
      // Else what would close it when it is garbage holds all of this for ever.
      await(workers.close());
    }
    await(vertx.close());
    watch.close();
  }

  /** The same without waiting for it, where the server has not come up. */
  public void abandon() {
    watch.close();
    vertx.close();
  }

  /** Waits for what loops do, which take no notice of the thread that waits. */
  public static <T> T await(Future<T> future) throws IOException {
    try {
      return future.toCompletionStage().toCompletableFuture().get(SECONDS_MAX, TimeUnit.SECONDS);
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", stopping);
    } catch (ExecutionException | TimeoutException failure) {
      throw new IOException(failure.toString(), failure.getCause());
    }
  }
}
