package dev.varve.server.command;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The scripts that clients may call by their digest, and those that run now. It is empty after a
 * restart, as Redis's is.
 *
 * <p>Any thread.
 */
final class ScriptCache {
  /** What became of a request to end the script that runs. */
  enum Kill {
    NONE_RUNS,
    HAS_WRITTEN,
    ASKED
  }

  /** One run of a script. */
  static final class Run {
    private volatile boolean killed;
    private volatile boolean wrote;

    boolean isKilled() {
      return killed;
    }

    /** It has run a command that writes: from now on it may not be ended. */
    void wrote() {
      wrote = true;
    }
  }

  private final Map<String, byte[]> sources = new ConcurrentHashMap<>();
  private final Set<Run> running = ConcurrentHashMap.newKeySet();
  private final AtomicInteger generation = new AtomicInteger();

  /** Grows when scripts were forgotten. */
  int generation() {
    return generation.get();
  }

  /**
   * @param digest in lower case
   */
  byte @Nullable [] source(String digest) {
    return sources.get(digest);
  }

  void add(String digest, byte[] source) {
    sources.putIfAbsent(digest, source);
  }

  void clear() {
    sources.clear();
    generation.incrementAndGet();
  }

  Run begin() {
    Run run = new Run();
    running.add(run);
    return run;
  }

  void end(Run run) {
    running.remove(run);
  }

  /** Asks the scripts that run to end, unless one of them has written. */
  Kill kill() {
    if (running.isEmpty()) {
      return Kill.NONE_RUNS;
    }
    for (Run run : running) {
      if (run.wrote) {
        return Kill.HAS_WRITTEN;
      }
    }
    for (Run run : running) {
      run.killed = true;
    }
    return Kill.ASKED;
  }
}
