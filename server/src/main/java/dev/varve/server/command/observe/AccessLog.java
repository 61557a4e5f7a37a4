package dev.varve.server.command.observe;

import dev.varve.server.command.Session;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;

/**
 * What clients were denied, and who tried to log in and was refused, the newest first: ACL LOG.
 *
 * <p>Any thread.
 */
public final class AccessLog {
  /** The same again within this time is counted with the first. */
  private static final long TOGETHER_MILLIS = 60_000;

  /** Among so many of the newest the same is looked for. */
  private static final int LOOKED_AT_MAX = 10;

  /** Whoever is denied something may have sent any of it: the rest of a longer text is counted. */
  private static final int TEXT_MAX = 4096;

  /** The clients that it shows may have long names, too: beyond this part the oldest leave. */
  private static final int HEAP_PART = 64;

  /**
   * One attempt. Of long texts the beginning is kept.
   *
   * @param reason {@code command}, {@code key}, {@code channel} or {@code auth}
   * @param context {@code toplevel}, {@code multi} or {@code lua}
   * @param object the command, key or channel; of a login the command as the client wrote it. Each
   *     char is a byte
   * @param user who was denied it, or tried to be it; each char is a byte
   */
  public record Attempt(String reason, String context, String object, String user) {
    public Attempt {
      object = abridged(object);
      user = abridged(user);
    }

    private static String abridged(String text) {
      int more = text.length() - TEXT_MAX;
      return more <= 0 ? text : text.substring(0, TEXT_MAX) + "... (" + more + " more bytes)";
    }
  }

  /**
   * One or more attempts that were alike.
   *
   * @param client its line of CLIENT LIST, at the last attempt
   */
  public record Entry(long count, Attempt attempt, long millis, String client) {
    private long length() {
      return attempt.object.length() + attempt.user.length() + client.length();
    }
  }

  /** Tells of a client as CLIENT LIST does. */
  @FunctionalInterface
  public interface Describer {
    String line(Session session, long nowMillis);
  }

  private final Deque<Entry> entries = new ArrayDeque<>();
  private final long lengthMax = Runtime.getRuntime().maxMemory() / HEAP_PART;
  private long length;
  private long entriesMax;
  private volatile Describer describer = (session, nowMillis) -> "";

  /** How many are kept, from the next one on that is new. */
  public synchronized void entriesMax(long countMax) {
    entriesMax = countMax;
  }

  /** Names who describes clients. */
  public void describer(Describer its) {
    describer = its;
  }

  /** A client was refused. By the thread that has its session. */
  public void refused(Session session, Attempt attempt, long nowMillis) {
    add(new Entry(1, attempt, nowMillis, describer.line(session, nowMillis).strip()));
  }

  private synchronized void add(Entry entry) {
    Iterator<Entry> newest = entries.iterator();
    for (int i = 0; i < LOOKED_AT_MAX && newest.hasNext(); i++) {
      Entry earlier = newest.next();
      if (entry.attempt.equals(earlier.attempt)
          && entry.millis - earlier.millis <= TOGETHER_MILLIS) {
        newest.remove();
        length -= earlier.length();
        addFirst(new Entry(earlier.count + 1, entry.attempt, entry.millis, entry.client));
        return;
      }
    }
    addFirst(entry);
    while (entries.size() > entriesMax) {
      removeLast();
    }
  }

  private void addFirst(Entry entry) {
    entries.addFirst(entry);
    length += entry.length();
    while (length > lengthMax) {
      removeLast();
    }
  }

  private void removeLast() {
    length -= entries.removeLast().length();
  }

  /** The newest, at most so many. */
  public synchronized List<Entry> newest(long countMax) {
    return entries.stream().limit(Math.max(countMax, 0)).toList();
  }

  public synchronized void clear() {
    entries.clear();
    length = 0;
  }
}
