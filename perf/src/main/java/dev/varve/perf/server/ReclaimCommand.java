package dev.varve.perf.server;

import static dev.varve.perf.server.RespConnection.bytes;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code reclaim}: what a deletion costs, when its space is back, and who notices meanwhile. */
@Command(
    name = "reclaim",
    description = "Deletes hashes of many fields and follows until their space is back.",
    mixinStandardHelpOptions = true)
public final class ReclaimCommand implements Callable<Integer> {
  private static final int FIELDS_PER_COMMAND = 100;
  private static final int COMMANDS_PER_FLUSH = 40;
  private static final int VALUE_BYTES = 50;
  private static final long WARM_UP_HASHES = 2_000;
  private static final int WARM_UP_FIELDS = 200;
  private static final int WARM_UP_ROUNDS = 12;
  private static final int WARM_UP_ROUND_HASHES = 5;
  private static final int WARM_UP_ROUND_FIELDS = 20_000;
  private static final long WARM_UP_ROUND_MILLIS = 700;

  /** The load runs in before it counts. */
  private static final long SETTLE_MILLIS = 3_000;

  private static final double WANTED_READ_SHARE = 0.2;
  private static final double WANTED_P99_RATIO = 2;

  /** Less than this lies in one table or in the memtable: its share of reading says nothing. */
  private static final long LARGE_BYTES = 64L << 20;

  private static final double MEGABYTE = 1e6;

  @Mixin private ServerOptions server = new ServerOptions();

  @Option(
      names = "--fields",
      converter = AtLeastOne.Wide.class,
      split = ",",
      description = "sizes of the hashes (default ${DEFAULT-VALUE}; 10000000 takes minutes)",
      defaultValue = "10,10000,1000000")
  private List<Long> sizes = new ArrayList<>();

  @Option(
      names = "--load",
      converter = AtLeastOne.class,
      description = "requests per second meanwhile (default ${DEFAULT-VALUE})")
  private int loadPerSecond = 1_000;

  @Option(
      names = "--window-seconds",
      converter = AtLeastOne.class,
      description =
          "how long others are measured, idle and as long from the deletion on"
              + " (default ${DEFAULT-VALUE})")
  private int windowSeconds = 10;

  private final SplittableRandom random = new SplittableRandom(1);

  /** For picocli. */
  public ReclaimCommand() {}

  @Override
  public Integer call() throws IOException {
    PrintStream out = System.out;
    try (ServerUnderTest started = server.start(out);
        RespConnection control = started.connect()) {
      warmUp(control);
      for (long fields : sizes) {
        measure(started, control, fields, out);
        started.printMemory(out, control);
      }
    }
    return 0;
  }

  /**
   * The code of DEL and that of reclaiming is compiled before it counts, and with it the flat line
   * means something.
   */
  private void warmUp(RespConnection control) throws IOException {
    SteadyLoad.fill(control);
    for (int i = 0; i < WARM_UP_HASHES; i++) {
      fill(control, "warm", WARM_UP_FIELDS);
      control.ask("DEL", "warm");
    }
    for (int round = 0; round < WARM_UP_ROUNDS; round++) {
      for (int i = 0; i < WARM_UP_ROUND_HASHES; i++) {
        fill(control, "warm:" + i, WARM_UP_ROUND_FIELDS);
      }
      control.ask("SAVE");
      for (int i = 0; i < WARM_UP_ROUND_HASHES; i++) {
        control.ask("DEL", "warm:" + i);
      }
      ServerUnderTest.sleepMillis(WARM_UP_ROUND_MILLIS);
    }
  }

  private void measure(
      ServerUnderTest started, RespConnection control, long fields, PrintStream out)
      throws IOException {
    int hashes = hashes(fields);
    out.printf(
        Locale.ROOT, "%n%,d hash(es) of %,d fields of %d bytes%n", hashes, fields, VALUE_BYTES);
    started.awaitQuiet(control);
    DiskCurve.Point empty = DiskCurve.point(started, control, System.nanoTime());
    for (int i = 0; i < hashes; i++) {
      fill(control, "hash:" + i, fields);
    }
    started.awaitQuiet(control);
    DiskCurve curve = new DiskCurve(empty, DiskCurve.point(started, control, System.nanoTime()));
    ServerFigures before;
    Histogram idle;
    Histogram untilBack;
    Histogram busy;
    try (SteadyLoad load = new SteadyLoad(started, SteadyLoad.Mix.GET_SET, loadPerSecond)) {
      ServerUnderTest.sleepMillis(SETTLE_MILLIS);
      load.latencies();
      ServerUnderTest.sleepMillis(windowSeconds * 1000L);
      idle = load.latencies();
      // What was merged until now, late as it may be, belongs to the loading.
      before = ServerFigures.ask(control);
      long start = System.nanoTime();
      deleteAll(control, hashes, out);
      curve.followUntilBack(started, control, start);
      untilBack = load.latencies();
      // Reclaiming may be over in a fraction of a second. The others are judged over as long as
      // they were idle: of a few hundred requests, no percentile says anything.
      curve.followFor(started, control, start, windowSeconds * 1000L);
      busy = load.latencies();
      busy.add(untilBack);
      curve.followUntilCounted(started, control, start);
    }
    ServerFigures after = started.awaitQuiet(control);
    curve.print(out);
    printWork(before, after, curve, out);
    printLatencies("idle", idle, out);
    printLatencies("until back", untilBack, out);
    printLatencies("reclaiming", busy, out);
    curve.printVerdicts(out);
    if (curve.deadBytes() >= LARGE_BYTES) {
      double read = grown("compaction_read_bytes_total", before, after);
      Verdict.atMost(
              "bytes read per byte reclaimed",
              read / Math.max(1, curve.freedTableBytes(after)),
              WANTED_READ_SHARE)
          .print(out);
    }
    Verdict.atMost(
            "p99 while reclaiming / idle",
            (double) busy.getValueAtPercentile(99) / idle.getValueAtPercentile(99),
            WANTED_P99_RATIO)
        .print(out);
  }

