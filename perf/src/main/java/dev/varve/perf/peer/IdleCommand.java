package dev.varve.perf.peer;

import dev.varve.perf.server.AtLeastOne;
import dev.varve.perf.server.ProcessFigures;
import dev.varve.perf.server.RespConnection;
import dev.varve.perf.server.ServerOptions;
import dev.varve.perf.server.ServerUnderTest;
import dev.varve.perf.server.Verdict;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code idle}: how soon a server is there, and what it holds while nobody wants anything. */
@Command(
    name = "idle",
    description = "Measures the start, an idle server, and thousands of idle connections.",
    mixinStandardHelpOptions = true)
public final class IdleCommand implements Callable<Integer> {
  private static final double WANTED_START_SECONDS = 1;
  private static final double WANTED_RESIDENT_MEBIBYTES = 150;
  private static final double WANTED_CONNECTION_KIBIBYTES = 10;
  private static final int SETTLE_MILLIS = 3000;

  @Mixin private ServerOptions server = new ServerOptions();

  @Option(
      names = "--connections",
      converter = AtLeastOne.class,
      description = "idle ones (default ${DEFAULT-VALUE})")
  private int connections = 10_000;

  @Option(
      names = "--starts",
      converter = AtLeastOne.class,
      description = "of which the median counts (default ${DEFAULT-VALUE})")
  private int starts = 5;

  private final PrintStream out = System.out;

  /** For picocli. */
  public IdleCommand() {}

  @Override
  public Integer call() throws IOException {
    List<Double> seconds = new ArrayList<>();
    for (int i = 1; i < starts; i++) {
      start(seconds).close();
      out.printf(Locale.ROOT, "first PONG after %.2f s%n", seconds.get(seconds.size() - 1));
    }
    try (ServerUnderTest started = start(seconds)) {
      Verdict.atMost("seconds to the first PONG", Row.middle(seconds), WANTED_START_SECONDS)
          .print(out);
      ServerUnderTest.sleepMillis(SETTLE_MILLIS);
      long idle = ProcessFigures.of(started.pid()).residentBytes();
      Verdict.atMost("MiB resident, idle", idle / 0x1p20, WANTED_RESIDENT_MEBIBYTES).print(out);
      connect(started, idle);
    }
    return 0;
  }

  private ServerUnderTest start(List<Double> seconds) throws IOException {
    long before = System.nanoTime();
    ServerUnderTest started =
        server.startIdle(out, "--maxclients", Integer.toString(connections + 100));
    try (RespConnection first = started.connect()) {
      first.ask("PING");
    }
    seconds.add((System.nanoTime() - before) / 1e9);
    return started;
  }

  private void connect(ServerUnderTest started, long idleBytes) throws IOException {
    List<RespConnection> open = new ArrayList<>();
    try {
      for (int i = 0; i < connections; i++) {
        RespConnection connection = started.connect();
        open.add(connection);
        connection.ask("PING");
      }
      ServerUnderTest.sleepMillis(SETTLE_MILLIS);
      long held = ProcessFigures.of(started.pid()).residentBytes() - idleBytes;
      Verdict.atMost(
              "KiB resident for each of " + connections + " idle connections",
              held / 1024.0 / connections,
              WANTED_CONNECTION_KIBIBYTES)
          .print(out);
    } finally {
      for (RespConnection connection : open) {
        connection.close();
      }
    }
  }
}
