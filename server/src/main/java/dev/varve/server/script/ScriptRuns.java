package dev.varve.server.script;

import dev.varve.server.resp.Args;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The scripts and functions that run now.
 *
 * <p>Any thread.
 */
public final class ScriptRuns {

  /** What became of a request to end the one that runs. */
  public enum Kill {
    NONE_RUNS,
    HAS_WRITTEN,
    /** A function runs, and the request was for a script, or the other way round. */
    OTHER_KIND,
    ASKED
  }

  /** One run of a script or a function. */
  public static final class Run {
    private final String name;
    private final boolean isFunction;
    private final Args request;
    private final long beganNanos;
    private volatile boolean killed;
    private volatile boolean wrote;

    private Run(String name, boolean isFunction, Args request, long beganNanos) {
      this.beganNanos = beganNanos;
      this.name = name;
      this.isFunction = isFunction;
      this.request = request;
    }

    public boolean isKilled() {
      return killed;
    }

    /** It has run a command that writes: from now on it may not be ended. */
    public void wrote() {
      wrote = true;
    }

    public boolean hasWritten() {
      return wrote;
    }

    /** The name of the function, or the digest of the script. */
    public String name() {
      return name;
    }

    public boolean isFunction() {
      return isFunction;
    }

    /** The command that called it. */
    public Args request() {
      return request;
    }

    public long elapsedNanos() {
      return System.nanoTime() - beganNanos;
    }

    public long elapsedMillis() {
      return TimeUnit.NANOSECONDS.toMillis(elapsedNanos());
    }
  }

  private final Set<Run> running = ConcurrentHashMap.newKeySet();
  private @Nullable Run unwound;
  private volatile boolean isStopping;

  /**
   * Begins a run.
   *
   * @param goesOn whether it goes on with what was {@link #unwound}
   */
  public synchronized Run begin(String name, boolean isFunction, Args request, boolean goesOn) {
    Run before = goesOn ? unwound : null;
    Run run =
        new Run(name, isFunction, request, before == null ? System.nanoTime() : before.beganNanos);
    if (before != null) {
      run.killed = before.killed;
      // It will write again: nobody is to see that it has not yet.
      run.wrote = before.wrote;
      unwound = null;
    }
    running.add(run);
    return run;
  }

  /** This one has ended, but goes on soon: whoever looks at it or ends it before that is heard. */
  public synchronized void unwound(Run run) {
    unwound = run;
  }

  /** Nothing that was unwound is left to go on. */
  public synchronized void noneUnwound() {
    unwound = null;
  }

  /** The server stops: all are to be dropped, whatever they have written. */
  public void stop() {
    isStopping = true;
  }

  public boolean isStopping() {
    return isStopping;
  }

  public void end(Run run) {
    running.remove(run);
  }

  /** One that runs now, or null. */
  public synchronized @Nullable Run current() {
    for (Run run : running) {
      return run;
    }
    return unwound;
  }

  /** Asks what runs to end, unless something of it has written. */
  public synchronized Kill kill(boolean functions) {
    Run before = unwound;
    if (running.isEmpty() && before != null) {
      if (before.wrote) {
        return Kill.HAS_WRITTEN;
      }
      before.killed |= functions == before.isFunction;
      return functions == before.isFunction ? Kill.ASKED : Kill.OTHER_KIND;
    }
    if (running.isEmpty()) {
      return Kill.NONE_RUNS;
    }
    for (Run run : running) {
      if (run.wrote) {
        return Kill.HAS_WRITTEN;
      }
    }
    for (Run run : running) {
      if (run.isFunction != functions) {
        return Kill.OTHER_KIND;
      }
    }
    for (Run run : running) {
      run.killed = true;
    }
    return Kill.ASKED;
  }
}
