package dev.varve.perf.engine;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** One thread reads at random while another overwrites at random, each as fast as it can. */
final class ReadWhileWriting {
  private static final double SHARE = 0.2;

  /** Gives {@code sink} two measurements: the reader's, and the writer's of the same time. */
  static void run(EngineRun reader, EngineRun writer, CostMeter meter, Consumer<Measurement> sink)
      throws IOException {
    long reads = Math.max(1, (long) (reader.data.count() * SHARE));
    AtomicBoolean ended = new AtomicBoolean();
    meter.start();
    CompletableFuture<Void> writing = new CompletableFuture<>();
    CompletableFuture<Long> writes = new CompletableFuture<>();
    Thread thread = new Thread(() -> write(writer, writing, ended, writes), "varve-perf-writer");
    thread.start();
    writing.join();
    reader.progress.begin(reads);
    long start = System.nanoTime();
    long last = start;
    try {
      for (long i = 0; i < reads; i++) {
        reader.get(reader.randomIndex());
        long now = System.nanoTime();
        reader.latencies.recordValue(Math.min(EngineRun.TRACKED_NANOS_MAX, now - last));
        last = now;
        reader.progress.at(i);
      }
    } finally {
      ended.set(true);
    }
    long written = await(writes);
    Costs costs = meter.stop(reader.engine(), reader.liveBytes());
    sink.accept(of(RoundPlan.READER, reader, reads, last - start, costs));
    sink.accept(of(RoundPlan.WRITER, writer, written, last - start, costs));
  }

  private static Measurement of(
      String side, EngineRun run, long operations, long nanos, Costs costs) {
    return new Measurement(
        RoundPlan.READWHILEWRITING + side,
        run.engine().name(),
        operations,
        nanos,
        run.latencies,
        run.found,
        costs,
        Map.of());
  }

  private static void write(
      EngineRun writer,
      CompletableFuture<Void> begun,
      AtomicBoolean ended,
      CompletableFuture<Long> done) {
    long written = 0;
    try {
      writer.put(writer.randomIndex());
      written++;
      begun.complete(null);
      long last = System.nanoTime();
      while (!ended.get()) {
        writer.put(writer.randomIndex());
        written++;
        long now = System.nanoTime();
        writer.latencies.recordValue(Math.min(EngineRun.TRACKED_NANOS_MAX, now - last));
        last = now;
      }
      done.complete(written);
    } catch (IOException | RuntimeException | Error e) {
      done.completeExceptionally(e);
      begun.complete(null);
    }
  }

  private static long await(CompletableFuture<Long> done) throws IOException {
    try {
      return done.join();
    } catch (CompletionException e) {
      throw new IOException("the writer failed", e.getCause());
    }
  }

  private ReadWhileWriting() {}
}
