package dev.varve.server;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A client that reads its replies part by part, when it likes, and keeps none. */
final class ReplyReader implements AutoCloseable {
  private static final int TIMEOUT_MILLIS = 60_000;

  private final Socket socket;
  private final InputStream in;

  ReplyReader(ServerProcess server) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(TIMEOUT_MILLIS);
    in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
  }

  /** Sends text as it is; "|" stands for the end of a line. */
  ReplyReader send(String lines) throws IOException {
    socket
        .getOutputStream()
        .write(lines.replace("|", "\r\n").getBytes(StandardCharsets.ISO_8859_1));
    return this;
  }

  /** The next line, which is a whole reply or the head of one, without its end. */
  String line() throws IOException {
    StringBuilder line = new StringBuilder();
    int next;
    while ((next = in.read()) != '\r') {
      if (next < 0) {
        throw new EOFException("closed after: " + line);
      }
      line.append((char) next);
    }
    in.skipNBytes(1);
    return line.toString();
  }

  /** The next bulk string. */
  String bulk() throws IOException {
    String head = line();
    if (!head.startsWith("$")) {
      throw new IOException("no bulk string: " + head);
    }
    byte[] body = in.readNBytes(Integer.parseInt(head.substring(1)));
    in.skipNBytes(2);
    return new String(body, StandardCharsets.ISO_8859_1);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
