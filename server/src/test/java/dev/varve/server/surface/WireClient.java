package dev.varve.server.surface;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A connection to a server that knows no more of RESP than where a frame ends. Text is ISO 8859-1.
 *
 * <p>Single-threaded.
 */
public final class WireClient implements AutoCloseable {
  private static final int TIMEOUT_MILLIS = 20_000;
  private static final int BUFFER_BYTES = 64 * 1024;

  private final String server;
  private final Socket socket;
  private final InputStream in;

  /**
   * @param server its name, for the message when it does not answer
   */
  public WireClient(String server, int port) throws IOException {
    this(server, port, TIMEOUT_MILLIS);
  }

  /**
   * The same.
   *
   * @param timeoutMillis how long a server that has to answer may be silent
   */
  WireClient(String server, int port, int timeoutMillis) throws IOException {
    this.server = server;
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(timeoutMillis);
    in = new BufferedInputStream(socket.getInputStream(), BUFFER_BYTES);
  }

  /** Sends requests at once. */
  void send(List<List<String>> requests) throws IOException {
    sendPart(requests, Integer.MAX_VALUE);
  }

  /** The same, but no more than so many bytes. */
  void sendPart(List<List<String>> requests, int bytesMax) throws IOException {
    StringBuilder text = new StringBuilder();
    for (List<String> request : requests) {
      text.append('*').append(request.size()).append("\r\n");
      for (String word : request) {
        text.append('$').append(word.length()).append("\r\n").append(word).append("\r\n");
      }
    }
    byte[] bytes = text.toString().getBytes(StandardCharsets.ISO_8859_1);
    socket.getOutputStream().write(bytes, 0, Math.min(bytes.length, bytesMax));
  }

  /** Sends requests at once, and returns as many frames. */
  List<String> ask(List<List<String>> requests) throws IOException {
    send(requests);
    List<String> frames = new ArrayList<>();
    while (frames.size() < requests.size()) {
      frames.add(read());
    }
    return frames;
  }

  /** Whether there is something to read without waiting. */
  boolean hasInput() throws IOException {
    return in.available() > 0;
  }

  /** The next frame. */
  String read() throws IOException {
    StringBuilder frame = new StringBuilder();
    try {
      readFrame(frame);
    } catch (SocketTimeoutException e) {
      throw new IOException(server + " is silent after '" + frame + "' of a frame", e);
    }
    return frame.toString();
  }

  private void readFrame(StringBuilder frame) throws IOException {
    int begin = frame.length();
    int last;
    do {
      last = in.read();
      if (last < 0) {
        throw ended();
      }
      frame.append((char) last);
    } while (last != '\n');
    char type = frame.charAt(begin);
    if ("$=*~>%".indexOf(type) < 0) {
      return;
    }
    int size = Integer.parseInt(frame.substring(begin + 1, frame.length() - 2));
    if (type == '$' || type == '=') {
      if (size >= 0) {
        byte[] bytes = in.readNBytes(size + 2);
        if (bytes.length < size + 2) {
          throw ended();
        }
        frame.append(new String(bytes, StandardCharsets.ISO_8859_1));
      }
      return;
    }
    for (int i = type == '%' ? 2 * size : size; i > 0; i--) {
      readFrame(frame);
    }
  }

  private static EOFException ended() {
    return new EOFException("the connection was closed");
  }

  @Override
  public String toString() {
    return server;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
