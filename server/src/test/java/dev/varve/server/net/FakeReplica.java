package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A replica that does what the test tells it to. */
final class FakeReplica {
  private static final Pattern GREETING = Pattern.compile("\\+FULLRESYNC ([0-9a-f]{40}) (\\d+)");
  private static final Pattern REST_GREETING = Pattern.compile("\\+CONTINUE ([0-9a-f]{40})\\|");
  private static final int MARK_BYTES = 40;

  private static final int NO_PORT = 7;

  private final RawClient link;
  private final int port;
  private String history = "";
  private long offset;

  FakeReplica(RawClient link) {
    this(link, NO_PORT);
  }

  /**
   * @param port where it says that it listens
   */
  FakeReplica(RawClient link, int port) {
    this.link = link;
    this.port = port;
  }

  RawClient link() {
    return link;
  }

  String history() {
    return history;
  }

  /** How many bytes of the stream it has read. */
  long offset() {
    return offset;
  }

  /** Asks for all data, and reads it; returns what came. */
  String loadAll() throws IOException {
    return loadAll("PSYNC ? -1");
  }

  String loadAll(String request) throws IOException {
    assertEquals("+OK|", link.ask("REPLCONF listening-port " + port + " capa eof capa psync2"));
    link.send(request + "|");
    return loadNow();
  }

  /** Reads all data, for which it has asked. */
  String loadNow() throws IOException {
    Matcher greeting = GREETING.matcher(link.firstLine());
    assertTrue(greeting.matches());
    history = greeting.group(1);
    offset = Long.parseLong(greeting.group(2));
    return dump();
  }

  /** The dump that comes. */
  String dump() throws IOException {
    String head = link.firstLine();
    assertTrue(head.startsWith("$EOF:"), head);
    String mark = head.substring("$EOF:".length());
    assertEquals(MARK_BYTES, mark.length());
    String dump = link.upTo(mark);
    return dump.substring(0, dump.length() - MARK_BYTES);
  }

  /** Asks for all data, reads it, and says so: the stream comes. */
  FakeReplica follow() throws IOException {
    loadAll();
    acknowledge();
    return this;
  }

  /** Says how far it is. */
  void acknowledge() throws IOException {
    link.send("REPLCONF ACK " + offset + "|");
  }

  /** Says that it has carried out all it has read, and synced a part of that. */
  void synced(long syncedOffset) throws IOException {
    link.send("REPLCONF ACK " + offset + " FACK " + syncedOffset + "|");
  }

  /** Goes on behind what another one had read. */
  void goOn(FakeReplica from) throws IOException {
    goOn(from.history, from.offset);
  }

  void goOn(String itsHistory, long itsOffset) throws IOException {
    goOnInAnother(itsHistory, itsOffset);
    assertEquals(itsHistory, history);
  }

  /** The same where the history may have another name by now. */
  void goOnInAnother(String itsHistory, long itsOffset) throws IOException {
    offset = itsOffset;
    assertEquals("+OK|", link.ask("REPLCONF listening-port " + port + " capa eof capa psync2"));
    Matcher greeting =
        REST_GREETING.matcher(link.ask("PSYNC " + itsHistory + " " + (itsOffset + 1)));
    assertTrue(greeting.matches(), greeting::toString);
    history = greeting.group(1);
  }

  /** The next request of the stream that is no PING, as words. */
  String next() throws IOException {
    while (true) {
      String request = link.reply();
      offset += request.replace("|", "\r\n").length();
      String words = words(request);
      if (!words.equals("PING")) {
        return words;
      }
    }
  }

  /** The same, saying how far it is when it is asked. */
  String nextWrite() throws IOException {
    while (true) {
      String words = next();
      if (!words.equals("REPLCONF GETACK *")) {
        return words;
      }
      acknowledge();
    }
  }

  private static String words(String request) {
    String[] parts = request.split("\\|", -1);
    StringBuilder words = new StringBuilder();
    for (int i = 2; i < parts.length; i += 2) {
      words.append(i == 2 ? "" : " ").append(parts[i]);
    }
    return words.toString();
  }
}
