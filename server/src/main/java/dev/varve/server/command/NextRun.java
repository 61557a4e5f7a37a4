package dev.varve.server.command;

import dev.varve.server.script.LongScriptSignal;
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
  private @Nullable LongScriptSignal longScript;

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

  /** A run met a cold block: the next is to draw and be told the same. */
  public void repeats(long itsSeed, List<Instant> itsTimes) {
    seed = itsSeed;
    times = itsTimes;
  }

  /** No run follows that has to be as the one before. */
  public void forget() {
    seed = 0;
    times = List.of();
    longScript = null;
  }

  /** A trial found that its script takes long. */
  public void isLong(LongScriptSignal signal) {
    longScript = signal;
  }

  /** What a trial found, once. */
  public @Nullable LongScriptSignal takeLongScript() {
    LongScriptSignal its = longScript;
    longScript = null;
    return its;
  }
}
