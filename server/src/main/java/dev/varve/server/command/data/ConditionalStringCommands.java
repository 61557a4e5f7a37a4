package dev.varve.server.command.data;

import static dev.varve.server.command.CommandFlag.DENYOOM;
import static dev.varve.server.command.CommandFlag.FAST;
import static dev.varve.server.command.CommandFlag.WRITE;

import dev.varve.codec.DataException;
import dev.varve.codec.Keys;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.ValueType;
import dev.varve.codec.string.SetOptions;
import dev.varve.codec.string.Strings;
import dev.varve.server.command.Arguments;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.CommandTable;
import dev.varve.server.command.CountedKeys;
import dev.varve.server.resp.Args;
import java.util.List;

/**
 * Commands of the string group that later releases have for what takes a script before: to delete a
 * key that holds a certain value, and to set several keys that expire.
 *
 * <p>Replicas may be older, and are told what came of them in words of Redis 7.0.
 */
public final class ConditionalStringCommands {
  private static final DataException NOT_A_STRING =
      new DataException("ERR Key should be of string type if conditions are specified");
  private static final DataException NO_CONDITION =
      new DataException("ERR Invalid condition. Use IFEQ, IFNE, IFDEQ, or IFDNE");
  private static final DataException NOT_A_COUNT = new DataException("ERR invalid numkeys value");
  private static final DataException TOO_FEW =
      new DataException("ERR wrong number of key-value pairs");

  private ConditionalStringCommands() {}

  public static void register(CommandTable table) {
    table.add(
        CommandGroup.STRING,
        Command.named("delex")
            .arity(-2)
            .flags(WRITE, FAST)
            .keys(1, 1, 1)
            .since("8.4.0")
            .summary("Delete a key, if its string is, or is not, a certain one")
            .does(ConditionalStringCommands::delete),
        Command.named("delifeq")
            .arity(3)
            .flags(WRITE, FAST)
            .keys(1, 1, 1)
            .since("9.0.0")
            .summary("Delete a key if its string is a certain one; as DELEX with IFEQ")
            .does(ConditionalStringCommands::deleteIfEqual),
        Command.named("msetex")
            .arity(-4)
            .flags(WRITE, DENYOOM)
            .keys(args -> CountedKeys.ofPairs(args, 1))
            .since("8.4.0")
            .summary("Store several strings, all or none of them, with one expiry")
            .does(ConditionalStringCommands::setAll));
  }

  private static void delete(CommandContext context, Args args) {
    Transaction transaction = context.transaction();
    byte[] key = args.get(1);
    if (args.count() == 2) {
      reply(context, key, Keys.delete(transaction, context.database(), key));
      return;
    }
    if (args.count() != 4) {
      throw Arguments.wrongNumber(context.command());
    }
    // As in Redis, the condition is looked at last.
    ValueType type = Keys.type(transaction, context.database(), key);
    if (type == null) {
      context.reply().integer(0);
      return;
    }
    if (type != ValueType.STRING) {
      throw NOT_A_STRING;
    }
    if (!SetArguments.isComparison(args, 2)) {
      throw NO_CONDITION;
    }
    delete(context, key, SetArguments.comparison(args, 2));
  }

  private static void deleteIfEqual(CommandContext context, Args args) {
    delete(context, args.get(1), new SetOptions.Comparison(true, args.get(2)));
  }

  private static void delete(CommandContext context, byte[] key, SetOptions.Comparison comparison) {
    reply(
        context,
        key,
        Strings.deleteComparing(context.transaction(), context.database(), key, comparison));
  }

  private static void reply(CommandContext context, byte[] key, boolean isDeleted) {
    if (isDeleted) {
      context.effects().instead(context.database(), "DEL", key);
    }
    context.reply().integer(isDeleted ? 1 : 0);
  }

  private static void setAll(CommandContext context, Args args) {
    long count = Arguments.integer(args, 1, 1, Integer.MAX_VALUE, NOT_A_COUNT);
    long end = 2 + 2 * count;
    if (end > args.count()) {
      throw TOO_FEW;
    }
    SetArguments arguments = SetArguments.ofMany(context, args, (int) end);
    List<byte[]> keysAndValues = args.list(2, (int) end);
    boolean isSet =
        Strings.setAll(
            context.transaction(), context.database(), keysAndValues, arguments.options());
    if (isSet) {
      tell(context, keysAndValues, arguments);
    }
    context.reply().integer(isSet ? 1 : 0);
  }

  private static void tell(
      CommandContext context, List<byte[]> keysAndValues, SetArguments arguments) {
    int database = context.database();
    if (!arguments.expires() && !arguments.options().keepExpiry()) {
      context.effects().insteadWith(database, keysAndValues, "MSET");
      return;
    }
    for (int i = 0; i < keysAndValues.size(); i += 2) {
      byte[] key = keysAndValues.get(i);
      byte[] value = keysAndValues.get(i + 1);
      if (arguments.expires()) {
        long expiryMillis = arguments.options().expiryMillis();
        context.effects().instead(database, "SET", key, value, "PXAT", expiryMillis);
      } else {
        context.effects().instead(database, "SET", key, value, "KEEPTTL");
      }
    }
  }
}
