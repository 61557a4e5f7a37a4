package dev.varve.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.varve.server.net.RawClient;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;

/**
 * Varve in a process of its own, on the class path of the test.
 *
 * <p>Single-threaded, but for {@link #client}. Every wait has an end.
 */
public final class ServerProcess implements AutoCloseable {
  private static final long SECONDS_MAX = 60;

  /** What the runnable jar says in its manifest; and quick to start rather than quick for long. */
  private static final List<String> JVM_OPTIONS =
      List.of(
          "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
          "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
          "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
          "-XX:TieredStopAtLevel=1",
          "-XX:+UseSerialGC");

  private static final int HEAP_MEBIBYTES = 192;

  private final Process process;
  private final ProcessOutput out;
  private final ProcessOutput err;
  private int port;

  /** How a process ended, and what it said. */
  public record End(int exit, String out, String err) {}

  private ServerProcess(List<String> arguments) throws IOException {
    this(Varve.class, arguments);
  }

  private ServerProcess(Class<?> program, List<String> arguments) throws IOException {
    this(List.of(), HEAP_MEBIBYTES, System.getProperty("java.class.path"), program, arguments);
  }

  private ServerProcess(
      List<String> before,
      int heapMebibytes,
      String classPath,
      Class<?> program,
      List<String> arguments)
      throws IOException {
    List<String> command = new ArrayList<>(before);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(JVM_OPTIONS);
    command.add("-Xmx" + heapMebibytes + "m");
    command.add("-cp");
    command.add(classPath);
    command.add(program.getName());
    command.addAll(arguments);
    process = new ProcessBuilder(command).start();
    process.getOutputStream().close();
    out = new ProcessOutput(process.getInputStream());
    err = new ProcessOutput(process.getErrorStream());
  }

  /** Starts one on a directory and a free port, and waits until it is ready. */
  static ServerProcess start(Path directory, String... options)
      throws IOException, InterruptedException {
    ServerProcess server = begin(directory, options);
    server.awaitReady();
    return server;
  }

  /** The same without the wait. */
  static ServerProcess begin(Path directory, String... options) throws IOException {
    return new ServerProcess(arguments(directory, options));
  }

  private static List<String> arguments(Path directory, String... options) {
    List<String> arguments = new ArrayList<>(List.of("--port", "0"));
    arguments.addAll(List.of("--dir", directory.toString()));
    arguments.addAll(List.of(options));
    return arguments;
  }

  /** As {@link #start}, with no more memory than that. */
  static ServerProcess startWithin(MemoryBudget budget, Path directory, String... options)
      throws IOException, InterruptedException {
    return startWithin(
        budget, List.of(), System.getProperty("java.class.path"), arguments(directory, options));
  }

  private static ServerProcess startWithin(
      MemoryBudget budget, List<String> before, String classPath, List<String> arguments)
      throws IOException, InterruptedException {
    arguments.addAll(List.of("--maxmemory", budget.maxmemoryMebibytes() + "mb"));
    ServerProcess server =
        new ServerProcess(before, budget.heapMebibytes(), classPath, Varve.class, arguments);
    server.awaitReady();
    return server;
  }

  /** The same, with at most so many open files and sockets. */
  static ServerProcess startWithFilesMax(
      int files, MemoryBudget budget, Path directory, String... options)
      throws IOException, InterruptedException {
    String limited = "ulimit -n " + files + "; exec \"$0\" \"$@\"";
    return startWithin(
        budget,
        List.of("sh", "-c", limited),
        classPathOfJars(directory),
        arguments(directory, options));
  }

  /** A class in a directory could not be loaded when no more files can be opened. */
  private static String classPathOfJars(Path beside) throws IOException {
    List<String> jars = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      Path classes = Path.of(entry);
      if (Files.isDirectory(classes)) {
        Path jar = beside.resolveSibling("classes" + jars.size() + ".jar");
        pack(classes, jar);
        jars.add(jar.toString());
      } else {
        jars.add(entry);
      }
    }
    return String.join(File.pathSeparator, jars);
  }

  private static void pack(Path classes, Path jar) throws IOException {
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
        Stream<Path> files = Files.walk(classes)) {
      for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
        String name = classes.relativize(file).toString();
        if (!name.equals(JarFile.MANIFEST_NAME)) {
          out.putNextEntry(new ZipEntry(name));
          Files.copy(file, out);
          out.closeEntry();
        }
      }
    }
  }

  /** Begins another program, which says as Varve does when it is ready, and on which port. */
  public static ServerProcess beginAnother(Class<?> program, String... arguments)
      throws IOException {
    return new ServerProcess(program, List.of(arguments));
  }

  /** Starts one with exactly these arguments, and waits until it is ready. */
  static ServerProcess startWith(String... arguments) throws IOException, InterruptedException {
    ServerProcess server = new ServerProcess(List.of(arguments));
    server.awaitReady();
    return server;
  }

  /** Begins one with exactly these arguments. */
  static ServerProcess beginWith(String... arguments) throws IOException {
    return new ServerProcess(List.of(arguments));
  }

  /** Runs one that is expected to end by itself. */
  static End run(String... arguments) throws IOException, InterruptedException {
    try (ServerProcess server = new ServerProcess(List.of(arguments))) {
      return server.end();
    }
  }

  /** Runs one on a directory, where it is expected to end by itself. */
  static End runOn(Path directory) throws IOException, InterruptedException {
    return run("--port", "0", "--dir", directory.toString());
  }

  private static final Pattern PORT = Pattern.compile("(?<!TLS) port (\\d+)");

  private void awaitReady() throws InterruptedException {
    if (!becomesReady()) {
      String said = out.text() + err.text();
      process.destroyForcibly();
      fail("the server did not start: " + said);
    }
  }

  /** Waits until it is ready, or has ended before. */
  public boolean becomesReady() throws InterruptedException {
    String line = out.awaitLine("ready on", SECONDS_MAX);
    Matcher first = PORT.matcher(line);
    port = first.find() ? Integer.parseInt(first.group(1)) : 0;
    return !line.isEmpty();
  }

  public int port() {
    return port;
  }

  /** A new connection. */
  RawClient client() throws IOException {
    return new RawClient(port);
  }

  /** What it has written to its standard output so far. */
  String output() {
    return out.text();
  }

  long pid() {
    return process.pid();
  }

  /** Kills it as {@code kill -9} does. */
  public End kill() throws InterruptedException {
    process.toHandle().destroyForcibly();
    return end();
  }

  /** Asks it to stop as {@code kill} does, and expects that it does so cleanly. */
  End stop() throws InterruptedException {
    // By its handle: Process.destroy would close the streams too, and lose the last words.
    process.toHandle().destroy();
    End end = end();
    assertEquals(0, end.exit(), () -> end.out() + end.err());
    return end;
  }

  /** Waits until it has ended. */
  public End end() throws InterruptedException {
    assertTrue(
        process.waitFor(SECONDS_MAX, TimeUnit.SECONDS),
        () -> "still runs after " + SECONDS_MAX + " s: " + out.text() + err.text());
    return new End(process.exitValue(), out.whole(SECONDS_MAX), err.whole(SECONDS_MAX));
  }

  /** Leaves nothing running, whatever the test did. */
  @Override
  public void close() {
    process.destroyForcibly();
  }
}
