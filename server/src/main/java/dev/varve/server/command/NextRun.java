package dev.varve.server.command;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the last run of a client's request has left for the next one, which is to do the same:
 * perhaps on another thread.
 *
 * <p>Belongs to whoever has the session.
 */
public final class NextRun {
  private long seed;
  private List<Instant> times = List.of();
  private int coldScripts;
  private int linesLogged;
  private @Nullable LongRunSignal longRun;

  NextRun() {}

  /** What it draws its random numbers from; 0 if it need not draw as one before. */
  public long seed() {
    return seed;
  }

  public void seed(long its) {
    seed = its;
  }

  /** The times that the last run was told, for the next to be told the same. */
  public List<Instant> times() {
    return times;
  }

  /** A run was unwound: the next is to draw and be told the same. */
  public void repeats(long itsSeed, List<Instant> itsTimes) {
    seed = itsSeed;
    times = itsTimes;
  }

  /**
   * A script has met a cold block on the keyspace loop.
   *
   * @return how often that was so by now of this request
   */
  public int scriptIsCold() {
    return ++coldScripts;
  }

  /** Whether the scripts of an earlier run did not log so many lines; from now on they have. */
  public boolean logsAnew(int line) {
    boolean isNew = line > linesLogged;
    linesLogged = Math.max(line, linesLogged);
    return isNew;
  }

  /** No run follows that has to be as the one before. */
  public void forget() {
    seed = 0;
    times = List.of();
    coldScripts = 0;
    linesLogged = 0;
    longRun = null;
  }

  /** A run found that it takes long. */
  public void isLong(LongRunSignal signal) {
    longRun = signal;
  }

  /** What that run found, once. */
  public @Nullable LongRunSignal takeLong() {
    LongRunSignal its = longRun;
    longRun = null;
    return its;
  }
}
