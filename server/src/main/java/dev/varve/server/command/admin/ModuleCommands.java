package dev.varve.server.command.admin;

import static dev.varve.server.command.CommandFlag.ADMIN;
import static dev.varve.server.command.CommandFlag.NOSCRIPT;
import static dev.varve.server.command.CommandFlag.NO_ASYNC_LOADING;

import dev.varve.codec.DataException;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.CommandTable;

/**
 * What a server that has no modules can say of them: the truth where a client only asks, an error
 * where it wants something done. Any thread.
 */
final class ModuleCommands {
  private static final DataException NO_MODULES =
      new DataException("ERR Modules are not supported by this server");

  private ModuleCommands() {}

  static void register(CommandTable table) {
    table.add(
        CommandGroup.SERVER,
        Command.named("module")
            .arity(-2)
            .since("4.0.0")
            .helpSince("5.0.0")
            .summary("Tell of modules, of which there are none")
            .subcommands(
                module("list", 2, "4.0.0", "List the modules: none")
                    .does((context, args) -> context.reply().array(0)),
                refusing(
                    module("load", -3, "4.0.0", "Load a module (refused: there are none)")
                        .flags(NO_ASYNC_LOADING),
                    NO_MODULES),
                refusing(
                    module(
                            "loadex",
                            -3,
                            "7.0.0",
                            "Load a module with its parameters (refused: there are none)")
                        .flags(NO_ASYNC_LOADING),
                    NO_MODULES),
                refusing(
                    module("unload", 3, "4.0.0", "Throw a module out (refused: there are none)")
                        .flags(NO_ASYNC_LOADING),
                    NO_MODULES)));
  }

  private static Command module(String name, int arity, String since, String summary) {
    return Command.named(name).arity(arity).flags(ADMIN, NOSCRIPT).since(since).summary(summary);
  }

  /** The command as one that is known, and always ends in {@code why}. */
  static Command refusing(Command command, DataException why) {
    return command
        .unsupported()
        .does(
            (context, args) -> {
              throw why;
            });
  }
}
