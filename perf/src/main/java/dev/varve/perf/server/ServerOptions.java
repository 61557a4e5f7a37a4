package dev.varve.perf.server;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How the server under test is started: as the README says for speed, in every command. */
public final class ServerOptions {
  private static final String TOUCH_HEAP = "-XX:+AlwaysPreTouch";

  /**
   * Once the methods that one method inlines have been compiled anew 200 times (half of the
   * default), C2 compiles ways that were never taken as returns to the interpreter that stay for
   * ever: see docs/performance-log.md.
   */
  private static final String RECOMPILE = "-XX:PerMethodRecompilationCutoff=10000";

  @Option(names = "--jar", description = "the runnable server (default ${DEFAULT-VALUE})")
  private Path jar = Path.of("server", "target", "varve.jar");

  @Option(names = "--heap-mib", description = "heap of the server (default ${DEFAULT-VALUE})")
  private int heapMebibytes = 256;

  @Option(names = "--dir", description = "where to work (default: the system's temporary folder)")
  private @Nullable Path parent;

  @Option(
      names = "--server-option",
      description = "a word for the server's command line, may be repeated")
  private List<String> options = new ArrayList<>();

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
    return start(javaOptions, out, more);
  }

  /**
   * The same, but the heap takes memory only as it needs it: for who measures how much that is, or
   * has little.
   */
  public ServerUnderTest startSparing(PrintStream out, String... more) throws IOException {
    List<String> java = new ArrayList<>(javaOptions);
    java.remove(TOUCH_HEAP);
    return start(java, out, more);
  }

  private ServerUnderTest start(List<String> with, PrintStream out, String... more)
      throws IOException {
    List<String> java = new ArrayList<>(with);
    java.add("-Xmx" + heapMebibytes + "m");
    if (java.contains(TOUCH_HEAP)) {
      java.add("-Xms" + heapMebibytes + "m");
    }
    List<String> words = new ArrayList<>(List.of(more));
    words.addAll(options);
    ServerUnderTest server = ServerUnderTest.start(jar, parent(), java, words);
    out.printf("server: %s, java %s, options %s, pid %d%n", jar, java, words, server.pid());
    return server;
  }
}
