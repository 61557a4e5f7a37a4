package dev.varve.server.command.access;

import dev.varve.server.command.Command;
import dev.varve.server.command.CommandTable;
import dev.varve.server.resp.Args;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * All commands, subcommands behind their containers, and which of them each category has.
 *
 * <p>Immutable, any thread.
 */
public final class Catalog {

  /** Redis's categories, in its order. */
  public static final List<String> CATEGORIES =
      List.of(
          "keyspace",
          "read",
          "write",
          "set",
          "sortedset",
          "list",
          "hash",
          "string",
          "bitmap",
          "hyperloglog",
          "geo",
          "stream",
          "pubsub",
          "admin",
          "fast",
          "slow",
          "blocking",
          "dangerous",
          "connection",
          "transaction",
          "scripting");

  private final CommandTable table;
  private final List<Command> all = new ArrayList<>();
  private final Map<String, List<Command>> byCategory = new HashMap<>();

  /** Of a table that is complete. */
  public Catalog(CommandTable table) {
    this.table = table;
    CATEGORIES.forEach(name -> byCategory.put(name, new ArrayList<>()));
    add(table);
  }

  private void add(CommandTable from) {
    for (Command command : from.all()) {
      all.add(command);
      for (String category : Set.copyOf(Categories.of(command))) {
        List<Command> its = byCategory.get(category.substring(1));
        if (its != null) {
          its.add(command);
        }
      }
      CommandTable subcommands = command.subcommands();
      if (subcommands != null) {
        add(subcommands);
      }
    }
  }

  /** All of them. */
  List<Command> all() {
    return all;
  }

  /** Those of a category in any case, or null if there is none of that name. */
  public @Nullable List<Command> inCategory(String name) {
    return byCategory.get(name.toLowerCase(Locale.ROOT));
  }

  /** The command of a request, a subcommand where it is one; null where there is none. */
  public @Nullable Command of(Args request) {
    return table.find(request, 0);
  }

  /** The command of a name as {@code get} or {@code config|get}, in any case, or null. */
  @Nullable Command find(String name) {
    return table.findFullName(ByteText.bytes(name));
  }
}
