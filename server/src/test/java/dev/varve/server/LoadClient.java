package dev.varve.server;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.net.RawClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A client that sends the steps of one sequence, several at a time, and keeps account of what was
 * acknowledged, through all the deaths of its server.
 *
 * <p>One thread runs it at a time; the accounts are read after {@link #join}, but for what says
 * otherwise.
 */
final class LoadClient {
  private static final long SECONDS_MAX = 60;

  private final LoadSequence sequence;
  private final int stepsPerWrite;

  /** Steps whose last reply has come. */
  private volatile long acknowledged;

  /** Whether a step was acknowledged, in whichever life of its server. */
  private volatile boolean answered;

  /** Steps that may have reached the server. */
  private long sent;

  /** How many were acknowledged, and when that was known. */
  private record Moment(long nanos, long acknowledged) {}

  private final List<Moment> moments = new ArrayList<>();
  private boolean mayBeRefused;
  private @Nullable Thread thread;
  private @Nullable Throwable failure;

  LoadClient(LoadSequence sequence, int stepsPerWrite) {
    this.sequence = sequence;
    this.stepsPerWrite = stepsPerWrite;
  }

  long acknowledged() {
    return acknowledged;
  }

  /** Whether any step was ever acknowledged, be it lost by now. While it runs, too. */
  boolean hasBeenAnswered() {
    return answered;
  }

  /** How many steps were acknowledged before that moment. */
  long acknowledgedBy(long nanos) {
    return moments.stream()
        .filter(moment -> moment.nanos() <= nanos)
        .mapToLong(Moment::acknowledged)
        .max()
        .orElse(0);
  }

  /** Sends until the server is gone, or has a disk that it cannot write to. */
  void startUntilRefused(RawClient client) {
    mayBeRefused = true;
    start(client);
  }

  /** Sends until the server is gone. */
  void start(RawClient client) {
    Thread runner = new Thread(() -> run(client), "load-" + sequence.name());
    thread = runner;
    runner.start();
  }

  private void run(RawClient client) {
    try (client) {
      while (true) {
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < stepsPerWrite; i++) {
          lines.append(sequence.step(sent + i));
        }
        sent += stepsPerWrite;
        client.send(lines.toString());
        for (int i = 0; i < stepsPerWrite; i++) {
          for (int reply = 0; reply < sequence.repliesPerStep(); reply++) {
            String text = client.reply();
            if (mayBeRefused && text.startsWith("-")) {
              throw new IOException(text);
            }
            assertTrue(!text.startsWith("-") && !text.contains("|-ERR"), text);
          }
          acknowledged++;
          answered = true;
        }
        moments.add(new Moment(System.nanoTime(), acknowledged));
      }
    } catch (IOException killed) {
      // As it is meant to be.
    } catch (RuntimeException | AssertionError wrong) {
      failure = wrong;
    }
  }

  void join() throws InterruptedException {
    Thread runner = thread;
    if (runner != null) {
      runner.join(TimeUnit.SECONDS.toMillis(SECONDS_MAX));
      assertFalse(runner.isAlive(), () -> sequence.name() + " does not come to its end");
    }
    if (failure != null) {
      throw new AssertionError(sequence.name() + " failed", failure);
    }
  }

  /** Fails unless the data holds all that was acknowledged and nothing that was never sent. */
  void check(RawClient client) throws IOException {
    check(client, acknowledged);
  }

  /** The same for a part of what was acknowledged. */
  void check(RawClient client, long atLeast) throws IOException {
    long found = sequence.stepsFound(client);
    assertTrue(
        atLeast <= found && found <= sent,
        () ->
            sequence.name()
                + ": "
                + acknowledged
                + " acknowledged, at least "
                + atLeast
                + " wanted, "
                + sent
                + " sent, found "
                + found);
    acknowledged = found;
    sent = found;
    moments.clear();
    moments.add(new Moment(System.nanoTime(), found));
  }
}
