package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/** A master that says what the test tells it to, to one connection after the other. */
public final class FakeMaster implements AutoCloseable {
  private static final int TIMEOUT_MILLIS = 20_000;

  private final ServerSocket listening = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
  private final List<RawClient> links = new ArrayList<>();

  public FakeMaster() throws IOException {
    listening.setSoTimeout(TIMEOUT_MILLIS);
  }

  public int port() {
    return listening.getLocalPort();
  }

  /** As {@code REPLICAOF} has it. */
  public String address() {
    return "127.0.0.1 " + port();
  }

  /** The next connection. */
  public RawClient accept() throws IOException {
    RawClient link = new RawClient(listening.accept());
    links.add(link);
    return link;
  }

  /** The next connection, once it has asked for what comes from {@code offset} of {@code id} on. */
  RawClient acceptUpTo(String id, long offset) throws IOException {
    RawClient link = accept();
    assertArrayEquals(
        new String[] {id, Long.toString(offset)}, greet(link), "from where on it wants to know");
    return link;
  }

  /** What a link has to ask at first, until it has: of which history it knows what, from where. */
  public String[] greet(RawClient link) throws IOException {
    String[] words = psync(link).split("\\|");
    return new String[] {words[4], words[6]};
  }

  /** The same, as it asks for it. */
  String psync(RawClient link) throws IOException {
    assertEquals("*1|$4|PING|", link.reply());
    link.send("+PONG|");
    for (int i = 0; i < 3; i++) {
      assertTrue(link.reply().contains("REPLCONF"));
      link.send("+OK|");
    }
    String request = link.reply();
    assertEquals("PSYNC", request.split("\\|")[2]);
    return request;
  }

  /** A request as it is sent. */
  public static String request(String... words) {
    StringBuilder text = new StringBuilder("*").append(words.length).append("\r\n");
    for (String word : words) {
      text.append('$').append(word.length()).append("\r\n").append(word).append("\r\n");
    }
    return text.toString();
  }

  /** A dump of these keys with their values. */
  public static String dump(String... keysAndValues) {
    StringBuilder text = new StringBuilder("REDIS0009\u00fe\0");
    for (int i = 0; i < keysAndValues.length; i += 2) {
      text.append('\0');
      text.append((char) keysAndValues[i].length()).append(keysAndValues[i]);
      text.append((char) keysAndValues[i + 1].length()).append(keysAndValues[i + 1]);
    }
    // Without a checksum.
    return text.append("\u00ff\0\0\0\0\0\0\0\0").toString();
  }

  /** Sends all data, of a length that is told before. */
  public static void sendAll(RawClient link, String id, long offset, String dump)
      throws IOException {
    link.send("+FULLRESYNC " + id + " " + offset + "\r\n$" + dump.length() + "\r\n" + dump);
  }

  @Override
  public void close() throws IOException {
    for (RawClient link : links) {
      link.close();
    }
    listening.close();
  }
}
