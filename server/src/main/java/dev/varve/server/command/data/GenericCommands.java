package dev.varve.server.command.data;

import static dev.varve.server.command.CommandFlag.DENYOOM;
import static dev.varve.server.command.CommandFlag.FAST;
import static dev.varve.server.command.CommandFlag.READONLY;
import static dev.varve.server.command.CommandFlag.WRITE;

import dev.varve.codec.DataException;
import dev.varve.codec.Keys;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.ValueType;
import dev.varve.server.command.Arguments;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.CommandTable;
import dev.varve.server.resp.Args;
import java.util.Arrays;

/** The commands of the generic group that take keys as a whole. */
public final class GenericCommands {
  private static final DataException SAME_OBJECTS =
      new DataException("ERR source and destination objects are the same");
  static final DataException NO_SUCH_DATABASE = new DataException("ERR DB index is out of range");

  private GenericCommands() {}

  public static void register(CommandTable table) {
    table.add(
        CommandGroup.GENERIC,
        Command.named("del")
            .arity(-2)
            .flags(WRITE)
            .keys(1, -1, 1)
            .summary("Delete keys; as quick for a large collection as for a number")
            .does((context, args) -> count(context, args, Keys::delete)),
        Command.named("unlink")
            .arity(-2)
            .flags(WRITE, FAST)
            .keys(1, -1, 1)
            .since("4.0.0")
            .summary("Delete keys; the same as DEL, which takes no longer")
            .does((context, args) -> count(context, args, Keys::delete)),
        Command.named("exists")
            .arity(-2)
            .flags(READONLY, FAST)
            .keys(1, -1, 1)
            .summary("Tell how many of the given keys there are")
            .does((context, args) -> count(context, args, Keys::exists)),
        Command.named("touch")
            .arity(-2)
            .flags(READONLY, FAST)
            .keys(1, -1, 1)
            .since("3.2.1")
            .summary("Use keys, as if they were read, and tell how many of them there are")
            .does((context, args) -> count(context, args, Keys::touch)),
        Command.named("type")
            .arity(2)
            .flags(READONLY, FAST)
            .keys(1, 1, 1)
            .summary("Tell whether a key is a string, list, set, zset, hash or stream")
            .does(GenericCommands::type),
        Command.named("rename")
            .arity(3)
            .flags(WRITE)
            .keys(1, 2, 1)
            .summary("Give a key another name, in the place of what had it")
            .does(GenericCommands::rename),
        Command.named("renamenx")
            .arity(3)
            .flags(WRITE, FAST)
            .keys(1, 2, 1)
            .summary("Give a key another name, unless a key has it")
            .does(GenericCommands::renameIfAbsent),
        Command.named("copy")
            .arity(-3)
            .flags(WRITE, DENYOOM)
            .keys(1, 2, 1)
            .since("6.2.0")
            .summary("Copy a key under another name, or to another database")
            .does(GenericCommands::copy),
        Command.named("move")
            .arity(3)
            .flags(WRITE, FAST)
            .keys(1, 1, 1)
            .summary("Move a key to another database, unless one of its name is there")
            .does(GenericCommands::move));
  }

  /** Does something with each of the keys, and tells for how many of them that was possible. */
  private static void count(CommandContext context, Args args, KeyAction action) {
    int done = 0;
    for (int i = 1; i < args.count(); i++) {
      if (action.on(context.transaction(), context.database(), args.get(i))) {
        done++;
      }
    }
    context.reply().integer(done);
  }

  @FunctionalInterface
  private interface KeyAction {
    boolean on(Transaction transaction, int database, byte[] key);
  }

  private static void type(CommandContext context, Args args) {
    ValueType type = Keys.type(context.transaction(), context.database(), args.get(1));
    context.reply().status(type == null ? "none" : type.redisName());
  }

  private static void rename(CommandContext context, Args args) {
    Keys.rename(context.transaction(), context.database(), args.get(1), args.get(2), true);
    context.reply().ok();
  }

  private static void renameIfAbsent(CommandContext context, Args args) {
    boolean renamed =
        Keys.rename(context.transaction(), context.database(), args.get(1), args.get(2), false);
    context.reply().integer(renamed ? 1 : 0);
  }

  private static void copy(CommandContext context, Args args) {
    int database = context.database();
    int target = database;
    boolean replace = false;
    for (int i = 3; i < args.count(); i++) {
      if (args.is(i, "REPLACE")) {
        replace = true;
      } else if (args.is(i, "DB") && i + 1 < args.count()) {
        target = database(context, args, ++i);
      } else {
        throw Arguments.SYNTAX_ERROR;
      }
    }
    if (database == target && Arrays.equals(args.get(1), args.get(2))) {
      throw SAME_OBJECTS;
    }
    boolean copied =
        Keys.copy(context.transaction(), database, args.get(1), target, args.get(2), replace);
    context.reply().integer(copied ? 1 : 0);
  }

  private static void move(CommandContext context, Args args) {
    int target = database(context, args, 2);
    if (target == context.database()) {
      throw SAME_OBJECTS;
    }
    boolean moved = Keys.move(context.transaction(), context.database(), args.get(1), target);
    context.reply().integer(moved ? 1 : 0);
  }

  private static int database(CommandContext context, Args args, int index) {
    int database = Arguments.int32(args, index);
    if (database < 0 || database >= context.transaction().databases().count()) {
      throw NO_SUCH_DATABASE;
    }
    return database;
  }
}
