package dev.varve.server.command.observe;

import dev.varve.server.command.Command;
import dev.varve.server.command.Message;
import dev.varve.server.command.Session;
import dev.varve.server.resp.Args;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;

/**
 * The clients that see every command: MONITOR. The lines of a pass are one message for all of them.
 *
 * <p>Any thread. Lines of commands that ran on different loops may change places.
 */
public final class Monitors {

  /** Lines are sent when they are this long together, also within a pass. */
  private static final int LINES_BYTES_MAX = 64 * 1024;

  private static final int MICROS_PER_SECOND = 1_000_000;

  private final List<Session> sessions = new CopyOnWriteArrayList<>();
  private final Object lock = new Object();

  /** Those of this pass. */
  private ByteArrayOutputStream lines = new ByteArrayOutputStream();

  private Executor afterPass = Runnable::run;

  /**
   * Names what runs a task, on any thread, once those who came together are served. Before the
   * first command.
   */
  public void afterPass(Executor executor) {
    afterPass = executor;
  }

  boolean isEmpty() {
    return sessions.isEmpty();
  }

  /** Lets a client see every command; false if it does so already. */
  public boolean add(Session session) {
    if (sessions.contains(session)) {
      return false;
    }
    // What ran before is none of its business.
    send();
    sessions.add(session);
    return true;
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
    boolean isFirst;
    int bytes;
    synchronized (lock) {
      isFirst = lines.size() == 0;
      boolean isWhole = false;
      try {
        put(from, database, Redaction.shown(command, args), nowMicros);
        isWhole = true;
      } finally {
        if (!isWhole) {
          // Memory has run out: a part of a line would be one with the next.
          lines = new ByteArrayOutputStream();
        }
      }
      bytes = lines.size();
    }
    if (bytes >= LINES_BYTES_MAX) {
      send();
    } else if (isFirst) {
      afterPass.execute(this::send);
    }
  }

  /** Sends the lines that there are. */
  private void send() {
    synchronized (lock) {
      if (lines.size() > 0) {
        ByteArrayOutputStream all = lines;
        // First: where memory runs out below, the next line is the first of a pass again.
        lines = new ByteArrayOutputStream();
        Message message = new Message(all.toByteArray());
        for (Session monitor : sessions) {
          monitor.connection().send(message);
        }
      }
    }
  }

  private void put(String from, int database, byte[][] parts, long nowMicros) {
    put("+");
    put(Long.toString(nowMicros / MICROS_PER_SECOND));
    put(".");
    // With all its zeroes.
    put(Long.toString(MICROS_PER_SECOND + nowMicros % MICROS_PER_SECOND).substring(1));
    put(" [");
    put(Integer.toString(database));
    put(" ");
    put(from);
    put("]");
    for (byte[] part : parts) {
      put(" ");
      QuotedText.put(lines, part);
    }
    put("\r\n");
  }

  private void put(String text) {
    lines.writeBytes(text.getBytes(StandardCharsets.ISO_8859_1));
  }
}
