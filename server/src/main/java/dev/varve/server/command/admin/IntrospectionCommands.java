package dev.varve.server.command.admin;

import static dev.varve.server.command.CommandFlag.LOADING;
import static dev.varve.server.command.CommandFlag.STALE;

import dev.varve.codec.DataException;
import dev.varve.codec.Glob;
import dev.varve.server.command.Arguments;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.CommandFlag;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.CommandTable;
import dev.varve.server.command.KeyFinder;
import dev.varve.server.command.access.ByteText;
import dev.varve.server.command.access.Categories;
import dev.varve.server.command.access.KeySpecs;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;

/** COMMAND and what it contains: the command table as clients see it. */
public final class IntrospectionCommands {
  private static final DataException NO_SUCH_COMMAND =
      new DataException("ERR Invalid command specified");
  private static final DataException NO_KEYS =
      new DataException("ERR The command has no key arguments");
  private static final DataException BAD_ARGUMENTS =
      new DataException("ERR Invalid arguments specified for command");
  private static final DataException WRONG_COUNT =
      new DataException("ERR Invalid number of arguments specified for command");

  private final CommandTable table;

  private IntrospectionCommands(CommandTable table) {
    this.table = table;
  }

  public static void register(CommandTable table) {
    IntrospectionCommands commands = new IntrospectionCommands(table);
    Command command =
        Command.named("command")
            .arity(-1)
            .flags(LOADING, STALE)
            .since("2.8.13")
            .helpSince("5.0.0")
            .summary("Describe every command for programs")
            .subcommands(
                sub("count", 2, "2.8.13", "Tell how many commands there are")
                    .does((context, args) -> context.reply().integer(table.size())),
                sub("info", -2, "2.8.13", "Describe these commands for programs, or every one")
                    .does(commands::info),
                sub("docs", -2, "7.0.0", "Describe commands for people")
                    .at(Command.Place.WORKER)
                    .does(commands::docs),
                sub("list", -2, "7.0.0", "Name all commands, or those of a category or pattern")
                    .does(commands::list),
                sub("getkeys", -4, "2.8.13", "Tell which parts of a request are keys")
                    .does((context, args) -> commands.getKeys(context, args, false)),
                sub(
                        "getkeysandflags",
                        -4,
                        "7.0.0",
                        "Tell which parts of a request are keys, and what happens to each")
                    .does((context, args) -> commands.getKeys(context, args, true)));
    table.add(CommandGroup.SERVER, command.does(commands::all));
  }

  private static Command sub(String name, int arity, String since, String summary) {
    return Command.named(name).arity(arity).flags(LOADING, STALE).since(since).summary(summary);
  }

  private void all(CommandContext context, Args args) {
    context.reply().array(table.size());
    for (Command command : table.all()) {
      describe(context.reply(), command);
    }
  }

  private void info(CommandContext context, Args args) {
    if (args.count() == 2) {
      all(context, args);
      return;
    }
    context.reply().array(args.count() - 2L);
    for (int i = 2; i < args.count(); i++) {
      Command command = table.findFullName(args.get(i));
      if (command == null) {
        context.reply().nullBulk();
      } else {
        describe(context.reply(), command);
      }
    }
  }

  private static void describe(RespEncoder reply, Command command) {
    reply.array(10);
    reply.bulk(command.fullName());
    reply.integer(command.arity());
    List<String> flags = new ArrayList<>();
    for (CommandFlag flag : CommandFlag.values()) {
      if (command.is(flag) && flag != CommandFlag.MAY_REPLICATE) {
        flags.add(flag.label());
      }
    }
    statuses(reply, flags);
    reply.integer(command.firstKey());
    reply.integer(command.lastKey());
    reply.integer(command.keyStep());
    statuses(reply, Categories.of(command));
    List<String> tips = KeySpecs.tips(command);
    reply.set(tips.size());
    tips.forEach(reply::bulk);
    KeySpecs.describe(reply, command);
    CommandTable subcommands = command.subcommands();
    List<Command> contained = subcommands == null ? List.of() : subcommands.all();
    if (subcommands == null) {
      // As in Redis, no array where there is nothing.
      reply.set(0);
    } else {
      reply.array(contained.size());
    }
    for (Command subcommand : contained) {
      describe(reply, subcommand);
    }
  }

  private static void statuses(RespEncoder reply, List<String> texts) {
    reply.set(texts.size());
    texts.forEach(reply::status);
  }

  private void docs(CommandContext context, Args args) {
    List<Command> wanted = new ArrayList<>();
    if (args.count() == 2) {
      wanted.addAll(table.all());
    }
    for (int i = 2; i < args.count(); i++) {
      Command command = table.findFullName(args.get(i));
      if (command != null) {
        wanted.add(command);
      }
    }
    CommandDocs.describe(context.reply(), wanted);
  }

  private void list(CommandContext context, Args args) {
    Predicate<Command> filter = command -> true;
    if (args.count() == 5 && args.is(2, "FILTERBY")) {
      filter = filter(args);
    } else if (args.count() != 2) {
      throw Arguments.SYNTAX_ERROR;
    }
    List<String> names = new ArrayList<>();
    addNames(names, table, filter);
    context.reply().array(names.size());
    names.forEach(context.reply()::bulk);
  }

  private static Predicate<Command> filter(Args args) {
    if (args.is(3, "MODULE")) {
      return command -> false;
    }
    if (args.is(3, "ACLCAT")) {
      String category = '@' + args.text(4).toLowerCase(Locale.ROOT);
      return command -> Categories.of(command).contains(category);
    }
    if (args.is(3, "PATTERN")) {
      Glob pattern = new Glob(args.get(4), true);
      return command -> pattern.matches(ByteText.bytes(command.fullName()));
    }
    throw Arguments.SYNTAX_ERROR;
  }

  private static void addNames(List<String> names, CommandTable from, Predicate<Command> filter) {
    for (Command command : from.all()) {
      if (filter.test(command)) {
        names.add(command.fullName());
      }
      CommandTable subcommands = command.subcommands();
      if (subcommands != null) {
        addNames(names, subcommands, filter);
      }
    }
  }

  private void getKeys(CommandContext context, Args args, boolean withFlags) {
    Args request = args.request(2);
    Command command = table.find(request.get(0));
    if (command == null) {
      throw NO_SUCH_COMMAND;
    }
    CommandTable subcommands = command.subcommands();
    Command contained = subcommands == null ? null : subcommands.find(request.get(1));
    if (subcommands != null && contained == null) {
      throw NO_SUCH_COMMAND;
    }
    Command asked = contained == null ? command : contained;
    KeyFinder finder = asked.keyFinder();
    if ((asked.firstKey() == 0 && finder == null) || KeySpecs.areChannels(asked)) {
      throw NO_KEYS;
    }
    if (!asked.allows(request.count())) {
      throw WRONG_COUNT;
    }
    int[] keys = asked.keyIndexes(request);
    if (keys.length == 0 && asked.group() != CommandGroup.SCRIPTING) {
      throw BAD_ARGUMENTS;
    }
    context.reply().array(keys.length);
    for (int key : keys) {
      if (withFlags) {
        context.reply().array(2);
        context.reply().bulk(request.get(key));
        statuses(context.reply(), KeySpecs.flags(asked, request, key));
      } else {
        context.reply().bulk(request.get(key));
      }
    }
  }
}
