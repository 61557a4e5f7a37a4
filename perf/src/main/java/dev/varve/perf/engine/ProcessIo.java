package dev.varve.perf.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What this process has read and written by system calls so far, the page cache included. Not what
 * goes through memory maps.
 *
 * @param readBytes zero where the operating system does not say
 * @param writtenBytes the same
 */
record ProcessIo(long readBytes, long writtenBytes) {
  private static final Path SOURCE = Path.of("/proc/self/io");

  /** The figures of this moment. */
  static ProcessIo now() {
    try {
      return parse(Files.readAllLines(SOURCE));
    } catch (IOException e) {
      // Not Linux: then there are no amplifications to show.
      return new ProcessIo(0, 0);
    }
  }

  /** From the lines of {@code /proc/PID/io}, see proc(5). */
  static ProcessIo parse(List<String> lines) {
    return new ProcessIo(value(lines, "rchar: "), value(lines, "wchar: "));
  }

  private static long value(List<String> lines, String name) {
    return lines.stream()
        .filter(line -> line.startsWith(name))
        .mapToLong(line -> Long.parseLong(line.substring(name.length()).trim()))
        .findFirst()
        .orElse(0);
  }

  ProcessIo since(ProcessIo earlier) {
    return new ProcessIo(readBytes - earlier.readBytes, writtenBytes - earlier.writtenBytes);
  }

  ProcessIo plus(ProcessIo later) {
    return new ProcessIo(readBytes + later.readBytes, writtenBytes + later.writtenBytes);
  }
}
