package dev.varve.server.net;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A server that takes one connection, and says what the test tells it to when that does. */
final class SlowTarget implements AutoCloseable {
  private static final int TIMEOUT_MILLIS = 20_000;

  private final ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
  private Socket socket = new Socket();
  private BufferedReader in = new BufferedReader(BufferedReader.nullReader());

  SlowTarget() throws IOException {}

  int port() {
    return listening.getLocalPort();
  }

  void accept() throws IOException {
    socket = listening.accept();
    socket.setSoTimeout(TIMEOUT_MILLIS);
    in =
        new BufferedReader(
            new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
  }

  /** Reads up to a line that is {@code word}. */
  void await(String word) throws IOException {
    String line = in.readLine();
    while (line != null && !line.equals(word)) {
      line = in.readLine();
    }
    if (line == null) {
      throw new IOException("never heard " + word);
    }
  }

  /** It is asked to take keys, of which that is the last, and has yet to say that it has. */
  void isSent(String key) throws IOException {
    accept();
    await("SELECT");
    say("+OK");
    await(key);
  }

  /** Says a line. */
  void say(String line) throws IOException {
    socket.getOutputStream().write((line + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
  }

  @Override
  public void close() throws IOException {
    socket.close();
    listening.close();
  }
}
