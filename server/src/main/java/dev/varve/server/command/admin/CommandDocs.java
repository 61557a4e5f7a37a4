package dev.varve.server.command.admin;

import dev.varve.server.command.Command;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.CommandTable;
import dev.varve.server.resp.RespEncoder;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What COMMAND DOCS tells beyond what the command table has: a text for each group, read when it is
 * asked for first. Under the name of a command it says, each where there is such a thing,
 *
 * <pre>
 *   arguments   as {@link ArgumentSyntax} reads them
 *   complexity  how its time grows, in words
 *   history     a version, and what was new in it
 *   deprecated  since which version, and what takes its place
 *   flag        another of Redis's flags for documentation
 * </pre>
 *
 * A line that is indented further goes on with the one before it.
 *
 * <p>Any thread that may wait for a disk.
 */
final class CommandDocs {
  private static final String GOES_ON = "      ";

  /** A version, and what it brought. */
  private record Change(String version, String text) {
    static Change of(String text) {
      int space = text.indexOf(' ');
      return new Change(text.substring(0, space), text.substring(space + 1));
    }
  }

  private static final Map<CommandGroup, Map<String, CommandDocs>> BY_GROUP =
      new ConcurrentHashMap<>();
  private static final CommandDocs NONE = new CommandDocs();

  private final List<DocumentedArgument> arguments = new ArrayList<>();
  private final List<Change> history = new ArrayList<>();
  private final List<String> flags = new ArrayList<>();
  private @Nullable String complexity;
  private @Nullable Change deprecated;

  private CommandDocs() {}

  /** Writes one map: commands by their full names. */
  static void describe(RespEncoder reply, List<Command> commands) {
    reply.map(commands.size());
    for (Command command : commands) {
      reply.bulk(command.fullName());
      BY_GROUP
          .computeIfAbsent(command.group(), CommandDocs::read)
          .getOrDefault(command.fullName(), NONE)
          .describe(reply, command);
    }
  }

  private void describe(RespEncoder reply, Command command) {
    CommandTable subcommands = command.subcommands();
    int entries = 3;
    entries += complexity == null ? 0 : 1;
    entries += flags.isEmpty() ? 0 : 1;
    entries += deprecated == null ? 0 : 2;
    entries += history.isEmpty() ? 0 : 1;
    entries += arguments.isEmpty() ? 0 : 1;
    entries += subcommands == null ? 0 : 1;
    reply.map(entries);
    DocumentedArgument.text(reply, "summary", command.summary());
    DocumentedArgument.text(reply, "since", command.since());
    DocumentedArgument.text(reply, "group", command.group().label());
    DocumentedArgument.text(reply, "complexity", complexity);
    if (!flags.isEmpty()) {
      reply.bulk("doc_flags");
      reply.set(flags.size());
      flags.forEach(reply::status);
    }
    if (deprecated != null) {
      DocumentedArgument.text(reply, "deprecated_since", deprecated.version);
      DocumentedArgument.text(reply, "replaced_by", deprecated.text);
    }
    if (!history.isEmpty()) {
      reply.bulk("history");
      reply.set(history.size());
      for (Change change : history) {
        reply.array(2);
        reply.bulk(change.version);
        reply.bulk(change.text);
      }
    }
    if (!arguments.isEmpty()) {
      reply.bulk("arguments");
      DocumentedArgument.describe(reply, arguments);
    }
    if (subcommands != null) {
      reply.bulk("subcommands");
      describe(reply, subcommands.all());
    }
  }

  private static Map<String, CommandDocs> read(CommandGroup group) {
    Map<String, CommandDocs> docs = new HashMap<>();
    CommandDocs current = NONE;
    for (String line : lines(group)) {
      if (line.startsWith(" ")) {
        int space = line.indexOf(' ', 2);
        current.add(line.substring(2, space), line.substring(space + 1));
      } else {
        current = new CommandDocs();
        docs.put(line, current);
      }
    }
    return docs;
  }

  private static List<String> lines(CommandGroup group) {
    String name = "docs/" + group.label() + ".txt";
    try (InputStream in = CommandDocs.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("not in the jar: " + name);
      }
      List<String> lines = new ArrayList<>();
      new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.startsWith("#"))
          .forEach(
              line -> {
                int last = lines.size() - 1;
                if (line.startsWith(GOES_ON)) {
                  lines.set(last, lines.get(last) + ' ' + line.strip());
                } else {
                  lines.add(line);
                }
              });
      return lines;
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private void add(String kind, String text) {
    switch (kind) {
      case "arguments" -> arguments.addAll(ArgumentSyntax.read(text));
      case "complexity" -> complexity = text;
      case "history" -> history.add(Change.of(text));
      case "deprecated" -> {
        flags.add("deprecated");
        deprecated = Change.of(text);
      }
      case "flag" -> flags.add(text);
      default -> throw new IllegalArgumentException(kind + ' ' + text);
    }
  }
}
