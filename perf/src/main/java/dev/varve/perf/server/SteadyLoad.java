package dev.varve.perf.server;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.jspecify.annotations.Nullable;

/**
 * Asks the server at a fixed rate from threads of its own, and keeps how long each took.
 *
 * <p>A request goes out when it is due, whatever is unanswered then, as from many clients that know
 * nothing of each other, and counts from that moment: a stall counts for all that came during it.
 * {@link #latencies} may be asked by one other thread.
 */
public final class SteadyLoad implements Closeable {

  /** What is asked. */
  public enum Mix {
    PING {
      @Override
      void send(RespConnection connection, SplittableRandom random) throws IOException {
        connection.send("PING");
      }
    },

    /** Reads of {@link #KEYS} strings. */
    GET {
      @Override
      void send(RespConnection connection, SplittableRandom random) throws IOException {
        connection.send("GET", "steady:" + random.nextInt(KEYS));
      }
    },

    /** Half reads, half writes of {@link #KEYS} strings. */
    GET_SET {
      @Override
      void send(RespConnection connection, SplittableRandom random) throws IOException {
        String key = "steady:" + random.nextInt(KEYS);
        if (random.nextBoolean()) {
          connection.send("GET", key);
        } else {
          connection.send("SET", key, VALUE);
        }
      }
    };

    abstract void send(RespConnection connection, SplittableRandom random) throws IOException;
  }

  /** What one of its threads does. */
  @FunctionalInterface
  private interface Steps {
    void run() throws IOException, InterruptedException;
  }

  /** How many keys {@link #fill} writes. */
  public static final int KEYS = 10_000;

  private static final String VALUE = "v".repeat(50);
  private static final int FILL_PIPELINE = 500;
  private static final long TRACKED_NANOS_MAX = TimeUnit.MINUTES.toNanos(2);

  /** Stands behind the last request. */
  private static final long NONE_DUE = Long.MIN_VALUE;

  private final Recorder nanos = new Recorder(TRACKED_NANOS_MAX, 3);
  private final RespConnection connection;
  private final Mix mix;
  private final long periodNanos;
  private final BlockingQueue<Long> unanswered = new LinkedBlockingQueue<>();
  private final List<Thread> threads;
  private volatile boolean ended;
  private volatile @Nullable IOException failure;

  /** Begins to ask. */
  public SteadyLoad(ServerUnderTest server, Mix mix, int perSecond) throws IOException {
    this(server.connect(), mix, perSecond);
  }

  /** Begins to ask by a connection, which is closed with it. */
  public SteadyLoad(RespConnection connection, Mix mix, int perSecond) {
    this.connection = connection;
    this.mix = mix;
    this.periodNanos = TimeUnit.SECONDS.toNanos(1) / perSecond;
    this.threads = List.of(thread(this::askAll, "-asks"), thread(this::hearAll, "-hears"));
    threads.forEach(Thread::start);
  }

  /** Writes the keys that {@link Mix#GET_SET} asks for. */
  public static void fill(RespConnection connection) throws IOException {
    for (int from = 0; from < KEYS; from += FILL_PIPELINE) {
      for (int i = from; i < from + FILL_PIPELINE; i++) {
        connection.send("SET", "steady:" + i, VALUE);
      }
      connection.flush();
      connection.skipReplies(FILL_PIPELINE);
    }
  }

  private Thread thread(Steps steps, String name) {
    Thread thread =
        new Thread(
            () -> {
              try {
                steps.run();
              } catch (IOException e) {
                failure = e;
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            },
            "steady-" + mix + name);
    thread.setDaemon(true);
    return thread;
  }

  private void askAll() throws IOException, InterruptedException {
    SplittableRandom random = new SplittableRandom(7);
    long due = System.nanoTime();
    try {
      while (!ended) {
        long early = due - System.nanoTime();
        if (early > 0) {
          LockSupport.parkNanos(early);
          continue;
        }
        mix.send(connection, random);
        connection.flush();
        unanswered.put(due);
        due += periodNanos;
      }
    } finally {
      unanswered.put(NONE_DUE);
    }
  }

  private void hearAll() throws IOException, InterruptedException {
    long due;
    while ((due = unanswered.take()) != NONE_DUE) {
      connection.reply();
      nanos.recordValue(Math.min(TRACKED_NANOS_MAX, System.nanoTime() - due));
    }
  }

  /** Nanoseconds of each request that ended since the last call. Throws if the load has failed. */
  public Histogram latencies() throws IOException {
    IOException failed = failure;
    if (failed != null) {
      throw new IOException("the steady load failed", failed);
    }
    return nanos.getIntervalHistogram();
  }

  /**
   * Asks no more, and returns {@link #latencies} once all that was asked is answered: what a stall
   * at the end holds up counts too.
   */
  public Histogram end() throws IOException {
    ended = true;
    awaitThreads();
    return latencies();
  }

  private void awaitThreads() {
    try {
      for (Thread thread : threads) {
        thread.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() throws IOException {
    ended = true;
    awaitThreads();
    connection.close();
  }
}
