package dev.varve.perf.engine;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * A fresh directory for an engine, deleted at the end, also when the harness is interrupted. Used
 * by one thread.
 */
final class WorkDirectory implements Closeable {
  private static final int TRIES = 50;
  private static final int PAUSE_MILLIS = 20;

  private final Path path;
  private final Thread atExit = new Thread(this::discard);

  /**
   * Makes one.
   *
   * @param parent where
   */
  WorkDirectory(Path parent) throws IOException {
    path = Files.createTempDirectory(parent, "varve-perf-");
    Runtime.getRuntime().addShutdownHook(atExit);
  }

  Path path() {
    return path;
  }

  /** When the harness is interrupted. The engine writes on meanwhile: again, until nothing came. */
  private void discard() {
    String why = "";
    for (int i = 0; i < TRIES; i++) {
      try {
        DiskUse.delete(path);
        return;
      } catch (IOException | UncheckedIOException changed) {
        why = changed.toString();
        pause();
      }
    }
    System.err.println("varve-perf: " + path + " is left behind: " + why);
  }

  private static void pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() throws IOException {
    DiskUse.delete(path);
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException exiting) {
      // The hook finds nothing.
    }
  }
}