  private static int hashes(long fields) {
    return fields <= 1_000 ? 200 : fields <= 100_000 ? 20 : 1;
  }

  private void fill(RespConnection control, String key, long fields) throws IOException {
    byte[] value = new byte[VALUE_BYTES];
    int sent = 0;
    for (long from = 0; from < fields; from += FIELDS_PER_COMMAND) {
      int count = (int) Math.min(FIELDS_PER_COMMAND, fields - from);
      byte[][] command = new byte[2 + 2 * count][];
      command[0] = bytes("HSET");
      command[1] = bytes(key);
      for (int i = 0; i < count; i++) {
        random.nextBytes(value);
        command[2 + 2 * i] = bytes("field:" + (from + i));
        command[3 + 2 * i] = value.clone();
      }
      control.send(command);
      if (++sent == COMMANDS_PER_FLUSH) {
        control.flush();
        control.skipReplies(sent);
        sent = 0;
      }
    }
    control.flush();
    control.skipReplies(sent);
  }

  private static void deleteAll(RespConnection control, int hashes, PrintStream out)
      throws IOException {
    Histogram pings = new Histogram(3);
    Histogram deletions = new Histogram(3);
    for (int i = 0; i < hashes; i++) {
      time(control, pings, "PING");
      time(control, deletions, "DEL", "hash:" + i);
    }
    out.printf(
        Locale.ROOT,
        "  DEL ms: median %.2f, max %.2f; PING beside it: median %.2f, max %.2f%n",
        deletions.getValueAtPercentile(50) / 1e6,
        deletions.getMaxValue() / 1e6,
        pings.getValueAtPercentile(50) / 1e6,
        pings.getMaxValue() / 1e6);
  }

  private static void time(RespConnection control, Histogram nanos, String... command)
      throws IOException {
    long start = System.nanoTime();
    control.ask(command);
    nanos.recordValue(System.nanoTime() - start);
  }

  private static void printWork(
      ServerFigures before, ServerFigures after, DiskCurve curve, PrintStream out) {
    out.printf(
        Locale.ROOT,
        "  reclaiming read %.1f MB, wrote %.1f MB, in %d merges and %d deletions of tables;"
            + " garbage_reclaimed %.1f MB in %,d entries; tables are %.1f MB smaller%n",
        grown("compaction_read_bytes_total", before, after) / MEGABYTE,
        grown("compaction_written_bytes_total", before, after) / MEGABYTE,
        grown("compaction_merges_total", before, after),
        grown("compaction_deletions_total", before, after),
        grown("garbage_reclaimed_bytes_total", before, after) / MEGABYTE,
        grown("garbage_reclaimed_entries_total", before, after),
        curve.freedTableBytes(after) / MEGABYTE);
    out.printf(
        "  pending now: %d entries, %d bytes, %d records, oldest %d ms%n",
        after.number("garbage_pending_entries"),
        after.number("garbage_pending_bytes"),
        after.number("garbage_pending_records"),
        after.number("garbage_oldest_pending_millis"));
  }

  private static long grown(String name, ServerFigures before, ServerFigures after) {
    return after.number(name) - before.number(name);
  }

  private static void printLatencies(String when, Histogram nanos, PrintStream out) {
    out.printf(
        Locale.ROOT,
        "  others %-10s ms: p50 %.2f, p99 %.2f, max %.2f (%,d requests)%n",
        when,
        nanos.getValueAtPercentile(50) / 1e6,
        nanos.getValueAtPercentile(99) / 1e6,
        nanos.getMaxValue() / 1e6,
        nanos.getTotalCount());
  }
}
