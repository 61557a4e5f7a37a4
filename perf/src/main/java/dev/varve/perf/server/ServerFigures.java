package dev.varve.perf.server;

import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** What INFO said at one moment. Immutable. */
public final class ServerFigures {

  /** What INFO says of all of memory, beside its parts. */
  private static final Set<String> OF_ALL_PARTS =
      Set.of("used_memory_rss", "used_memory_dataset", "used_memory_overhead");

  private final Map<String, String> figures = new TreeMap<>();

  private ServerFigures() {}

  /** Asks. */
  public static ServerFigures ask(RespConnection connection) throws IOException {
    ServerFigures read = new ServerFigures();
    for (String line : connection.askText("INFO").split("\r\n", -1)) {
      int colon = line.indexOf(':');
      if (colon > 0 && line.charAt(0) != '#') {
        read.figures.put(line.substring(0, colon), line.substring(colon + 1));
      }
    }
    return read;
  }

  /** The whole number under {@code name}; throws if the server has none. */
  public long number(String name) {
    String text = figures.get(name);
    if (text == null) {
      throw new IllegalStateException("INFO has no " + name);
    }
    return Long.parseLong(text);
  }

  /** Processor time of the server since it began, in its own code and in the kernel. */
  public double cpuSeconds() {
    return seconds("used_cpu_user") + seconds("used_cpu_sys");
  }

  private double seconds(String name) {
    return Double.parseDouble(figures.getOrDefault(name, "0"));
  }

  /** Bytes by part of memory: the heap, and all off-heap parts that hold anything. */
  public Map<String, Long> memoryParts() {
    Map<String, Long> parts = new TreeMap<>();
    figures.forEach(
        (name, text) -> {
          if (name.startsWith("used_memory_")
              && !OF_ALL_PARTS.contains(name)
              && text.matches("\\d+")
              && !text.equals("0")) {
            parts.put(name.substring("used_memory_".length()), Long.parseLong(text));
          }
        });
    return parts;
  }

  /** Whether a flush or a merge is under way. */
  boolean isWorking() {
    return number("immutable_memtables") > 0 || number("compaction_running") > 0;
  }

  /** What flushes and merges have done so far: two that are equal had none end between them. */
  String backgroundWork() {
    return number("flushed_bytes_total")
        + "/"
        + number("compaction_merges_total")
        + "/"
        + number("compaction_deletions_total")
        + "/"
        + number("immutable_memtables");
  }
}
