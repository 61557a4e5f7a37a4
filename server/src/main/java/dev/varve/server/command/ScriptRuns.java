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

  Run begin(String name, boolean isFunction, Args request) {
    Run run = new Run(name, isFunction, request);
    running.add(run);
    return run;
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
  Kill kill(boolean functions) {
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
