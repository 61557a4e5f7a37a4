package dev.varve.server.command.observe;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;

/**
 * Who tried to log in and was refused, the newest first: ACL LOG. There is no other reason here to
 * deny a client something.
 *
 * <p>Any thread.
 */
public final class AccessLog {
  /** The same again within this time is counted with the first. */
  private static final long TOGETHER_MILLIS = 60_000;

  /** Among so many of the newest the same is looked for. */
  private static final int LOOKED_AT_MAX = 10;

  /**
   * One or more attempts that were alike.
   *
   * @param context {@code toplevel} or {@code multi}
   * @param command as the client wrote its name
   * @param client its line of CLIENT LIST, at the last attempt
   */
  public record Entry(
      long count, String context, String command, String user, long millis, String client) {

    private boolean isLike(Entry earlier) {
      return context.equals(earlier.context)
          && command.equals(earlier.command)
          && user.equals(earlier.user)
          && millis - earlier.millis <= TOGETHER_MILLIS;
    }

    private Entry and(Entry earlier) {
      return new Entry(earlier.count + count, context, command, user, millis, client);
    }
  }

  private final Deque<Entry> entries = new ArrayDeque<>();
  private long entriesMax;

  /** How many are kept, from the next one on that is new. */
  public synchronized void entriesMax(long countMax) {
    entriesMax = countMax;
  }

  /** Somebody was refused. */
  public synchronized void refused(Entry entry) {
    Iterator<Entry> newest = entries.iterator();
    for (int i = 0; i < LOOKED_AT_MAX && newest.hasNext(); i++) {
      Entry earlier = newest.next();
      if (entry.isLike(earlier)) {
        newest.remove();
        entries.addFirst(entry.and(earlier));
        return;
      }
    }
    entries.addFirst(entry);
    while (entries.size() > entriesMax) {
      entries.removeLast();
    }
  }

  /** The newest, at most so many. */
  public synchronized List<Entry> newest(long countMax) {
    return entries.stream().limit(Math.max(countMax, 0)).toList();
  }

  public synchronized void clear() {
    entries.clear();
  }
}
