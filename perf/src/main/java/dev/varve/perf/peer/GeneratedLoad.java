package dev.varve.perf.peer;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.RedisOptions;
import io.vertx.redis.client.Request;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.jspecify.annotations.Nullable;

/**
 * Sends some {@link Steps} over several connections from one event loop: as fast as replies come,
 * or at a fixed rate whatever comes.
 *
 * <p>Used by one thread, one run at a time.
 */
final class GeneratedLoad implements Closeable {
  private static final long WAIT_SECONDS_MAX = 60;

  /** Steps that are late by less are sent together: no timer here is more exact. */
  private static final long PACE_NANOS = 100_000;

  private static final int OUTSTANDING_MAX = 1 << 16;
  private static final long TRACKED_NANOS_MAX = TimeUnit.MINUTES.toNanos(2);

  private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
  private final Context loop = vertx.getOrCreateContext();
  private final List<RedisConnection> connections = new ArrayList<>();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final SplittableRandom random = new SplittableRandom(11);

  /** What a closed load came to. */
  record Speed(long steps, double perSecond) {}

  /** Connects. */
  GeneratedLoad(Peer peer, int connectionCount) throws IOException {
    RedisOptions options =
        new RedisOptions()
            .setConnectionString("redis://" + peer.host() + ':' + peer.port())
            .setMaxPoolSize(connectionCount)
            .setMaxPoolWaiting(connectionCount)
            .setMaxWaitingHandlers(OUTSTANDING_MAX);
    Redis client = Redis.createClient(vertx, options);
    for (int i = 0; i < connectionCount; i++) {
      connections.add(await(client.connect()));
    }
  }

  /** A closed load for so long, as {@link #repeat} has it. */
  Speed saturate(Steps steps, int window, long seconds) throws IOException {
    return closed(new Closed(steps, window, Long.MAX_VALUE, TimeUnit.SECONDS.toNanos(seconds)));
  }

  /**
   * A closed load of {@code count} steps: each connection sends {@code window} of them in one write
   * and the next when all of their replies have come.
   */
  Speed repeat(Steps steps, int window, long count) throws IOException {
    return closed(new Closed(steps, window, count, Long.MAX_VALUE / 2));
  }

  private Speed closed(Closed load) throws IOException {
    CountDownLatch over = new CountDownLatch(connections.size());
    loop.runOnContext(ignored -> connections.forEach(connection -> load.sendTo(connection, over)));
    await(over);
    // All that was sent has been answered.
    return new Speed(load.sent, load.sent * 1e9 / (System.nanoTime() - load.startNanos));
  }

  /** A closed load. Its steps are counted on the event loop. */
  private final class Closed {
    private final Steps steps;
    private final int window;
    private final long startNanos = System.nanoTime();
    private final long lastedNanosMax;
    private final long sentMax;
    private long sent;

    Closed(Steps steps, int window, long sentMax, long lastedNanosMax) {
      this.steps = steps;
      this.window = window;
      this.sentMax = sentMax;
      this.lastedNanosMax = lastedNanosMax;
    }

    void sendTo(RedisConnection connection, CountDownLatch over) {
      if (sent == sentMax
          || System.nanoTime() - startNanos >= lastedNanosMax
          || failure.get() != null) {
        over.countDown();
        return;
      }
      int count = (int) Math.min(window, sentMax - sent);
      sent += count;
      connection
          .batch(next(steps, count))
          .onComplete(
              replies -> {
                note(replies.cause());
                sendTo(connection, over);
              });
    }
  }

  private List<Request> next(Steps steps, int count) {
    List<Request> requests = new ArrayList<>(2 * count);
    for (int i = 0; i < count; i++) {
      requests.addAll(steps.next(random));
    }
    return requests;
  }

  /**
   * An open load: {@code perSecond} steps, {@code window} in a row on the same connection, as the
   * closed load has them under way. Returns nanoseconds from when each was due to when its last
   * reply was there, and those of the steps that were sent with it.
   */
  Histogram pace(Steps steps, int window, double perSecond, long seconds) throws IOException {
    return pace(steps, window, perSecond, seconds, second -> {});
  }

