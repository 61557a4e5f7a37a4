package dev.varve.server.command.admin;

import dev.varve.codec.DataException;
import dev.varve.server.command.Arguments;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.CommandTable;
import dev.varve.server.config.ConfigFile;
import dev.varve.server.config.FileProblem;
import dev.varve.server.config.Parameter;
import dev.varve.server.config.Parameters;
import dev.varve.server.config.Settings;
import dev.varve.server.resp.Args;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** CONFIG and what it contains. */
public final class ConfigCommands {
  private static final DataException NO_FILE =
      new DataException("ERR The server is running without a config file");

  private final Settings settings;
  private final String file;
  private final Supplier<List<List<String>>> users;
  private final Runnable reset;

  private ConfigCommands(
      Settings settings, String file, Supplier<List<List<String>>> users, Runnable reset) {
    this.settings = settings;
    this.users = users;
    this.file = file;
    this.reset = reset;
  }

  /**
   * @param file what the server was started with, or "" for no file
   * @param users those that CONFIG REWRITE writes into it
   * @param reset starts all statistics again from zero
   */
  public static void register(
      CommandTable table,
      Settings settings,
      String file,
      Supplier<List<List<String>>> users,
      Runnable reset) {
    ConfigCommands commands = new ConfigCommands(settings, file, users, reset);
    table.add(
        CommandGroup.SERVER,
        Command.named("config")
            .arity(-2)
            .since("2.0.0")
            .helpSince("5.0.0")
            .summary("Read and change parameters")
            .subcommands(
                Command.admin("get", -3, "2.0.0", "Give the parameters whose names match patterns")
                    .does(commands::get),
                Command.admin("set", -4, "2.0.0", "Change parameters, all of them or none")
                    // It may have to wait until all loops listen on another port.
                    .at(Command.Place.WORKER)
                    .does(commands::set),
                Command.admin("resetstat", 2, "2.0.0", "Let what INFO counts begin at 0 again")
                    .does(commands::resetStatistics),
                Command.admin(
                        "rewrite",
                        2,
                        "2.8.0",
                        "Write the present parameters into the file they came from")
                    // It writes a file.
                    .at(Command.Place.WORKER)
                    .does(commands::rewrite)));
  }

  private void get(CommandContext context, Args args) {
    Map<String, String> found = new LinkedHashMap<>();
    Set<String> names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    for (int i = 2; i < args.count(); i++) {
      settings
          .matching(args.text(i))
          .forEach(
              (name, value) -> {
                if (names.add(name)) {
                  found.put(name, value);
                }
              });
    }
    context.reply().map(found.size());
    found.forEach(
        (name, value) -> {
          context.reply().bulk(name);
          context.reply().bulk(value);
        });
  }

  private void set(CommandContext context, Args args) {
    if (args.count() % 2 != 0) {
      throw Arguments.SYNTAX_ERROR;
    }
    Map<Parameter, String> changes = new LinkedHashMap<>();
    Map<Parameter, String> overwritten = new LinkedHashMap<>();
    Map<Parameter, String> names = new HashMap<>();
    Map<Parameter, String> otherNames = new HashMap<>();
    Set<String> given = new HashSet<>();
    for (int i = 2; i < args.count(); i += 2) {
      String name = args.text(i);
      Parameter parameter = Parameters.find(name);
      if (parameter == null) {
        throw DataException.quoting(
            "ERR Unknown option or number of arguments for CONFIG SET - '", args.get(i), "'");
      }
      if (!given.add(name.toLowerCase(Locale.ROOT))) {
        throw failed(name, "duplicate parameter");
      }
      // An older name, if that is the one that was given. By both names, it has the last value.
      String otherName = names.put(parameter, name.toLowerCase(Locale.ROOT));
      String before = changes.put(parameter, args.text(i + 1));
      if (otherName != null && before != null) {
        otherNames.put(parameter, otherName);
        overwritten.put(parameter, before);
      }
    }
    try {
      settings.check(overwritten);
    } catch (Settings.ParameterException refused) {
      throw failed(otherNames.get(refused.parameter()), refused.getMessage());
    }
    try {
      settings.set(changes);
    } catch (Settings.ParameterException refused) {
      throw failed(names.get(refused.parameter()), refused.getMessage());
    }
    context.reply().ok();
  }

  private static DataException failed(@Nullable String name, @Nullable String why) {
    return new DataException(
        "ERR CONFIG SET failed (possibly related to argument '" + name + "') - " + why);
  }

  private void rewrite(CommandContext context, Args args) {
    if (file.isEmpty()) {
      throw NO_FILE;
    }
    if (!context.mayWait()) {
      throw Arguments.WAITS_FOR_FILE;
    }
    try {
      ConfigFile.rewrite(file, settings, users.get());
    } catch (IOException failure) {
      throw new DataException("ERR Rewriting config file: " + FileProblem.what(failure));
    }
    context.reply().ok();
  }

  private void resetStatistics(CommandContext context, Args args) {
    reset.run();
    context.reply().ok();
  }
}
