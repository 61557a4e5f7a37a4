package dev.varve.server.command.access;

import dev.varve.server.command.Command;
import dev.varve.server.command.CommandFlag;
import dev.varve.server.command.CommandGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The ACL categories of a command: by its flags and group, and a few that Redis files apart. */
public final class Categories {

  /** What flags and group do not tell. */
  private static final Map<String, Set<String>> MORE =
      Map.of(
          "@dangerous",
          Set.of(
              "flushall",
              "flushdb",
              "info",
              "keys",
              "lastsave",
              "migrate",
              "restore",
              "role",
              "sort",
              "sort_ro",
              "swapdb"),
          "@admin",
          Set.of("lastsave", "role"),
          "@keyspace",
          Set.of("dbsize", "flushall", "flushdb", "swapdb"),
          "@connection",
          Set.of("asking", "command", "readonly", "readwrite", "wait", "waitaof"),
          "@list",
          Set.of("sort", "sort_ro"),
          "@set",
          Set.of("sort", "sort_ro"),
          "@sortedset",
          Set.of("sort", "sort_ro"));

  /** Commands of the generic group that are not about keys as such. */
  private static final Set<String> NOT_KEYSPACE = Set.of("sort", "sort_ro", "wait", "waitaof");

  private Categories() {}

  public static List<String> of(Command command) {
    List<String> categories = new ArrayList<>();
    if (command.is(CommandFlag.WRITE)) {
      categories.add("@write");
    }
    if (command.is(CommandFlag.READONLY) && command.group() != CommandGroup.SCRIPTING) {
      categories.add("@read");
    }
    boolean isContainer = command.subcommands() != null && !command.name().equals("command");
    if (!command.group().category().isEmpty()
        && !isContainer
        && !NOT_KEYSPACE.contains(command.name())) {
      categories.add('@' + command.group().category());
    }
    if (command.is(CommandFlag.ADMIN)) {
      categories.add("@admin");
      categories.add("@dangerous");
    }
    if (command.is(CommandFlag.PUBSUB)) {
      addOnce(categories, "@pubsub");
    }
    if (command.is(CommandFlag.BLOCKING)) {
      categories.add("@blocking");
    }
    Command container = command.container();
    String name = container == null ? command.name() : container.name();
    MORE.forEach(
        (category, names) -> {
          if (names.contains(name)) {
            addOnce(categories, category);
          }
        });
    categories.add(command.is(CommandFlag.FAST) ? "@fast" : "@slow");
    return categories;
  }

  private static void addOnce(List<String> categories, String category) {
    if (!categories.contains(category)) {
      categories.add(category);
    }
  }
}
