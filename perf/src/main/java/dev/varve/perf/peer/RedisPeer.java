package dev.varve.perf.peer;

import dev.varve.perf.engine.DiskUse;
import dev.varve.perf.server.ProcessFigures;
import dev.varve.perf.server.RespConnection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A redis-server of this machine, on a fresh directory, with an append-only file. */
final class RedisPeer implements Peer {
  private static final long START_SECONDS_MAX = 20;
  private static final long STOP_SECONDS_MAX = 20;
  private static final int POLL_MILLIS = 20;

  private final Path home;
  private final Process process;
  private final int port;
  private final Thread atExit = new Thread(this::discard);

  /** Starts the process. The hook waits for that: who interrupts it leaves nothing behind. */
  private RedisPeer(Path home, ProcessBuilder builder, int port) throws IOException {
    this.home = home;
    this.port = port;
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
   * Starts one and waits for its first PONG.
   *
   * @param parent where its directory is made
   * @param appendfsync as its parameter of that name
   * @throws IOException if there is none on this machine, or it does not start
   */
  static RedisPeer start(Path parent, String appendfsync) throws IOException {
    Path home = Files.createTempDirectory(parent, "varve-perf-redis-");
    int port = freePort();
    List<String> command =
        List.of(
            "redis-server",
            "--port",
            Integer.toString(port),
            "--bind",
            "127.0.0.1",
            "--dir",
            home.toString(),
            "--save",
            "",
            "--appendonly",
            "yes",
            "--appendfsync",
            appendfsync,
            "--maxclients",
            "12000");
    RedisPeer started;
    try {
      ProcessBuilder builder =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(home.resolve("output").toFile());
      started = new RedisPeer(home, builder, port);
    } catch (IOException | IllegalStateException notStarted) {
      DiskUse.delete(home);
      throw notStarted;
    }
    try {
      started.awaitPong();
      return started;
    } catch (IOException | RuntimeException failure) {
      started.close();
      throw failure;
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private void awaitPong() throws IOException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS_MAX);
    while (true) {
      try (RespConnection connection = new RespConnection(host(), port)) {
        connection.ask("PING");
        return;
      } catch (IOException notYet) {
        if (!process.isAlive() || System.nanoTime() > deadline) {
          throw new IOException(
              "redis-server did not start: " + Files.readString(home.resolve("output")), notYet);
        }
        pause();
      }
    }
  }

  private static void pause() {
    try {
      Thread.sleep(POLL_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  @Override
  public String name() {
    return REDIS;
  }

  @Override
  public String host() {
    return "127.0.0.1";
  }

  @Override
  public int port() {
    return port;
  }

  @Override
  public ProcessFigures process() throws IOException {
    return ProcessFigures.of(process.pid());
  }

  @Override
  public long diskBytes() throws IOException {
    return DiskUse.of(home);
  }

  @Override
  public Map<String, Long> memoryParts() {
    return Map.of();
  }

  private synchronized void discard() {
    try {
      process.destroyForcibly().waitFor();
      DiskUse.delete(home);
    } catch (IOException | InterruptedException e) {
      System.err.println("varve-perf: " + home + " is left behind: " + e);
    }
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(STOP_SECONDS_MAX, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
      DiskUse.delete(home);
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
