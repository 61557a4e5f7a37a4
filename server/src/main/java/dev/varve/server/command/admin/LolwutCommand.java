package dev.varve.server.command.admin;

import static dev.varve.server.command.CommandFlag.FAST;
import static dev.varve.server.command.CommandFlag.READONLY;

import dev.varve.server.command.Arguments;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.CommandTable;
import dev.varve.server.command.session.ConnectionCommands;
import dev.varve.server.resp.Args;
import java.nio.charset.StandardCharsets;

/** LOLWUT. Any thread. */
final class LolwutCommand {
  private LolwutCommand() {}

  static void register(CommandTable table) {
    table.add(
        CommandGroup.SERVER,
        Command.named("lolwut")
            .arity(-1)
            .flags(READONLY, FAST)
            .since("5.0.0")
            .summary("Draw two layers of sediment, and give the version")
            .does(LolwutCommand::art));
  }

  private static void art(CommandContext context, Args args) {
    if (args.count() >= 3 && args.is(1, "VERSION")) {
      Arguments.integer(args, 2);
    }
    String text =
        "~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~\n  summer, light and wide\n------------------------\n"
            + "  winter, dark and thin\n= = = = = = = = = = = = =\n\nRedis ver. "
            + ConnectionCommands.REDIS_VERSION
            + '\n';
    context.reply().verbatim("txt", text.getBytes(StandardCharsets.UTF_8));
  }
}
