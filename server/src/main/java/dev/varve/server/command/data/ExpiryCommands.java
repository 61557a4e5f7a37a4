package dev.varve.server.command.data;

import static dev.varve.server.command.CommandFlag.FAST;
import static dev.varve.server.command.CommandFlag.READONLY;
import static dev.varve.server.command.CommandFlag.WRITE;

import dev.varve.codec.DataException;
import dev.varve.codec.ExpireCondition;
import dev.varve.codec.Keys;
import dev.varve.codec.Meta;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.CommandTable;
import dev.varve.server.resp.Args;

/** The commands of the generic group that read and set when keys expire. */
public final class ExpiryCommands {
  private static final DataException ABSENT_OR_OTHER =
      new DataException("ERR NX and XX, GT or LT options at the same time are not compatible");
  private static final DataException LATER_AND_EARLIER =
      new DataException("ERR GT and LT options at the same time are not compatible");

  private static final int NO_KEY = -2;
  private static final int NO_EXPIRY = -1;

  private ExpiryCommands() {}

  public static void register(CommandTable table) {
    table.add(
        CommandGroup.GENERIC,
        expire("expire", ExpiryArgument.EX, "1.0.0", "Let a key expire after so many seconds"),
        expire(
            "pexpire", ExpiryArgument.PX, "2.6.0", "Let a key expire after so many milliseconds"),
        expire(
            "expireat", ExpiryArgument.EXAT, "1.2.0", "Let a key expire at a Unix time in seconds"),
        expire(
            "pexpireat",
            ExpiryArgument.PXAT,
            "2.6.0",
            "Let a key expire at a Unix time in milliseconds"),
        ttl("ttl", true, true, "1.0.0", "Tell how many seconds a key has left"),
        ttl("pttl", true, false, "2.6.0", "Tell how many milliseconds a key has left"),
        ttl(
            "expiretime",
            false,
            true,
            "7.0.0",
            "Tell the Unix time in seconds at which a key expires"),
        ttl(
            "pexpiretime",
            false,
            false,
            "7.0.0",
            "Tell the Unix time in milliseconds at which a key expires"),
        Command.named("persist")
            .arity(2)
            .flags(WRITE, FAST)
            .keys(1, 1, 1)
            .since("2.2.0")
            .summary("Let a key stay that would have expired")
            .does(ExpiryCommands::persist));
  }

  private static Command expire(String name, ExpiryArgument unit, String since, String summary) {
    return Command.named(name)
        .arity(-3)
        .flags(WRITE, FAST)
        .keys(1, 1, 1)
        .since(since)
        .summary(summary)
        .does((context, args) -> expire(context, args, unit));
  }

  private static Command ttl(
      String name, boolean fromNow, boolean inSeconds, String since, String summary) {
    return Command.named(name)
        .arity(2)
        .flags(READONLY, FAST)
        .keys(1, 1, 1)
        .since(since)
        .summary(summary)
        .does((context, args) -> ttl(context, args, fromNow, inSeconds));
  }

  private static void expire(CommandContext context, Args args, ExpiryArgument unit) {
    ExpireCondition condition = args.count() == 3 ? ExpireCondition.ALWAYS : condition(args);
    long expiryMillis = unit.any(context, args, 2);
    boolean set =
        Keys.expireAt(
            context.transaction(), context.database(), args.get(1), expiryMillis, condition);
    if (set) {
      tellMoment(context, args.get(1), expiryMillis);
    }
    context.reply().integer(set ? 1 : 0);
  }

  /** What it was made of depends on the time, and whether it is over. */
  static void tellMoment(CommandContext context, byte[] key, long expiryMillis) {
    if (!context.effects().areWanted()) {
      return;
    }
    if (expiryMillis <= context.transaction().dueMillis()) {
      context.effects().instead(context.database(), "DEL", key);
    } else {
      context.effects().instead(context.database(), "PEXPIREAT", key, expiryMillis);
    }
  }

  private static ExpireCondition condition(Args args) {
    boolean ifNone = false;
    boolean ifSome = false;
    boolean ifLater = false;
    boolean ifEarlier = false;
    for (int i = 3; i < args.count(); i++) {
      if (args.is(i, "NX")) {
        ifNone = true;
      } else if (args.is(i, "XX")) {
        ifSome = true;
      } else if (args.is(i, "GT")) {
        ifLater = true;
      } else if (args.is(i, "LT")) {
        ifEarlier = true;
      } else {
        throw DataException.quoting("ERR Unsupported option ", args.get(i));
      }
    }
    if (ifNone && (ifSome || ifLater || ifEarlier)) {
      throw ABSENT_OR_OTHER;
    }
    if (ifLater && ifEarlier) {
      throw LATER_AND_EARLIER;
    }
    return new ExpireCondition(ifNone, ifSome, ifLater, ifEarlier);
  }

  private static void ttl(CommandContext context, Args args, boolean fromNow, boolean inSeconds) {
    Meta meta = context.transaction().observe(context.database(), args.get(1));
    if (meta == null) {
      context.reply().integer(NO_KEY);
    } else if (!meta.hasExpiry()) {
      context.reply().integer(NO_EXPIRY);
    } else {
      long millis = meta.expiryMillis() - (fromNow ? context.nowMillis() : 0);
      // Seconds are rounded to the nearest, as Redis does.
      context.reply().integer(inSeconds ? millis / 1000 + (millis % 1000 + 500) / 1000 : millis);
    }
  }

  private static void persist(CommandContext context, Args args) {
    boolean persisted = Keys.persist(context.transaction(), context.database(), args.get(1));
    context.reply().integer(persisted ? 1 : 0);
  }
}
