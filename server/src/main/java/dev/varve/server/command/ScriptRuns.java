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

  /** What was unwound and will begin again soon. */
  private enum Expected {
    NOTHING,
    SCRIPT,
    FUNCTION
  }

  /** One run of a script or a function. */
  static final class Run {
    private final String name;
    private final boolean isFunction;
    private final Args request;
    private final long beganNanos = System.nanoTime();
    private volatile boolean killed;
    private volatile boolean wrote;

    private Run(String name, boolean isFunction, Args request) {
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
  private Expected expected = Expected.NOTHING;
  private boolean isExpectedKilled;
  private volatile boolean isStopping;

  synchronized Run begin(String name, boolean isFunction, Args request) {
    Run run = new Run(name, isFunction, request);
    run.killed = expected != Expected.NOTHING && isExpectedKilled;
    expected = Expected.NOTHING;
    running.add(run);
    return run;
  }

  /** The next one goes on with what was unwound: who asks it to end before it begins is heard. */
  synchronized void expect(boolean isFunction) {
    expected = isFunction ? Expected.FUNCTION : Expected.SCRIPT;
    isExpectedKilled = false;
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
  @Nullable Run current() {
    for (Run run : running) {
      return run;
    }
    return null;
  }

  /** Asks what runs to end, unless something of it has written. */
  synchronized Kill kill(boolean functions) {
    if (running.isEmpty()) {
      if (expected == Expected.NOTHING) {
        return Kill.NONE_RUNS;
      }
      if (functions != (expected == Expected.FUNCTION)) {
        return Kill.OTHER_KIND;
      }
      isExpectedKilled = true;
      return Kill.ASKED;
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
