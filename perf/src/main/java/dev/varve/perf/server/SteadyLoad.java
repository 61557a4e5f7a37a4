package dev.varve.perf.server;

import java.io.Closeable;
import java.io.IOException;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.jspecify.annotations.Nullable;

/**
 * Asks the server at a fixed rate from a thread of its own, and keeps how long each took.
 *
 * <p>A request counts from the moment it was due, not from when it could be sent: a stall counts
 * for all that it held up. {@link #latencies} may be asked by one other thread.
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

  /** How many keys {@link #fill} writes. */
  public static final int KEYS = 10_000;

  private static final String VALUE = "v".repeat(50);
  private static final int FILL_PIPELINE = 500;
  private static final long TRACKED_NANOS_MAX = TimeUnit.MINUTES.toNanos(2);

  private final Recorder nanos = new Recorder(TRACKED_NANOS_MAX, 3);
  private final RespConnection connection;
  private final Mix mix;
  private final long periodNanos;
  private final Thread thread;
  private volatile boolean ended;
  private volatile @Nullable IOException failure;

  /** Begins to ask. */
  public SteadyLoad(ServerUnderTest server, Mix mix, int perSecond) throws IOException {
    this.connection = server.connect();
    this.mix = mix;
    this.periodNanos = TimeUnit.SECONDS.toNanos(1) / perSecond;
    this.thread = new Thread(this::run, "steady-" + mix);
    thread.setDaemon(true);
    thread.start();
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

  private void run() {
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
        connection.reply();
        nanos.recordValue(Math.min(TRACKED_NANOS_MAX, System.nanoTime() - due));
        due += periodNanos;
      }
    } catch (IOException e) {
      failure = e;
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

  @Override
  public void close() throws IOException {
    ended = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    connection.close();
  }
}
