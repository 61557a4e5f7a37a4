package dev.varve.perf.server;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How the server under test is started: as the README says for speed, unless told otherwise. */
public final class ServerOptions {
  /** Enough for what is measured; a budget of memory is outside the heap. */
  private static final int HEAP_MEBIBYTES = 256;

  private static final List<String> FOR_SPEED = List.of("--io-transport", "io_uring");
  private static final String TOUCH_HEAP = "-XX:+AlwaysPreTouch";

  /**
   * Once the methods that one method inlines have been compiled anew 200 times (half of the
   * default), C2 compiles ways that were never taken as returns to the interpreter that stay for
   * ever: see docs/performance-log.md.
   */
  private static final String RECOMPILE = "-XX:PerMethodRecompilationCutoff=10000";

  @Option(names = "--jar", description = "the runnable server (default ${DEFAULT-VALUE})")
  private Path jar = Path.of("server", "target", "varve.jar");

  @Option(
      names = "--heap-mib",
      description = "heap of the server (default: 1024 beside other servers, 256 elsewhere)")
  private @Nullable Integer heapMebibytes;

  @Option(names = "--dir", description = "where to work (default: the system's temporary folder)")
  private @Nullable Path parent;

  @Option(
      names = "--server-option",
      description =
          "a word for the server's command line, may be repeated (default: --io-transport io_uring,"
              + " none for \"idle\")")
  private @Nullable List<String> options;

  @Option(
      names = "--java-option",
      description =
          "a word for its Java's command line, may be repeated (default ${DEFAULT-VALUE})")
  private List<String> javaOptions =
      new ArrayList<>(
          List.of("-XX:+UseParallelGC", "-XX:+UseTransparentHugePages", RECOMPILE, TOUCH_HEAP));

  /** For picocli. */
  public ServerOptions() {}

  /** Where servers make their directories. */
  public Path parent() {
    return parent == null ? Path.of(System.getProperty("java.io.tmpdir")) : parent;
  }

  /**
   * Starts it.
   *
   * @param more words for the server's command line, before those of the user
   */
  public ServerUnderTest start(PrintStream out, String... more) throws IOException {
    return start(HEAP_MEBIBYTES, javaOptions, FOR_SPEED, out, more);
  }

  /** The same, with a heap of so much unless the user has said how much. */
  public ServerUnderTest start(int heapMebibytesUsual, PrintStream out, String... more)
      throws IOException {
    return start(heapMebibytesUsual, javaOptions, FOR_SPEED, out, more);
  }

  /**
   * The same, but the heap takes memory only as it needs it: for who measures how much that is, or
   * has little.
   */
  public ServerUnderTest startSparing(PrintStream out, String... more) throws IOException {
    return start(HEAP_MEBIBYTES, sparing(), FOR_SPEED, out, more);
  }

  /** The same, and with the transport that a server has that nobody has told anything. */
  public ServerUnderTest startIdle(PrintStream out, String... more) throws IOException {
    return start(HEAP_MEBIBYTES, sparing(), List.of(), out, more);
  }

  private List<String> sparing() {
    List<String> java = new ArrayList<>(javaOptions);
    java.remove(TOUCH_HEAP);
    return java;
  }

  private ServerUnderTest start(
      int heapMebibytesUsual,
      List<String> with,
      List<String> optionsUsual,
      PrintStream out,
      String... more)
      throws IOException {
    int heap = heapMebibytes == null ? heapMebibytesUsual : heapMebibytes;
    List<String> java = new ArrayList<>(with);
    java.add("-Xmx" + heap + "m");
    if (java.contains(TOUCH_HEAP)) {
      java.add("-Xms" + heap + "m");
    }
    List<String> words = new ArrayList<>(List.of(more));
    words.addAll(options == null ? optionsUsual : options);
    ServerUnderTest server = ServerUnderTest.start(jar, parent(), java, words);
    out.printf("server: %s, java %s, options %s, pid %d%n", jar, java, words, server.pid());
    return server;
  }
}
