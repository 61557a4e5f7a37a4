package dev.varve.server.net;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A client that sends bytes and reads replies as they are. */
public final class RawClient implements AutoCloseable {
  private static final int TIMEOUT_MILLIS = 20_000;

  private final Socket socket;
  private final InputStream in;

  public RawClient(int port) throws IOException {
    this(InetAddress.getLoopbackAddress(), port);
  }

  RawClient(InetAddress address, int port) throws IOException {
    this(new Socket(address, port));
  }

  /** Over a socket that is connected. */
  RawClient(Socket connected) throws IOException {
    socket = connected;
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(TIMEOUT_MILLIS);
    in = new BufferedInputStream(socket.getInputStream());
  }

  int localPort() {
    return socket.getLocalPort();
  }

  int serverPort() {
    return socket.getPort();
  }

  /** Whether there is something to read without waiting. */
  public boolean hasReply() throws IOException {
    return in.available() > 0;
  }

  /** Sends text as it is; "|" stands for the end of a line. */
  public RawClient send(String lines) throws IOException {
    socket
        .getOutputStream()
        .write(lines.replace("|", "\r\n").getBytes(StandardCharsets.ISO_8859_1));
    return this;
  }

  /** Sends bytes as they are. */
  public RawClient sendRaw(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    return this;
  }

  /** Sends one line and returns the one reply, its line ends written as "|". */
  public String ask(String line) throws IOException {
    return send(line + "|").reply();
  }

  /** The next whole reply. */
  public String reply() throws IOException {
    StringBuilder text = new StringBuilder();
    read(text);
    return text.toString().replace("\r\n", "|");
  }

  /** The next replies, one after the other. */
  public String replies(int count) throws IOException {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < count; i++) {
      text.append(reply());
    }
    return text.toString();
  }

  private void read(StringBuilder text) throws IOException {
    String line = line();
    text.append(line);
    long size = line.length() < 4 ? 0 : size(line);
    switch (line.charAt(0)) {
      case '$', '=' -> {
        if (size >= 0) {
          byte[] body = in.readNBytes((int) size + 2);
          text.append(new String(body, StandardCharsets.ISO_8859_1));
        }
      }
      case '*', '~', '>' -> {
        for (long i = 0; i < size; i++) {
          read(text);
        }
      }
      case '%' -> {
        for (long i = 0; i < 2 * size; i++) {
          read(text);
        }
      }
      default -> {}
    }
  }

  private static long size(String line) {
    char type = line.charAt(0);
    return "$=*~>%".indexOf(type) < 0 ? 0 : Long.parseLong(line.substring(1).trim());
  }

  private String line() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    int last = 0;
    while (true) {
      int next = in.read();
      if (next < 0) {
        throw new EOFException("connection closed after '" + line + "'");
      }
      line.write(next);
      if (last == '\r' && next == '\n') {
        return line.toString(StandardCharsets.ISO_8859_1);
      }
      last = next;
    }
  }

  /** The first line of a reply; the caller skips what is behind it. */
  public String firstLine() throws IOException {
    return line().trim();
  }

  /** Reads and drops {@code bytes} bytes. */
  public void skip(long bytes) throws IOException {
    in.skipNBytes(bytes);
  }

  /** Everything up to and with {@code end}. */
  public String upTo(String end) throws IOException {
    ByteArrayOutputStream read = new ByteArrayOutputStream();
    byte[] wanted = end.getBytes(StandardCharsets.ISO_8859_1);
    int matched = 0;
    while (matched < wanted.length) {
      int next = in.read();
      if (next < 0) {
        throw new EOFException("connection closed after " + read.size() + " bytes");
      }
      read.write(next);
      byte last = (byte) next;
      matched = last == wanted[matched] ? matched + 1 : last == wanted[0] ? 1 : 0;
    }
    return read.toString(StandardCharsets.ISO_8859_1);
  }

  /** Everything until the server closes. */
  public String untilClosed() throws IOException {
    return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1).replace("\r\n", "|");
  }

  /** Says that nothing more will be sent, and goes on reading. */
  public void endInput() throws IOException {
    socket.shutdownOutput();
  }

  /** Closes without a word: what is on its way to either side is lost. */
  public void reset() throws IOException {
    socket.setSoLinger(true, 0);
    socket.close();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
