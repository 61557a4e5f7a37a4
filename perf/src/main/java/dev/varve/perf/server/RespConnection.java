package dev.varve.perf.server;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * A blocking RESP2 connection: send as many commands as wanted, flush, read as many replies.
 *
 * <p>Used by one thread, or by one that sends and one that reads. An error reply is an {@link
 * IOException}: no measurement expects one.
 */
public final class RespConnection implements Closeable {
  private static final int BUFFER_BYTES = 64 << 10;
  private static final int TIMEOUT_MILLIS = 120_000;
  private static final int LINE_BYTES_MAX = 64 << 10;
  private static final byte[] LINE_END = {'\r', '\n'};

  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;

  /** To a server of this machine. */
  RespConnection(int port) throws IOException {
    this(InetAddress.getLoopbackAddress().getHostAddress(), port);
  }

  /** Connects. */
  public RespConnection(String host, int port) throws IOException {
    socket = new Socket(host, port);
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(TIMEOUT_MILLIS);
    in = new BufferedInputStream(socket.getInputStream(), BUFFER_BYTES);
    out = new BufferedOutputStream(socket.getOutputStream(), BUFFER_BYTES);
  }

  /** As UTF-8. */
  public static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Appends a command to what the next {@link #flush} sends. */
  public RespConnection send(byte[]... arguments) throws IOException {
    header('*', arguments.length);
    for (byte[] argument : arguments) {
      header('$', argument.length);
      out.write(argument);
      out.write(LINE_END);
    }
    return this;
  }

  /** The same with text. */
  public RespConnection send(String... arguments) throws IOException {
    byte[][] encoded = new byte[arguments.length][];
    for (int i = 0; i < arguments.length; i++) {
      encoded[i] = bytes(arguments[i]);
    }
    return send(encoded);
  }

  /** Sends what was appended. */
  public void flush() throws IOException {
    out.flush();
  }

  /**
   * Reads one whole reply and returns its number: an integer itself, the length of a bulk string
   * (-1 if null), the count of an array, 0 for a status.
   */
  public long reply() throws IOException {
    String line = line();
    switch (line.charAt(0)) {
      case '+':
        return 0;
      case ':':
        return Long.parseLong(line, 1, line.length(), 10);
      case '$':
        long length = Long.parseLong(line, 1, line.length(), 10);
        if (length >= 0) {
          in.skipNBytes(length + LINE_END.length);
        }
        return length;
      case '*':
        long count = Long.parseLong(line, 1, line.length(), 10);
        for (long i = 0; i < count; i++) {
          reply();
        }
        return count;
      default:
        throw new IOException("the server said: " + line);
    }
  }

  /** Reads the head of an array, whose elements are the next replies; returns how many. */
  public long arrayHead() throws IOException {
    String line = line();
    if (line.charAt(0) != '*') {
      throw new IOException("the server said: " + line);
    }
    return Long.parseLong(line, 1, line.length(), 10);
  }

  /** Reads {@code count} replies and drops them. */
  public void skipReplies(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      reply();
    }
  }

  /** Sends one command and returns the number of its reply. */
  public long ask(String... arguments) throws IOException {
    send(arguments);
    flush();
    return reply();
  }

  /** Sends one command whose reply is a bulk string, and returns that. */
  public String askText(String... arguments) throws IOException {
    send(arguments);
    flush();
    String line = line();
    if (line.charAt(0) != '$') {
      throw new IOException("expected a bulk string, the server said: " + line);
    }
    byte[] body = in.readNBytes(Integer.parseInt(line, 1, line.length(), 10) + LINE_END.length);
    return new String(body, 0, body.length - LINE_END.length, StandardCharsets.UTF_8);
  }

  private void header(char type, int number) throws IOException {
    out.write(type);
    out.write(bytes(Integer.toString(number)));
    out.write(LINE_END);
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder(16);
    while (true) {
      int next = in.read();
      if (next < 0) {
        throw new EOFException("the server closed the connection");
      }
      if (next == '\n' && !line.isEmpty()) {
        return line.toString();
      }
      if (next != '\r' && next != '\n') {
        line.append((char) next);
      }
      if (line.length() > LINE_BYTES_MAX) {
        throw new IOException("a reply line is longer than " + LINE_BYTES_MAX + " bytes");
      }
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
