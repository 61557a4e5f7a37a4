package dev.varve.perf.server;

import dev.varve.perf.engine.DiskUse;
import java.io.Closeable;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;
import java.util.concurrent.TimeUnit;

/**
 * A Varve process on a fresh directory, stopped and removed at the end, also when the harness is
 * interrupted.
 *
 * <p>Used by one thread, but {@link #connect} by any.
 */
public final class ServerUnderTest implements Closeable {
  private static final long MEBIBYTE = 1L << 20;
  private static final long READY_SECONDS_MAX = 60;
  private static final long STOP_SECONDS_MAX = 60;
  private static final long QUIET_SECONDS_MAX = 600;

  /** Seconds in a row without work that make the server quiet. */
  private static final int QUIET_SECONDS = 2;

  /** More CPU time than this in a second, and something is at work that has not ended yet. */
  private static final double QUIET_CPU_SECONDS = 0.15;

  private static final String READY = "ready on";
  private static final String FAREWELL = "stopped; everything is on disk";
  private static final String OUTPUT = "output";

  /** What the README says for speed; of no meaning where the library is another one. */
  private static final String HUGE_PAGES_OFF_HEAP = "glibc.malloc.hugetlb=1";

  private final Path home;
  private final Path data;
  private final Process process;
  private int port;
  private final Thread atExit;

  /** Starts the process. The hook waits for that: who interrupts it leaves nothing behind. */
  private ServerUnderTest(Path home, Path data, ProcessBuilder builder) throws IOException {
    this.home = home;
    this.data = data;
    this.atExit = new Thread(this::discard);
    synchronized (this) {
      Runtime.getRuntime().addShutdownHook(atExit);
      try {
        process = builder.start();
      } catch (IOException notThere) {
        Runtime.getRuntime().removeShutdownHook(atExit);
        throw notThere;
      }
    }
  }

  /**
   * Starts one and waits until it is ready.
   *
   * @param parent where its directory is made
   * @param javaOptions of its virtual machine
   * @param options of the server, as on its command line
   */
  static ServerUnderTest start(
      Path jar, Path parent, List<String> javaOptions, List<String> options) throws IOException {
    if (!Files.isRegularFile(jar)) {
      throw new IOException("no server at " + jar + ": build it, or say --jar");
    }
    Path home = Files.createTempDirectory(parent, "varve-perf-");
    Path data = Files.createDirectory(home.resolve("data"));
    Path said = home.resolve(OUTPUT);
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(javaOptions);
    command.addAll(List.of("-jar", jar.toString(), "--port", "0", "--dir", data.toString()));
    command.addAll(options);
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said.toFile());
    builder.environment().putIfAbsent("GLIBC_TUNABLES", HUGE_PAGES_OFF_HEAP);
    ServerUnderTest started;
    try {
      started = new ServerUnderTest(home, data, builder);
    } catch (IOException | IllegalStateException notStarted) {
      DiskUse.delete(home);
      throw notStarted;
    }
    try {
      started.port = awaitReady(started.process, said);
      return started;
    } catch (IOException | RuntimeException e) {
      started.discard();
      started.forget();
      throw e;
    }
  }

  private static int awaitReady(Process process, Path said) throws IOException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(READY_SECONDS_MAX);
    while (process.isAlive() && System.nanoTime() < deadline) {
      String text = Files.readString(said);
      // What stands behind the last end of a line may be a part of one.
      for (String line : text.substring(0, text.lastIndexOf('\n') + 1).split("\n")) {
        if (line.contains(READY)) {
          return Integer.parseInt(line.substring(line.lastIndexOf(' ') + 1));
        }
      }
      sleepMillis(20);
    }
    throw new IOException("the server did not start: " + Files.readString(said));
  }

  /** A new connection to it. Any thread. */
  public RespConnection connect() throws IOException {
    return new RespConnection(port);
  }

  /** Bytes of all its files, the log among them. */
  public long diskBytes() throws IOException {
    return DiskUse.of(data);
  }

  /** Waits until no flush and no merge is under way or due, and returns the figures then. */
  public ServerFigures awaitQuiet(RespConnection control) throws IOException {
    ServerFigures last = ServerFigures.ask(control);
    int quiet = 0;
    for (int second = 0; quiet < QUIET_SECONDS; second++) {
      if (second == QUIET_SECONDS_MAX) {
        throw new IOException("the server is still busy after " + QUIET_SECONDS_MAX + " s");
      }
      sleepMillis(1000);
      ServerFigures now = ServerFigures.ask(control);
      boolean idle =
          now.backgroundWork().equals(last.backgroundWork())
              && !now.isWorking()
              && now.cpuSeconds() - last.cpuSeconds() < QUIET_CPU_SECONDS;
      quiet = idle ? quiet + 1 : 0;
      last = now;
    }
    return last;
  }

  /** Prints what memory it holds, by part, and what the system says it has resident. */
  public void printMemory(PrintStream out, RespConnection control) throws IOException {
    StringJoiner parts = new StringJoiner(", ");
    ServerFigures.ask(control)
        .memoryParts()
        .forEach(
            (part, bytes) ->
                parts.add(String.format(Locale.ROOT, "%s %.1f", part, bytes / (double) MEBIBYTE)));
    out.printf(Locale.ROOT, "  memory, MiB: %s; resident %d%n", parts, residentMebibytes());
  }

  /** Zero where the system does not tell. */
  private long residentMebibytes() throws IOException {
    return Math.max(0, ProcessFigures.of(process.pid()).residentBytes()) / MEBIBYTE;
  }

  public long pid() {
    return process.pid();
  }

  /** Where its files are. */
  public Path dataDirectory() {
    return data;
  }

  public int port() {
    return port;
  }

  /** Lets time pass. */
  public static void sleepMillis(long millis) {
    try {
      TimeUnit.MILLISECONDS.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  /** There is nothing to discard at the end any more. */
  private void forget() {
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException exiting) {
      process.destroyForcibly();
    }
  }

  /** When the harness is interrupted, or the server does not start. */
  private synchronized void discard() {
    try {
      process.destroyForcibly().waitFor();
      DiskUse.delete(home);
    } catch (IOException | InterruptedException e) {
      System.err.println("varve-perf: " + home + " is left behind: " + e);
    }
  }

  /** What it has said since it was ready: nothing but its farewell while all is well. */
  private void printWhatItSaid() throws IOException {
    boolean isReady = false;
    for (String line : Files.readAllLines(home.resolve(OUTPUT))) {
      if (isReady && !line.contains(FAREWELL)) {
        System.err.println("the server said: " + line);
      }
      isReady |= line.contains(READY);
    }
  }

  @Override
  public void close() {
    if (!process.isAlive()) {
      System.err.println("the server has ended by itself, exit value " + process.exitValue());
    }
    process.destroy();
    try {
      if (!process.waitFor(STOP_SECONDS_MAX, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
      printWhatItSaid();
      DiskUse.delete(home);
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      forget();
    }
  }
}
