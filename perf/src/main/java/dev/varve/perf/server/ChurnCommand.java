package dev.varve.perf.server;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code churn}: queues that are filled and emptied for long keep their speed. */
@Command(
    name = "churn",
    description = "Pushes and pops a queue of each kind, and compares the last tenth to the first.",
    mixinStandardHelpOptions = true)
public final class ChurnCommand implements Callable<Integer> {

  /** A structure that serves as a queue. */
  private enum Queue {
    ZSET("ZPOPMIN") {
      @Override
      void push(RespConnection connection, String key, long job) throws IOException {
        connection.send("ZADD", key, Long.toString(job), "job:" + job);
      }
    },
    LIST("LPOP") {
      @Override
      void push(RespConnection connection, String key, long job) throws IOException {
        connection.send("RPUSH", key, "job:" + job);
      }
    },
    SET("SPOP") {
      @Override
      void push(RespConnection connection, String key, long job) throws IOException {
        connection.send("SADD", key, "job:" + job);
      }
    };

    final String pop;

    Queue(String pop) {
      this.pop = pop;
    }

    abstract void push(RespConnection connection, String key, long job) throws IOException;
  }

  private static final int WINDOWS = 10;
  private static final double WANTED_RATIO = 0.8;
  private static final long WARM_UP_JOBS = 300_000;

  @Mixin private ServerOptions server = new ServerOptions();

  @Option(
      names = "--operations",
      converter = AtLeastOne.Wide.class,
      description = "pushes and as many pops of each queue (default ${DEFAULT-VALUE})")
  private long operations = 1_000_000;

  @Option(names = "--backlog", description = "elements in the queue (default ${DEFAULT-VALUE})")
  private int backlog = 1_000;

  @Option(
      names = "--pipeline",
      converter = AtLeastOne.class,
      description = "pushes, then pops, per round trip (default ${DEFAULT-VALUE})")
  private int pipeline = 32;

  @Option(
      names = "--queues",
      split = ",",
      description = "which (default ${DEFAULT-VALUE})",
      defaultValue = "ZSET,LIST,SET")
  private List<Queue> queues = new ArrayList<>();

  /** For picocli. */
  public ChurnCommand() {}

  @Override
  public Integer call() throws IOException {
    PrintStream out = System.out;
    try (ServerUnderTest started = server.start(out);
        RespConnection control = started.connect()) {
      for (Queue queue : queues) {
        measure(started, control, queue, out);
        started.printMemory(out, control);
      }
    }
    return 0;
  }

  private void measure(
      ServerUnderTest started, RespConnection control, Queue queue, PrintStream out)
      throws IOException {
    long perWindow = Math.max(pipeline, operations / WINDOWS);
    // Another key of the same kind first, so that the first window is not that of cold code.
    String warm = "warm:" + queue;
    push(control, queue, warm, 0, backlog);
    churn(control, queue, warm, backlog, Math.max(perWindow, WARM_UP_JOBS), new Histogram(3));
    control.ask("DEL", warm);
    String key = "queue:" + queue;
    push(control, queue, key, 0, backlog);
    out.printf(Locale.ROOT, "%n%s, backlog %,d, %d a round trip%n", queue.pop, backlog, pipeline);
    out.printf(
        "  %12s %12s %14s %12s %12s%n",
        "operations", "pops/s", "server µs/pop", "p99 ms/trip", "disk MB");
    double[] perSecond = new double[WINDOWS];
    double[] cpuMicros = new double[WINDOWS];
    for (int window = 0; window < WINDOWS; window++) {
      double cpuBefore = ServerFigures.ask(control).cpuSeconds();
      long start = System.nanoTime();
      Histogram trips = new Histogram(3);
      churn(control, queue, key, backlog + window * perWindow, perWindow, trips);
      perSecond[window] = perWindow * 1e9 / (System.nanoTime() - start);
      cpuMicros[window] = (ServerFigures.ask(control).cpuSeconds() - cpuBefore) * 1e6 / perWindow;
      out.printf(
          Locale.ROOT,
          "  %,12d %,12.0f %14.2f %12.2f %12.1f%n",
          (window + 1) * perWindow,
          perSecond[window],
          cpuMicros[window],
          trips.getValueAtPercentile(99) / 1e6,
          started.diskBytes() / 1e6);
    }
    Verdict.atLeast(
            queue.pop + " throughput of the last tenth / the first",
            perSecond[WINDOWS - 1] / perSecond[0],
            WANTED_RATIO)
        .print(out);
    // Neighbours on the machine take time from the wall clock, hardly from this; and the least is
    // that of code that is compiled, whenever that is.
    out.printf(
        Locale.ROOT,
        "  server CPU per pop, the least of all tenths / the last: %.2f%n",
        Arrays.stream(cpuMicros).min().orElseThrow() / cpuMicros[WINDOWS - 1]);
  }

  private void push(RespConnection control, Queue queue, String key, long from, int count)
      throws IOException {
    for (long job = from; job < from + count; job++) {
      queue.push(control, key, job);
    }
    control.flush();
    control.skipReplies(count);
  }

  /** Pushes {@code count} jobs and pops as many, and checks that every pop got one. */
  private void churn(
      RespConnection control, Queue queue, String key, long from, long count, Histogram nanos)
      throws IOException {
    for (long done = 0; done < count; done += pipeline) {
      int now = (int) Math.min(pipeline, count - done);
      long start = System.nanoTime();
      for (int i = 0; i < now; i++) {
        queue.push(control, key, from + done + i);
      }
      for (int i = 0; i < now; i++) {
        control.send(queue.pop, key);
      }
      control.flush();
      control.skipReplies(now);
      for (int i = 0; i < now; i++) {
        if (control.reply() <= 0) {
          throw new IllegalStateException(queue.pop + " got nothing of a queue that is not empty");
        }
      }
      nanos.recordValue(System.nanoTime() - start);
    }
  }
}
