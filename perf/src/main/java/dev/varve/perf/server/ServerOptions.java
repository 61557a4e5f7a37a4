package dev.varve.perf.server;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How the server under test is started; the same in every command. */
final class ServerOptions {
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

  /** For picocli. */
  ServerOptions() {}

  ServerUnderTest start(PrintStream out) throws IOException {
    Path base = parent == null ? Path.of(System.getProperty("java.io.tmpdir")) : parent;
    ServerUnderTest server = ServerUnderTest.start(jar, base, heapMebibytes, options);
    out.printf(
        "server: %s, heap %d MiB, options %s, pid %d%n", jar, heapMebibytes, options, server.pid());
    return server;
  }
}
