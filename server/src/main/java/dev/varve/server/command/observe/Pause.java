package dev.varve.server.command.observe;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The time in which clients are made to wait: CLIENT PAUSE.
 *
 * <p>Any thread.
 */
public final class Pause {

  /** Which commands wait. */
  public enum Kind {
    NONE,
    WRITES,
    ALL
  }

  private final Set<Runnable> waiting = new LinkedHashSet<>();
  private volatile Kind kind = Kind.NONE;
  private volatile long endMillis;

  /** Begins, or grows to at least this. */
  public synchronized void begin(Kind its, long untilMillis, long nowMillis) {
    boolean isRunning = endMillis > nowMillis;
    endMillis = isRunning ? Math.max(endMillis, untilMillis) : untilMillis;
    kind = isRunning && kind.compareTo(its) > 0 ? kind : its;
  }

  public void end() {
    List<Runnable> released;
    synchronized (this) {
      kind = Kind.NONE;
      endMillis = 0;
      released = List.copyOf(waiting);
      waiting.clear();
    }
    released.forEach(Runnable::run);
  }

  /** Ends it if its time is over. */
  public void check(long nowMillis) {
    if (kind != Kind.NONE && endMillis <= nowMillis) {
      end();
    }
  }

  /** False if no commands have to wait, whatever the time is. */
  public boolean mayBeOn() {
    return kind != Kind.NONE;
  }

  /** Whether any commands have to wait. */
  public boolean isOn(long nowMillis) {
    return kind != Kind.NONE && endMillis > nowMillis;
  }

  /** Whether a command has to wait. */
  public boolean holds(boolean writes, long nowMillis) {
    Kind now = kind;
    if (now == Kind.NONE || (now == Kind.WRITES && !writes)) {
      return false;
    }
    return endMillis > nowMillis;
  }

  /** Until when, in ms since 1970. */
  public long endMillis() {
    return endMillis;
  }

  /** Runs {@code task}, on any thread, once the pause is over, or soon after it. */
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
