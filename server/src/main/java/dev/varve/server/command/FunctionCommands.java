package dev.varve.server.command;

import static dev.varve.server.command.CommandFlag.NOSCRIPT;
import static dev.varve.server.command.CommandFlag.WRITE;

import dev.varve.codec.DataException;
import dev.varve.server.resp.Args;

/** FUNCTION, as far as it goes while no library can be loaded: there are none. */
final class FunctionCommands {
  private static final DataException NO_LIBRARY = new DataException("ERR Library not found");
  private static final DataException FLUSH_OPTIONS =
      new DataException("ERR FUNCTION FLUSH only supports SYNC|ASYNC option");

  private FunctionCommands() {}

  static void register(CommandTable table) {
    table.add(
        CommandGroup.SCRIPTING,
        Command.named("function")
            .arity(-2)
            .since("7.0.0")
            .summary("A container for function commands")
            .subcommands(
                Command.named("flush")
                    .arity(-2)
                    .flags(NOSCRIPT, WRITE)
                    .since("7.0.0")
                    .summary("Deleting all functions")
                    .does(FunctionCommands::flush),
                Command.named("delete")
                    .arity(3)
                    .flags(NOSCRIPT, WRITE)
                    .since("7.0.0")
                    .summary("Delete a function by name")
                    .does(
                        (context, args) -> {
                          throw NO_LIBRARY;
                        }),
                Command.named("list")
                    .arity(-2)
                    .flags(NOSCRIPT)
                    .since("7.0.0")
                    .summary("List information about all the functions")
                    .does((context, args) -> context.reply().array(0))));
  }

  private static void flush(CommandContext context, Args args) {
    boolean isKnown =
        args.count() == 2 || (args.count() == 3 && (args.is(2, "SYNC") || args.is(2, "ASYNC")));
    if (!isKnown) {
      throw FLUSH_OPTIONS;
    }
    context.reply().ok();
  }
}
