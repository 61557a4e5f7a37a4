package dev.varve.server.command;

import dev.varve.server.resp.Args;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The clients that see every command: MONITOR.
 *
 * <p>Any thread. Lines of commands that ran on different loops may change places.
 */
public final class Monitors {
  private final List<Session> sessions = new CopyOnWriteArrayList<>();

  boolean isEmpty() {
    return sessions.isEmpty();
  }

  public void add(Session session) {
    if (!sessions.contains(session)) {
      sessions.add(session);
    }
  }

  public void remove(Session session) {
    sessions.remove(session);
  }

  public boolean contains(Session session) {
    return !sessions.isEmpty() && sessions.contains(session);
  }

  /**
   * Shows that a command ran at {@code nowMicros}, µs since 1970.
   *
   * @param from the address of the client, or what else called it
   */
  void ran(String from, int database, Command command, Args args, long nowMicros) {
    if (sessions.isEmpty()) {
      return;
    }
    byte[] line = line(from, database, command, args, nowMicros);
    for (Session monitor : sessions) {
      monitor.connection().send(line, sessions.size());
    }
  }

  private static byte[] line(
      String from, int database, Command command, Args args, long nowMicros) {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    put(
        line,
        String.format(
            Locale.ROOT,
            "+%d.%06d [%d %s]",
            nowMicros / 1_000_000,
            nowMicros % 1_000_000,
            database,
            from));
    byte[][] shown = Redaction.shown(command, args);
    for (byte[] part : shown) {
      put(line, " ");
      QuotedText.put(line, part);
    }
    put(line, "\r\n");
    return line.toByteArray();
  }

  private static void put(ByteArrayOutputStream line, String text) {
    line.writeBytes(text.getBytes(StandardCharsets.ISO_8859_1));
  }
}
