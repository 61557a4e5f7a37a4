package dev.varve.server.command.observe;

import dev.varve.server.command.Command;
import dev.varve.server.command.CommandFlag;
import dev.varve.server.command.Session;
import dev.varve.server.resp.Args;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * The commands that took long, the newest first.
 *
 * <p>Any thread.
 */
public final class SlowLog {
  private static final int PARTS_MAX = 32;
  private static final int PART_BYTES_MAX = 128;

  /** One of them, with as much of its request as is kept. */
  public record Entry(
      long id, long seconds, long micros, List<byte[]> parts, String address, String name) {}

  private final Deque<Entry> entries = new ArrayDeque<>();
  private volatile long slowerThanMicros = -1;
  private long entriesMax;
  private long nextId;

  /**
   * From now on.
   *
   * @param micros from which time on a command is noted; below 0: none is
   * @param countMax how many are kept
   */
  public synchronized void limits(long micros, long countMax) {
    slowerThanMicros = micros;
    entriesMax = countMax;
    trim();
  }

  /** A command ran; it is noted if it took long enough. */
  void ran(Session session, Command command, Args args, long micros, LongSupplier clock) {
    if (isSlow(command, micros)) {
      add(session, abridged(Redaction.shown(command, args)), micros, clock.getAsLong());
    }
  }

  /** Whether a command that took so long is noted. */
  boolean isSlow(Command command, long micros) {
    long least = slowerThanMicros;
    return least >= 0 && micros >= least && !command.is(CommandFlag.SKIP_SLOWLOG);
  }

  private synchronized void add(Session session, List<byte[]> parts, long micros, long nowMillis) {
    entries.addFirst(
        new Entry(nextId++, nowMillis / 1000, micros, parts, session.address(), session.name()));
    trim();
  }

  private void trim() {
    while (entries.size() > entriesMax) {
      entries.removeLast();
    }
  }

  private static List<byte[]> abridged(byte[][] shown) {
    List<byte[]> parts = new ArrayList<>();
    for (int i = 0; i < shown.length; i++) {
      if (i == PARTS_MAX - 1 && shown.length > PARTS_MAX) {
        parts.add(text("... (" + (shown.length - i) + " more arguments)"));
        break;
      }
      byte[] part = shown[i];
      if (part.length > PART_BYTES_MAX) {
        ByteArrayOutputStream begin = new ByteArrayOutputStream();
        begin.writeBytes(Arrays.copyOf(part, PART_BYTES_MAX));
        begin.writeBytes(text("... (" + (part.length - PART_BYTES_MAX) + " more bytes)"));
        part = begin.toByteArray();
      }
      parts.add(part);
    }
    return parts;
  }

  private static byte[] text(String ascii) {
    return ascii.getBytes(StandardCharsets.US_ASCII);
  }

  /** The newest, at most so many. */
  public synchronized List<Entry> newest(long countMax) {
    return entries.stream().limit(Math.max(countMax, 0)).toList();
  }

  public synchronized int size() {
    return entries.size();
  }

  public synchronized void clear() {
    entries.clear();
  }
}
