package dev.varve.server;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.net.RawClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A client that behaves: it asks for one value again and again, and notes how long each answer
 * takes, while others misbehave.
 *
 * <p>Asks in a thread of its own from {@link #start} to {@link #close}.
 */
final class SteadyClient implements AutoCloseable {
  private static final long PAUSE_NANOS = 500_000;
  private static final String ANSWER = "$5|value|";

  /** What all but one in a hundred answers may take; a machine that is slower can say so. */
  private static final long P99_MILLIS_MAX = Long.getLong("varve.p99.millis", 50);

  /** Of fewer nothing can be said about one in a hundred. */
  private static final int ANSWERS_MIN = 1_000;

  private static final long WAIT_SECONDS_MAX = 60;

  private final RawClient client;
  private final String what;
  private final Thread thread;
  private final List<Long> nanos = new ArrayList<>();
  private volatile int answers;
  private volatile boolean isOver;
  private volatile @Nullable Throwable failure;

  private SteadyClient(RawClient client, String what) {
    this.client = client;
    this.what = what;
    this.thread = new Thread(this::run, "steady");
  }

  /**
   * Begins.
   *
   * @param what is going on meanwhile, for what is printed
   */
  static SteadyClient start(ServerProcess server, String what) throws IOException {
    RawClient client = server.client();
    if (!client.ask("set steady value").equals("+OK|")) {
      throw new IOException("no write");
    }
    SteadyClient steady = new SteadyClient(client, what);
    steady.thread.start();
    return steady;
  }

  private void run() {
    try (client) {
      while (!isOver) {
        long from = System.nanoTime();
        String reply = client.ask("getrange steady 0 -1");
        nanos.add(System.nanoTime() - from);
        answers = nanos.size();
        if (!reply.equals(ANSWER)) {
          throw new IOException(reply);
        }
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    } catch (IOException | RuntimeException wrong) {
      failure = wrong;
    }
  }

  /** Waits until it has enough answers to judge by, while others go on to misbehave. */
  void awaitAnswers() throws IOException {
    Await.until(
        () -> answers >= ANSWERS_MIN || failure != null,
        WAIT_SECONDS_MAX,
        () -> "only " + answers + " answers beside " + what);
  }

  /** Ends, says how long answers took, and fails if one was missing or wrong, or all were late. */
  @Override
  public void close() {
    isOver = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return;
    }
    if (failure != null) {
      throw new AssertionError("others were not served beside " + what, failure);
    }
    Collections.sort(nanos);
    System.out.printf(
        "beside %s: %d answers, p50 %.1f ms, p99 %.1f ms, max %.1f ms%n",
        what, nanos.size(), millis(0.5), millis(0.99), millis(1));
    assertTrue(
        millis(0.99) < P99_MILLIS_MAX,
        () -> "beside " + what + " p99 was " + millis(0.99) + " ms: -Dvarve.p99.millis");
  }

  private double millis(double part) {
    int at = (int) Math.min(nanos.size() - 1.0, part * nanos.size());
    return (double) nanos.get(at) / TimeUnit.MILLISECONDS.toNanos(1);
  }
}
