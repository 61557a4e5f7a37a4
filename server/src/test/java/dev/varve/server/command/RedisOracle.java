package dev.varve.server.command;

import dev.varve.server.FreePort;
import dev.varve.server.resp.Args;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/**
 * A redis-server 7.0 of the test's own, to ask what the right reply is. Where none is installed the
 * test is skipped and says so.
 *
 * <p>Single-threaded.
 */
public final class RedisOracle implements AutoCloseable {
  private static final String EXPECTED_VERSION = "v=7.0.";
  private static final int START_MILLIS_MAX = 10_000;

  private final Process process;
  private final Socket socket;
  private final InputStream replies;
  private final int port;

  private RedisOracle(Process process, int port, Socket socket) throws IOException {
    this.process = process;
    this.port = port;
    this.socket = socket;
    this.replies = new BufferedInputStream(socket.getInputStream());
  }

  /**
   * Starts one that keeps its data in memory; aborts the test where there is none.
   *
   * @param more options of its command line
   */
  public static RedisOracle start(Path directory, String... more)
      throws IOException, InterruptedException {
    Assumptions.assumeTrue(
        isInstalled(),
        "skipped: redis-server 7.0 is not installed, there is nothing to compare with");
    int port = FreePort.any();
    List<String> command =
        new ArrayList<>(
            List.of(
                "redis-server",
                "--port",
                Integer.toString(port),
                "--bind",
                "127.0.0.1",
                "--save",
                "",
                "--appendonly",
                "no",
                "--dir",
                directory.toString(),
                "--hash-max-listpack-entries",
                "128"));
    command.addAll(List.of(more));
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      return new RedisOracle(process, port, connect(process, port));
    } catch (IOException | InterruptedException | RuntimeException failure) {
      process.destroyForcibly();
      throw failure;
    }
  }

  private static boolean isInstalled() throws InterruptedException {
    try {
      Process process = new ProcessBuilder("redis-server", "--version").start();
      String version =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      process.waitFor();
      return version.contains(EXPECTED_VERSION);
    } catch (IOException missing) {
      return false;
    }
  }

  private static Socket connect(Process process, int port)
      throws IOException, InterruptedException {
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(START_MILLIS_MAX);
    while (true) {
      Socket socket = new Socket();
      try {
        socket.connect(address);
        socket.setTcpNoDelay(true);
        return socket;
      } catch (IOException notYet) {
        socket.close();
        if (!process.isAlive() || System.nanoTime() > deadline) {
          throw notYet;
        }
        Thread.sleep(5);
      }
    }
  }

  /** Where it listens. */
  public int port() {
    return port;
  }

  /** The reply to a request, as it goes over the wire. */
  public String run(String... parts) {
    return run(Args.of(parts));
  }

  /** The reply to a request with any bytes in it, as ISO 8859-1. */
  public String run(Args args) {
    try {
      ByteArrayOutputStream request = new ByteArrayOutputStream();
      request.writeBytes(ascii("*" + args.count() + "\r\n"));
      for (int i = 0; i < args.count(); i++) {
        request.writeBytes(ascii("$" + args.get(i).length + "\r\n"));
        request.writeBytes(args.get(i));
        request.writeBytes(ascii("\r\n"));
      }
      socket.getOutputStream().write(request.toByteArray());
      StringBuilder reply = new StringBuilder();
      readReply(reply);
      return reply.toString();
    } catch (IOException failure) {
      throw new AssertionError("redis-server is gone", failure);
    }
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private void readReply(StringBuilder reply) throws IOException {
    int begin = reply.length();
    int read;
    do {
      read = readByte(reply);
    } while (read != '\n');
    String rest = reply.substring(begin + 1, reply.length() - 2);
    switch (reply.charAt(begin)) {
      case '$', '=' -> {
        int length = Integer.parseInt(rest);
        for (int i = 0; length >= 0 && i < length + 2; i++) {
          readByte(reply);
        }
      }
      case '*', '~', '>', '%' -> {
        int size = Integer.parseInt(rest) * (reply.charAt(begin) == '%' ? 2 : 1);
        for (int i = 0; i < size; i++) {
          readReply(reply);
        }
      }
      default -> {}
    }
  }

  private int readByte(StringBuilder reply) throws IOException {
    int read = replies.read();
    if (read < 0) {
      throw new EOFException("in the middle of a reply");
    }
    reply.append((char) read);
    return read;
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException alreadyGone) {
      // Nothing is lost with it.
    }
    process.destroyForcibly();
  }
}
