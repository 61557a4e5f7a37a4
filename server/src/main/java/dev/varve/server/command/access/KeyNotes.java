package dev.varve.server.command.access;

import dev.varve.server.command.Command;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Why some groups of keys have the flags they have, for people who read COMMAND INFO. The commands
 * are those that Redis has a note on. Immutable.
 */
final class KeyNotes {
  private static final String WRITES =
      "What the code does with its keys is known when it runs; it may do anything";
  private static final String READS =
      "What the code reads of its keys is known when it runs; it may read all";
  private static final String BY_OR_GET =
      "Keys of BY and GET, whose names come from the elements that are sorted";

  private static final Map<String, List<String>> BY_COMMAND = new HashMap<>();

  static {
    put("bitfield", "Reads with GET, writes with SET and INCRBY");
    put("delex", "Reads too, with a condition");
    put("eval", WRITES);
    put("eval_ro", READS);
    put("fcall", WRITES);
    put("fcall_ro", READS);
    put("getex", "Reads the value, and may write the expiry");
    put("pfcount", "Writes down what it has counted, so that it need not count again");
    put("set", "Reads too, with GET, IFEQ and IFNE");
    put("sort", "", BY_OR_GET, "The key of STORE, which may stand anywhere among the options");
    put("sort_ro", "", BY_OR_GET);
    put("xadd", "Deletes too, when it trims");
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
