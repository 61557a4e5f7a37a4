package dev.varve.server.command.data;

import static dev.varve.server.command.CommandFlag.DENYOOM;
import static dev.varve.server.command.CommandFlag.READONLY;
import static dev.varve.server.command.CommandFlag.WRITE;

import dev.varve.codec.DataException;
import dev.varve.codec.member.MemberCursor;
import dev.varve.codec.member.SetAlgebra;
import dev.varve.codec.member.SetAlgebra.Operation;
import dev.varve.server.command.Arguments;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.CommandTable;
import dev.varve.server.command.CountedKeys;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import java.util.Arrays;

/** The commands of the set group that make a result of several sets. */
public final class SetAlgebraCommands {
  private static final DataException TOO_MANY_KEYS =
      new DataException("ERR Number of keys can't be greater than number of args");
  private static final DataException NEGATIVE_LIMIT =
      new DataException("ERR LIMIT can't be negative");

  private SetAlgebraCommands() {}

  public static void register(CommandTable table) {
    table.add(
        CommandGroup.SET,
        reading("sinter", Operation.INTERSECTION).summary("Give the members that all sets have"),
        reading("sunion", Operation.UNION).summary("Give the members that any of the sets has"),
        reading("sdiff", Operation.DIFFERENCE)
            .summary("Give the members of the first set that no other has"),
        storing("sinterstore", Operation.INTERSECTION).summary("Store what SINTER gives"),
        storing("sunionstore", Operation.UNION).summary("Store what SUNION gives"),
        storing("sdiffstore", Operation.DIFFERENCE).summary("Store what SDIFF gives"),
        Command.named("sintercard")
            .arity(-3)
            .flags(READONLY)
            .keys(args -> CountedKeys.of(args, 1))
            .since("7.0.0")
            .summary("Count the members that all sets have, or the first so many")
            .does(SetAlgebraCommands::intersectionSize));
  }

  private static Command reading(String name, Operation operation) {
    return Command.named(name)
        .arity(-2)
        .flags(READONLY)
        .keys(1, -1, 1)
        .does((context, args) -> members(context, args, operation));
  }

  private static Command storing(String name, Operation operation) {
    return Command.named(name)
        .arity(-3)
        .flags(WRITE, DENYOOM)
        .keys(1, -1, 1)
        .does((context, args) -> store(context, args, operation));
  }

  private static void members(CommandContext context, Args args, Operation operation) {
    RespEncoder reply = context.reply();
    int set = reply.open();
    long size = 0;
    try (MemberCursor members =
        SetAlgebra.members(context.transaction(), context.database(), operation, args.from(1))) {
      while (members.next()) {
        MemberReply.bulk(reply, members);
        size++;
      }
    }
    reply.insertSet(set, size);
  }

  private static void store(CommandContext context, Args args, Operation operation) {
    long size =
        SetAlgebra.store(
            context.transaction(), context.database(), operation, args.get(1), args.from(2));
    context.reply().integer(size);
  }

  private static void intersectionSize(CommandContext context, Args args) {
    long keys = CountedKeys.count(args, 1);
    if (keys > args.count() - 2) {
      throw TOO_MANY_KEYS;
    }
    long limit = 0;
    for (int i = 2 + (int) keys; i < args.count(); i++) {
      if (args.is(i, "LIMIT") && i + 1 < args.count()) {
        limit = Arguments.integer(args, ++i, 0, Long.MAX_VALUE, NEGATIVE_LIMIT);
      } else {
        throw Arguments.SYNTAX_ERROR;
      }
    }
    byte[][] sets = Arrays.copyOf(args.from(2), (int) keys);
    long size = SetAlgebra.intersectionSize(context.transaction(), context.database(), limit, sets);
    context.reply().integer(size);
  }
}
