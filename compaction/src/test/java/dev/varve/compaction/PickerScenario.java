package dev.varve.compaction;

import dev.varve.lsm.entry.KeyComparator;
import dev.varve.lsm.version.TableMeta;
import dev.varve.lsm.version.Version;
import dev.varve.lsm.version.VersionEdit;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A picker's input as text, one fact a line:
 *
 * <pre>
 *   L0 9 a-z 32M seq=100-120 entries=1000 tombstones=10 deadThrough=5 dead=8M age=1000 [whole]
 *   quiet
 *   horizon 500
 *   running merge|move L5 7 -> 6
 *   avoid 7
 *   request a z 100
 *   cursor 5 m
 * </pre>
 *
 * <p>A key {@code a~8M} is an a and zeroes, of 8 MiB together.
 */
final class PickerScenario {
  private static final CompactionOptions OPTIONS = CompactionOptions.DEFAULT;

  private final VersionEdit tables = new VersionEdit();
  private final Map<Long, PlacedTable> byNumber = new HashMap<>();
  private final Map<Long, TableGarbage.InTable> garbage = new HashMap<>();
  private final List<Plan> running = new ArrayList<>();
  private final Set<Long> avoided = new HashSet<>();
  private final List<RangeRequest> requests = new ArrayList<>();
  private LevelCursors cursors = LevelCursors.START;
  private long horizon = 1000;
  private boolean quiet;

  static String pick(List<String> lines) {
    PickerScenario scenario = new PickerScenario();
    lines.forEach(scenario::read);
    Version version = Version.empty(KeyComparator.BYTEWISE).apply(scenario.tables);
    Plan plan =
        new CompactionPicker(OPTIONS)
            .pick(
                new PickerInput(
                    version,
                    scenario.running,
                    scenario.avoided,
                    new TableGarbage(scenario.garbage, 0, 0, 0, -1),
                    scenario.horizon,
                    scenario.quiet,
                    scenario.requests,
                    scenario.cursors));
    return plan == null ? "nothing" : plan.toString();
  }

  private void read(String line) {
    String[] words = line.split(" +");
    switch (words[0]) {
      case "quiet" -> quiet = true;
      case "horizon" -> horizon = Long.parseLong(words[1]);
      case "avoid" -> avoided.add(Long.parseLong(words[1]));
      case "cursor" -> cursors = cursors.with(Integer.parseInt(words[1]), key(words[2]));
      case "request" ->
          requests.add(new RangeRequest(key(words[1]), key(words[2]), Long.parseLong(words[3])));
      case "running" -> {
        List<PlacedTable> inputs = List.of(byNumber.get(Long.parseLong(words[2])));
        int level = Integer.parseInt(words[4]);
        running.add(new Plan.Merge(Reason.LEVEL_SIZE, inputs, level));
      }
      default -> readTable(words);
    }
  }

  private void readTable(String[] words) {
    int level = Integer.parseInt(words[0].substring(1));
    long number = Long.parseLong(words[1]);
    String[] range = words[2].split("-");
    long fileBytes = bytes(words[3]);
    Map<String, String> facts = new HashMap<>();
    for (int i = 4; i < words.length; i++) {
      String[] fact = words[i].split("=");
      facts.put(fact[0], fact.length == 1 ? "" : fact[1]);
    }
    String[] sequences = facts.getOrDefault("seq", number + "-" + number).split("-");
    TableMeta table =
        new TableMeta(
            number,
            fileBytes,
            2 * fileBytes,
            key(range[0]),
            key(range[1]),
            Long.parseLong(sequences[0]),
            Long.parseLong(sequences[1]),
            Long.parseLong(facts.getOrDefault("entries", Long.toString(fileBytes / 100))),
            Long.parseLong(facts.getOrDefault("tombstones", "0")),
            Long.parseLong(facts.getOrDefault("deadThrough", "0")));
    tables.add(level, table);
    byNumber.put(number, new PlacedTable(level, table));
    if (facts.containsKey("dead")) {
      garbage.put(
          number,
          new TableGarbage.InTable(
              bytes(facts.get("dead")),
              Long.parseLong(facts.getOrDefault("age", "0")),
              facts.containsKey("whole")));
    }
  }

  private static byte[] key(String text) {
    String[] parts = text.split("~");
    byte[] start = parts[0].getBytes(StandardCharsets.US_ASCII);
    return parts.length == 1 ? start : Arrays.copyOf(start, (int) bytes(parts[1]));
  }

  private static long bytes(String text) {
    char unit = text.charAt(text.length() - 1);
    long factor = unit == 'G' ? 1L << 30 : unit == 'M' ? 1L << 20 : unit == 'K' ? 1L << 10 : 1;
    String digits = factor == 1 ? text : text.substring(0, text.length() - 1);
    return Long.parseLong(digits) * factor;
  }
}
