package dev.varve.perf.peer;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Redis's own load generator, {@code redis-benchmark}: a closed load of one command. */
final class BenchmarkTool {
  private static final String PROGRAM = "redis-benchmark";
  private static final long RUN_MINUTES_MAX = 10;

  private static final int REQUESTS_PER_SECOND = 1;
  private static final int P50_MILLIS = 4;
  private static final int P99_MILLIS = 6;

  /** What one run said. Latencies are those of a closed load: a stall counts once. */
  record Run(double operationsPerSecond, double p50Millis, double p99Millis) {}

  /**
   * How it is called.
   *
   * @param clients connections
   * @param pipeline requests that each has under way
   * @param threads of the generator
   * @param keyRange numbers that {@code __rand_int__} stands for
   */
  record Shape(int clients, int pipeline, int threads, long keyRange) {}

  /** Whether it is installed. */
  static boolean isThere() {
    try {
      return new ProcessBuilder(PROGRAM, "--version")
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException absent) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /**
   * Sends {@code requests} times the command of {@code workload}.
   *
   * @throws IOException when the server answered with an error, or the tool failed
   */
  static Run run(Peer peer, Workload workload, Shape shape, long requests) throws IOException {
    Process process =
        new ProcessBuilder(command(peer, workload, shape, requests))
            .redirectErrorStream(true)
            .start();
    try (BufferedReader said = process.inputReader()) {
      List<String> lines = said.lines().toList();
      if (!process.waitFor(RUN_MINUTES_MAX, TimeUnit.MINUTES)) {
        throw new IOException(PROGRAM + " does not end");
      }
      return parse(lines);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } finally {
      process.destroyForcibly();
    }
  }

  static List<String> command(Peer peer, Workload workload, Shape shape, long requests) {
    List<String> words = new ArrayList<>();
    words.addAll(List.of(PROGRAM, "-h", peer.host(), "-p", Integer.toString(peer.port())));
    words.addAll(List.of("-c", Integer.toString(shape.clients())));
    words.addAll(List.of("-P", Integer.toString(shape.pipeline())));
    if (shape.threads() > 1) {
      words.addAll(List.of("--threads", Integer.toString(shape.threads())));
    }
    words.addAll(List.of("-n", Long.toString(requests), "-r", Long.toString(shape.keyRange())));
    words.add("--csv");
    words.addAll(workload.command());
    return words;
  }

  /** Reads the last line of CSV: the test's name, then requests a second, then milliseconds. */
  static Run parse(List<String> lines) throws IOException {
    for (int i = lines.size() - 1; i >= 0; i--) {
      String line = lines.get(i);
      int end = line.lastIndexOf("\",\"");
      if (line.startsWith("\"") && end > 0 && !line.startsWith("\"test\"")) {
        // The name, which may hold commas, is all but the last seven columns.
        String[] columns = line.substring(1, line.length() - 1).split("\",\"", -1);
        int first = columns.length - 8;
        return new Run(
            Double.parseDouble(columns[first + REQUESTS_PER_SECOND]),
            Double.parseDouble(columns[first + P50_MILLIS]),
            Double.parseDouble(columns[first + P99_MILLIS]));
      }
    }
    throw new IOException(PROGRAM + " said: " + String.join("\n", lines));
  }

  private BenchmarkTool() {}
}