  /** An open load as {@link #pace}, which ends after {@code count} steps and not after a time. */
  Histogram paceSome(Steps steps, int window, double perSecond, long count) throws IOException {
    return open(steps, window, perSecond, count, second -> {});
  }

  /**
   * An open load as the other one, which also tells of each second.
   *
   * @param eachSecond given the latencies of the steps that ended in each second
   */
  Histogram pace(
      Steps steps, int window, double perSecond, long seconds, Consumer<Histogram> eachSecond)
      throws IOException {
    // One at least: a server may be so slow that none is due in that time.
    return open(steps, window, perSecond, Math.max(1, (long) (perSecond * seconds)), eachSecond);
  }

  private Histogram open(
      Steps steps, int window, double perSecond, long count, Consumer<Histogram> eachSecond)
      throws IOException {
    Recorder nanos = new Recorder(TRACKED_NANOS_MAX, 3);
    Histogram all = new Histogram(TRACKED_NANOS_MAX, 3);
    long nextSecond = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
    double periodNanos = 1e9 / perSecond;
    CountDownLatch over = new CountDownLatch(1);
    AtomicLong open = new AtomicLong(count);
    long start = System.nanoTime();
    for (long sent = 0; sent < count && failure.get() == null; ) {
      long due = Math.min(count, 1 + (long) ((System.nanoTime() - start) / periodNanos));
      if (due > sent) {
        long from = sent;
        loop.runOnContext(
            ignored -> {
              for (long i = from, end; i < due; i = end) {
                long run = i / window;
                end = Math.min(due, (run + 1) * window);
                RedisConnection its = connections.get((int) (run % connections.size()));
                paced(steps, its, new Due(start, periodNanos, i, end), nanos, open, over);
              }
            });
        sent = due;
      }
      if (System.nanoTime() >= nextSecond) {
        nextSecond += TimeUnit.SECONDS.toNanos(1);
        Histogram second = nanos.getIntervalHistogram();
        eachSecond.accept(second);
        all.add(second);
      }
      LockSupport.parkNanos(PACE_NANOS);
    }
    await(over);
    all.add(nanos.getIntervalHistogram());
    return all;
  }

  /** Steps of an open load, from the first to before the last: each is due a period later. */
  private record Due(long startNanos, double periodNanos, long first, long end) {
    int count() {
      return (int) (end - first);
    }

    void record(Recorder nanos) {
      long now = System.nanoTime();
      for (long i = first; i < end; i++) {
        long at = startNanos + (long) (i * periodNanos);
        nanos.recordValue(Math.min(TRACKED_NANOS_MAX, now - at));
      }
    }
  }

  private void paced(
      Steps steps,
      RedisConnection connection,
      Due due,
      Recorder nanos,
      AtomicLong open,
      CountDownLatch over) {
    // What is due together leaves in one write, as an application's pipeline does: a write for each
    // would cost the generator more than the server takes, and it is the generator that is late
    // then.
    connection
        .batch(next(steps, due.count()))
        .onComplete(
            reply -> {
              note(reply.cause());
              due.record(nanos);
              if (open.addAndGet(-due.count()) == 0) {
                over.countDown();
              }
            });
  }

  private void note(@Nullable Throwable cause) {
    if (cause != null) {
      failure.compareAndSet(null, cause);
    }
  }

  private void await(CountDownLatch over) throws IOException {
    try {
      while (!over.await(1, TimeUnit.SECONDS)) {
        checkFailure();
      }
      checkFailure();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private void checkFailure() throws IOException {
    Throwable failed = failure.get();
    if (failed != null) {
      throw new IOException("the load failed", failed);
    }
  }

  private static <T> T await(Future<T> future) throws IOException {
    try {
      return future
          .toCompletionStage()
          .toCompletableFuture()
          .get(WAIT_SECONDS_MAX, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } catch (ExecutionException | TimeoutException failed) {
      throw new IOException("cannot connect", failed);
    }
  }

  @Override
  public void close() throws IOException {
    await(vertx.close());
  }
}
