package dev.varve.server.command.data;

import static dev.varve.server.command.CommandFlag.DENYOOM;
import static dev.varve.server.command.CommandFlag.READONLY;
import static dev.varve.server.command.CommandFlag.WRITE;

import dev.varve.codec.AccessTimes;
import dev.varve.codec.DataException;
import dev.varve.codec.Meta;
import dev.varve.codec.dump.Dumps;
import dev.varve.server.command.Arguments;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.CommandTable;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import java.util.ArrayList;
import java.util.List;

/** DUMP and RESTORE: whole values, in and out. */
public final class DumpCommands {
  private static final int FREQUENCY_MAX = 255;
  private static final long NOT_GIVEN = -1;
  private static final DataException BAD_TTL =
      new DataException("ERR Invalid TTL value, must be >= 0");
  private static final DataException BAD_IDLE_TIME =
      new DataException("ERR Invalid IDLETIME value, must be >= 0");
  private static final DataException BAD_FREQUENCY =
      new DataException("ERR Invalid FREQ value, must be >= 0 and <= 255");

  private DumpCommands() {}

  public static void register(CommandTable table) {
    table.add(
        CommandGroup.GENERIC,
        Command.named("dump")
            .arity(2)
            .flags(READONLY)
            .keys(1, 1, 1)
            .since("2.6.0")
            .summary("Give a value as bytes that RESTORE takes, here and in Redis")
            .does(DumpCommands::dump),
        Command.named("restore")
            .arity(-4)
            .flags(WRITE, DENYOOM)
            .keys(1, 1, 1)
            .since("2.6.0")
            .summary("Make a key of the bytes that DUMP gave, here or in Redis")
            .does(DumpCommands::restore));
  }

  private static void dump(CommandContext context, Args args) {
    RespEncoder reply = context.reply();
    MemberReply.bulk(
        reply, Dumps.dump(context.transaction(), context.database(), args.get(1), reply::expect));
  }

  private static void restore(CommandContext context, Args args) {
    boolean replaces = false;
    boolean isAbsolute = false;
    long idleSeconds = NOT_GIVEN;
    long frequency = NOT_GIVEN;
    for (int i = 4; i < args.count(); i++) {
      boolean hasMore = i + 1 < args.count();
      if (args.is(i, "REPLACE")) {
        replaces = true;
      } else if (args.is(i, "ABSTTL")) {
        isAbsolute = true;
      } else if (args.is(i, "IDLETIME") && hasMore && frequency == NOT_GIVEN) {
        idleSeconds = Arguments.integer(args, ++i);
        if (idleSeconds < 0) {
          throw BAD_IDLE_TIME;
        }
      } else if (args.is(i, "FREQ") && hasMore && idleSeconds == NOT_GIVEN) {
        frequency = Arguments.integer(args, ++i);
        if (frequency < 0 || frequency > FREQUENCY_MAX) {
          throw BAD_FREQUENCY;
        }
      } else {
        throw Arguments.SYNTAX_ERROR;
      }
    }
    if (!replaces) {
      Dumps.requireFree(context.transaction(), context.database(), args.get(1));
    }
    long ttl = Arguments.integer(args, 2);
    if (ttl < 0) {
      throw BAD_TTL;
    }
    long expiryMillis = expiryMillis(context, ttl, isAbsolute);
    Dumps.restore(
        context.transaction(), context.database(), args.get(1), expiryMillis, args.get(3));
    if (ttl != 0 && !isAbsolute && context.effects().areWanted()) {
      List<Object> effect = new ArrayList<>(args.list(0, args.count()));
      effect.set(2, expiryMillis);
      effect.add("ABSTTL");
      context.effects().instead(context.database(), effect.toArray());
    }
    noteUses(context, args.get(1), idleSeconds, frequency);
    context.reply().ok();
  }

  /** As in Redis, what the present policy does not ask for is checked and dropped. */
  private static void noteUses(
      CommandContext context, byte[] key, long idleSeconds, long frequency) {
    AccessTimes times = context.accessTimes();
    if (frequency != NOT_GIVEN && times.isCounting()) {
      times.frequency(context.transaction(), context.database(), key, (int) frequency);
    } else if (idleSeconds != NOT_GIVEN && !times.isCounting()) {
      times.idle(context.transaction(), context.database(), key, idleSeconds);
    }
  }

  private static long expiryMillis(CommandContext context, long ttl, boolean isAbsolute) {
    if (ttl == 0) {
      return Meta.NO_EXPIRY;
    }
    long base = isAbsolute ? 0 : context.nowMillis();
    return Math.min(ttl, Meta.NO_EXPIRY - 1 - base) + base;
  }
}
