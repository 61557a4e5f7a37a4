package dev.varve.server.net;

import dev.varve.server.command.CommandGroups;
import dev.varve.server.command.CommandTable;
import dev.varve.server.config.Parameters;
import dev.varve.server.config.Settings;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.internal.VertxInternal;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/**
 * What a server stands on that needs no data: Vert.x with its event loops, and the commands that
 * work on data alone.
 *
 * <p>Made by one thread, then the server's.
 */
public final class Foundation {
  /*
   * Mostly the loading of some thousand classes, which takes as long as opening an empty directory: the
   * two go on side by side when the program starts.
   */

  /**
   * Whether netty's buffers tell the flight recorder of themselves, whether it records or not.
   * Loading what that needs is a sixth of a start.
   */
  private static final String NETTY_EVENTS = "io.netty.jfr.enabled";

  private final Vertx vertx;
  private final LoopWatch loopWatch;
  private final List<LoopVerticle> loops = new ArrayList<>();
  private final CommandTable table = new CommandTable();

  /** One that is being made. */
  public static final class Pending {
    private final FutureTask<Foundation> task;

    private Pending(FutureTask<Foundation> task) {
      this.task = task;
    }

    /**
     * Waits for it.
     *
     * @throws IOException when there is none, saying why
     */
    Foundation await() throws IOException {
      try {
        return task.get();
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted", interrupted);
      } catch (ExecutionException failure) {
        Throwable cause = failure.getCause();
        throw cause instanceof IOException known
            ? known
            : new IOException(String.valueOf(cause), failure);
      }
    }
  }

  private Foundation(Settings settings) throws IOException {
    if (System.getProperty(NETTY_EVENTS) == null) {
      System.setProperty(NETTY_EVENTS, "false");
    }
    int limitMillis = settings.integer(Parameters.EVENT_LOOP_BLOCKED_MILLIS);
    int count = settings.integer(Parameters.IO_THREADS);
    vertx =
        Vertx.builder()
            .with(LoopWatch.limit(options(count), limitMillis))
            .withTransport(SocketTransport.named(settings.text(Parameters.IO_TRANSPORT)))
            .build();
    loopWatch = LoopWatch.of((VertxInternal) vertx, limitMillis);
    try {
      for (int i = 0; i < count; i++) {
        LoopVerticle verticle = new LoopVerticle();
        Listeners.await(vertx.deployVerticle(verticle, new DeploymentOptions()));
        loops.add(verticle);
      }
      CommandGroups.register(table);
    } catch (IOException | RuntimeException failure) {
      vertx.close();
      throw failure;
    }
  }

  /** Makes one here and now. */
  static Foundation of(Settings settings) throws IOException {
    return new Foundation(settings);
  }

  /** Begins to make one on a thread of its own. */
  public static Pending begin(Settings settings) {
    FutureTask<Foundation> task = new FutureTask<>(() -> new Foundation(settings));
    Thread thread = new Thread(task, "varve-foundation");
    thread.setDaemon(true);
    thread.start();
    return new Pending(task);
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

  Vertx vertx() {
    return vertx;
  }

  LoopWatch loopWatch() {
    return loopWatch;
  }

  /** The event loops; the first one is to have the keyspace. */
  List<LoopVerticle> loops() {
    return loops;
  }

  /** The commands so far; others are added by who has what they need. */
  CommandTable table() {
    return table;
  }
}
