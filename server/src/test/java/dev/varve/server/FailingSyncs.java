package dev.varve.server;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;

/**
 * Every fsync of a running process fails with EIO, and does nothing, until this is closed: strace
 * puts the error in the place of the call. Where strace is missing or may not trace, the test is
 * skipped and says so.
 *
 * <p>Single-threaded.
 */
final class FailingSyncs implements AutoCloseable {
  private static final long SECONDS_MAX = 30;

  /** All of them fail; the end of a call may be on another line than its beginning. */
  private static final Pattern SYNC = Pattern.compile("f(?:data)?sync\\(\\d+<([^>]*)>");

  private static final Pattern CREATION = Pattern.compile("openat\\(.*\"([^\"]*)\", .*O_CREAT");

  private final Process strace;
  private final Path trace;

  private FailingSyncs(Process strace, Path trace) {
    this.strace = strace;
    this.trace = trace;
  }

  /**
   * Begins, or aborts the test where that is not possible.
   *
   * @param trace a file that does not exist yet
   */
  static FailingSyncs assumePossible(long pid, Path trace) throws InterruptedException {
    String problem;
    try {
      Process strace =
          new ProcessBuilder(
                  "strace",
                  "-f",
                  "-y",
                  "-o",
                  trace.toString(),
                  "-e",
                  "trace=fsync,fdatasync,openat",
                  "-e",
                  "inject=fsync,fdatasync:error=EIO",
                  "-p",
                  Long.toString(pid))
              .start();
      ProcessOutput said = new ProcessOutput(strace.getErrorStream());
      if (!said.awaitLine(" attached", SECONDS_MAX).isEmpty()) {
        return new FailingSyncs(strace, trace);
      }
      strace.destroyForcibly();
      problem = said.text().strip();
    } catch (IOException missing) {
      problem = String.valueOf(missing.getMessage());
    }
    String why = "skipped: strace cannot fail calls here: " + problem;
    System.out.println(why);
    Assumptions.abort(why);
    throw new IllegalStateException(why);
  }

  /** How many syncs have failed so far. */
  int failures() {
    return (int) lines().stream().filter(line -> SYNC.matcher(line).find()).count();
  }

  /** The files that were synced again after that had failed, and not made anew in between. */
  List<String> retried() {
    List<String> retried = new ArrayList<>();
    Set<String> failed = new HashSet<>();
    for (String line : lines()) {
      Matcher creation = CREATION.matcher(line);
      Matcher sync = SYNC.matcher(line);
      if (creation.find()) {
        failed.remove(creation.group(1));
      } else if (sync.find() && isFile(sync.group(1)) && !failed.add(sync.group(1))) {
        retried.add(sync.group(1));
      }
    }
    return retried;
  }

  /** The directory loses nothing by a sync that fails. */
  private static boolean isFile(String path) {
    return !Files.isDirectory(Path.of(path));
  }

  private List<String> lines() {
    try {
      return Files.readAllLines(trace);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** From here on syncs work again. */
  @Override
  public void close() {
    strace.destroy();
    try {
      assertTrue(strace.waitFor(SECONDS_MAX, TimeUnit.SECONDS), "strace does not let go");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      strace.destroyForcibly();
    }
  }
}
