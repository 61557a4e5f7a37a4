package dev.varve.server.command;

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
final class ScriptRuns {

  /** What became of a request to end the one that runs. */
  enum Kill {
    NONE_RUNS,
    HAS_WRITTEN,
    /** A function runs, and the request was for a script, or the other way round. */
    OTHER_KIND,
    ASKED
  }

  /** One run of a script or a function. */
  static final class Run {
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

    boolean isKilled() {
      return killed;
    }

    /** It has run a command that writes: from now on it may not be ended. */
    void wrote() {
      wrote = true;
    }

    boolean hasWritten() {
      return wrote;
    }

    /** The name of the function, or the digest of the script. */
    String name() {
      return name;
    }

    boolean isFunction() {
      return isFunction;
    }

    /** The command that called it. */
    Args request() {
      return request;
    }

    long elapsedNanos() {
      return System.nanoTime() - beganNanos;
    }

    long elapsedMillis() {
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
  synchronized Run begin(String name, boolean isFunction, Args request, boolean goesOn) {
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
  synchronized void unwound(Run run) {
    unwound = run;
  }

  /** Nothing that was unwound is left to go on. */
  synchronized void noneUnwound() {
    unwound = null;
  }

  /** The server stops: all are to be dropped, whatever they have written. */
  void stop() {
    isStopping = true;
  }

  boolean isStopping() {
    return isStopping;
  }

  void end(Run run) {
    running.remove(run);
  }

  /** One that runs now, or null. */
  synchronized @Nullable Run current() {
    for (Run run : running) {
      return run;
    }
    return unwound;
  }

  /** Asks what runs to end, unless something of it has written. */
  synchronized Kill kill(boolean functions) {
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
