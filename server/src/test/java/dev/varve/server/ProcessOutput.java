package dev.varve.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * Everything that a process writes to one of its streams, collected by a thread of its own.
 *
 * <p>Any thread.
 */
final class ProcessOutput {
  private final StringBuilder text = new StringBuilder();
  private final Thread collector;
  private boolean isOver;

  ProcessOutput(InputStream stream) {
    collector = new Thread(() -> collect(stream), "process-output");
    collector.setDaemon(true);
    collector.start();
  }

  private void collect(InputStream stream) {
    char[] piece = new char[4096];
    try (Reader reader = new InputStreamReader(stream, StandardCharsets.UTF_8)) {
      for (int read = reader.read(piece); read >= 0; read = reader.read(piece)) {
        append(piece, read);
      }
    } catch (IOException killed) {
      // What came before it counts.
    }
    end();
  }

  private synchronized void append(char[] piece, int chars) {
    text.append(piece, 0, chars);
    notifyAll();
  }

  private synchronized void end() {
    isOver = true;
    notifyAll();
  }

  /** What was written so far. */
  synchronized String text() {
    return text.toString();
  }

  /** The first line with {@code part} in it, as soon as it is whole; empty if it never comes. */
  synchronized String awaitLine(String part, long secondsMax) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(secondsMax);
    while (true) {
      int at = text.indexOf(part);
      int end = at < 0 ? -1 : text.indexOf("\n", at);
      if (end >= 0) {
        return text.substring(text.lastIndexOf("\n", at) + 1, end);
      }
      long millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      if (isOver || millis <= 0) {
        return "";
      }
      wait(millis);
    }
  }

  /** Everything, once the process has closed the stream. */
  String whole(long secondsMax) throws InterruptedException {
    collector.join(TimeUnit.SECONDS.toMillis(secondsMax));
    return text();
  }
}
