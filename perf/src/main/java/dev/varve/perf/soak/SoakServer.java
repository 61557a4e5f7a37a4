package dev.varve.perf.soak;

import dev.varve.perf.server.ProcessFigures;
import dev.varve.perf.server.RespConnection;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** One life of the server's process on a directory that outlives it. For one thread. */
final class SoakServer implements Closeable {
  private static final long READY_SECONDS_MAX = 120;
  private static final long STOP_SECONDS_MAX = 60;

  private final Process process;
  private final Path data;
  private final Thread atExit = new Thread(this::kill);
  private int port;

  /** Starts the process. The hook waits for that: who interrupts the soak leaves no server. */
  private SoakServer(ProcessBuilder builder, Path data) throws IOException {
    this.data = data;
    synchronized (this) {
      Runtime.getRuntime().addShutdownHook(atExit);
      process = builder.start();
    }
  }

  /** Starts one and waits until it is ready. */
  static SoakServer start(Path jar, Path home, List<String> javaOptions, List<String> options)
      throws IOException {
    Path said = home.resolve("output");
    Files.deleteIfExists(said);
    Path data = home.resolve("data");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(javaOptions);
    command.addAll(List.of("-jar", jar.toString(), "--port", "0", "--dir", data.toString()));
    command.addAll(options);
    SoakServer started =
        new SoakServer(
            new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said.toFile()),
            data);
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(READY_SECONDS_MAX);
    while (started.process.isAlive() && System.nanoTime() < deadline) {
      for (String line : Files.readAllLines(said)) {
        if (line.contains("ready on")) {
          started.port = Integer.parseInt(line.substring(line.lastIndexOf(' ') + 1));
          return started;
        }
      }
      pause();
    }
    started.close();
    throw new IOException("the server did not start: " + Files.readString(said));
  }

  /** Throws if the directory that a server has left is damaged, or does not agree with itself. */
  static void requireSound(Path jar, Path home) throws IOException, InterruptedException {
    Path said = home.resolve("check");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-jar",
                jar.toString(),
                "--check",
                "--dir",
                home.resolve("data").toString())
            .redirectErrorStream(true)
            .redirectOutput(said.toFile())
            .start();
    if (process.waitFor() != 0) {
      throw new IOException("--check of " + home + " says: " + Files.readString(said));
    }
  }

  private static void pause() throws IOException {
    try {
      TimeUnit.MILLISECONDS.sleep(20);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  RespConnection connect() throws IOException {
    return new RespConnection("127.0.0.1", port);
  }

  /** Ends it, as {@code kill -9} or as {@code kill} does. */
  void end(boolean byKill) throws IOException {
    if (byKill) {
      process.destroyForcibly();
    } else {
      process.toHandle().destroy();
    }
    try {
      if (!process.waitFor(STOP_SECONDS_MAX, TimeUnit.SECONDS)) {
        throw new IOException("the server still runs " + STOP_SECONDS_MAX + " s after a signal");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  /** Open file descriptors, sockets among them; 0 where the system does not tell. */
  long openFiles() throws IOException {
    Path descriptors = Path.of("/proc", Long.toString(process.pid()), "fd");
    return Files.isDirectory(descriptors) ? count(descriptors) : 0;
  }

  /** Resident bytes; 0 where the system does not tell. */
  long residentBytes() throws IOException {
    return Math.max(0, ProcessFigures.of(process.pid()).residentBytes());
  }

  /** Files in its directory. */
  long files() throws IOException {
    return count(data);
  }

  Path data() {
    return data;
  }

  private static long count(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.count();
    }
  }

  private synchronized void kill() {
    process.destroyForcibly();
  }

  @Override
  public void close() {
    kill();
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException exiting) {
      // The hook kills what is dead.
    }
  }
}
