package dev.varve.server.command;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What Redis notes on some groups of keys, for people who read COMMAND INFO. Immutable. */
final class KeyNotes {
  private static final String WRITES =
      "We cannot tell how the keys will be used so we assume the worst, RW and UPDATE";
  private static final String READS =
      "We cannot tell how the keys will be used so we assume the worst, RO and ACCESS";
  private static final String BY_OR_GET =
      "For the optional BY/GET keyword. It is marked 'unknown' because the key names derive from"
          + " the content of the key we sort";

  private static final Map<String, List<String>> BY_COMMAND = new HashMap<>();

  static {
    put("bitfield", "This command allows both access and modification of the key");
    put("eval", WRITES);
    put("eval_ro", READS);
    put("fcall", WRITES);
    put("fcall_ro", READS);
    put("getex", "RW and UPDATE because it changes the TTL");
    put(
        "pfcount",
        "RW because it may change the internal representation of the key, and propagate to"
            + " replicas");
    put("set", "RW and ACCESS due to the optional `GET` argument");
    put(
        "sort",
        "",
        BY_OR_GET,
        "For the optional STORE keyword. It is marked 'unknown' because the keyword can appear"
            + " anywhere in the argument array");
    put("sort_ro", "", BY_OR_GET);
    put("xadd", "UPDATE instead of INSERT because of the optional trimming feature");
  }

  private KeyNotes() {}

  private static void put(String command, String... notes) {
    BY_COMMAND.put(command, List.of(notes));
  }

  /** The note on a command's group of keys of this number, or null. */
  static @Nullable String of(Command command, int group) {
    List<String> notes = BY_COMMAND.getOrDefault(command.fullName(), List.of());
    return group < notes.size() && !notes.get(group).isEmpty() ? notes.get(group) : null;
  }
}
