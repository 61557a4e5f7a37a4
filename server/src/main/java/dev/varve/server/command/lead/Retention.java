package dev.varve.server.command.lead;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * From where on the stream is kept for those who follow, and for those who did, here or elsewhere,
 * and are expected: a copy of data beyond memory takes hours to make anew.
 *
 * <p>Keyspace loop, but for what says any thread.
 */
public final class Retention {
  /** Who makes more names than that is no replica. */
  static final int ABSENT_MAX = 64;

  /** Of the streams, wherever somebody is in one. */
  private final List<Backlog.Mark> marks = new CopyOnWriteArrayList<>();

  private final Map<String, Absence> absences = new LinkedHashMap<>();
  private volatile int absent;

  /**
   * One who is not here.
   *
   * @param mark where it was
   * @param sinceNanos when it left, as {@link System#nanoTime}
   * @param nanosMax for how long it is expected, at most
   */
  public record Absence(String who, Backlog.Mark mark, long sinceNanos, long nanosMax) {

    /** Whether it has been away for so long, or longer than it is expected. */
    public boolean isLongerThan(long nanos, long nowNanos) {
      return nowNanos - sinceNanos > Math.min(nanos, nanosMax);
    }
  }

  /** Keeps what comes from there on, until {@link #release}. */
  public Backlog.Mark hold(Backlog.Reader reader) {
    Backlog.Mark mark = reader.mark();
    marks.add(mark);
    return mark;
  }

  /** Nobody needs what is kept from there on. */
  public void release(Backlog.Mark mark) {
    marks.remove(mark);
  }

  /** It has left, and may come back: what is kept for it stays. */
  public void leave(String who, Backlog.Mark mark, long nowNanos) {
    expect(who, mark, nowNanos, Long.MAX_VALUE);
  }

  /** The same for so long at most. */
  public void expect(String who, Backlog.Mark mark, long nowNanos, long nanosMax) {
    Absence before = absences.get(who);
    if (before != null && before.mark.isBefore(mark)) {
      // Two of one name: either may come.
      release(mark);
      return;
    }
    if (before == null && absences.size() == ABSENT_MAX) {
      release(mark);
      return;
    }
    put(new Absence(who, mark, nowNanos, nanosMax));
  }

  private void put(Absence absence) {
    Absence before = absences.put(absence.who, absence);
    if (before != null) {
      release(before.mark);
    }
    absent = absences.size();
  }

  /** It is here again, or nobody waits for it: what it lacked is not kept any more. */
  public void forget(String who) {
    Absence its = absences.remove(who);
    if (its != null) {
      release(its.mark);
    }
    absent = absences.size();
  }

  /** Forgets those of which that holds; they are returned. */
  public List<Absence> forgetIf(Predicate<Absence> isOver) {
    List<Absence> over = absences.values().stream().filter(isOver).toList();
    over.forEach(its -> forget(its.who));
    return over;
  }

  /** How many are expected. Any thread. */
  public int absent() {
    return absent;
  }

  /** The last place in a stream at or before {@code offset} from which on it is kept, or null. */
  Backlog.@Nullable Mark lastBefore(Backlog its, long offset) {
    Backlog.Mark last = null;
    for (Backlog.Mark mark : marks) {
      boolean isBefore = mark.isOf(its) && mark.offset() <= offset;
      if (isBefore && (last == null || mark.offset() > last.offset())) {
        last = mark;
      }
    }
    return last;
  }

  /** The first place in a stream from which on it is kept for somebody, or null. Any thread. */
  public Backlog.@Nullable Mark first(Backlog its) {
    Backlog.Mark first = null;
    for (Backlog.Mark mark : marks) {
      if (mark.isOf(its) && (first == null || mark.offset() < first.offset())) {
        first = mark;
      }
    }
    return first;
  }
}
