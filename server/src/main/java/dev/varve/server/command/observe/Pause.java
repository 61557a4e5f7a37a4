package dev.varve.server.command.observe;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The time in which clients are made to wait: CLIENT PAUSE, and what else holds them while another
 * server gets what was written. Each cause begins and ends by itself.
 *
 * <p>Any thread.
 */
public final class Pause {

  /** Longer than any server runs, in ms. */
  public static final long FOREVER_MILLIS = 1L << 50;

  /** Which commands wait. */
  public enum Kind {
    WRITES,
    ALL
  }

  /** What they wait for. */
  public enum Cause {
    CLIENT_PAUSE,
    SHUTDOWN,
    FAILOVER
  }

  /**
   * @param endMillis in ms since 1970
   */
  private record Held(Cause cause, Kind kind, long endMillis) {
    boolean isOn(long nowMillis) {
      return endMillis > nowMillis;
    }

    boolean holds(boolean writes, long nowMillis) {
      return (writes || kind == Kind.ALL) && isOn(nowMillis);
    }
  }

  private final Set<Runnable> waiting = new LinkedHashSet<>();

  /** One of each cause at most. */
  private volatile List<Held> all = List.of();

  /** Begins, or grows to at least this. */
  public synchronized void begin(Cause cause, Kind kind, long untilMillis, long nowMillis) {
    Kind itsKind = kind;
    long endMillis = untilMillis;
    for (Held held : all) {
      if (held.cause == cause && held.isOn(nowMillis)) {
        itsKind = held.kind == Kind.ALL ? Kind.ALL : itsKind;
        endMillis = Math.max(endMillis, held.endMillis);
      }
    }
    List<Held> its = without(cause);
    its.add(new Held(cause, itsKind, endMillis));
    all = List.copyOf(its);
  }

  private List<Held> without(Cause cause) {
    List<Held> others = new ArrayList<>(all);
    others.removeIf(held -> held.cause == cause);
    return others;
  }

  /** Ends, as far as that cause goes. */
  public void end(Cause cause) {
    List<Runnable> released;
    synchronized (this) {
      all = List.copyOf(without(cause));
      released = release();
    }
    released.forEach(Runnable::run);
  }

  /** Ends what is over by its time. */
  public void check(long nowMillis) {
    List<Runnable> released;
    synchronized (this) {
      List<Held> on = all.stream().filter(held -> held.isOn(nowMillis)).toList();
      if (on.size() == all.size()) {
        return;
      }
      all = on;
      released = release();
    }
    released.forEach(Runnable::run);
  }

  /** All who wait look again: what holds some of them may be over, and something else go on. */
  private List<Runnable> release() {
    List<Runnable> released = List.copyOf(waiting);
    waiting.clear();
    return released;
  }

  /** False if no commands have to wait, whatever the time is. */
  public boolean mayBeOn() {
    return !all.isEmpty();
  }

  /** Whether any commands have to wait. */
  public boolean isOn(long nowMillis) {
    return holds(true, nowMillis);
  }

  /** Whether a command has to wait. */
  public boolean holds(boolean writes, long nowMillis) {
    for (Held held : all) {
      if (held.holds(writes, nowMillis)) {
        return true;
      }
    }
    return false;
  }

  /** When the first of them ends that is on, in ms since 1970; 0 if there is none. */
  public long nextEndMillis(long nowMillis) {
    return all.stream()
        .filter(held -> held.isOn(nowMillis))
        .mapToLong(Held::endMillis)
        .min()
        .orElse(0);
  }

  /** Runs {@code task}, on any thread, once one of them is over, or soon after it. */
  public void await(Runnable task, long nowMillis) {
    synchronized (this) {
      if (isOn(nowMillis)) {
        waiting.add(task);
        return;
      }
    }
    task.run();
  }

  /** {@code task} is not to run any more; false if it has run, or is about to. */
  public synchronized boolean forget(Runnable task) {
    return waiting.remove(task);
  }

  /** How many wait. */
  public synchronized int count() {
    return waiting.size();
  }
}
