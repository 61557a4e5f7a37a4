package dev.varve.server.command.data;

import static dev.varve.server.command.CommandFlag.DENYOOM;
import static dev.varve.server.command.CommandFlag.FAST;
import static dev.varve.server.command.CommandFlag.READONLY;
import static dev.varve.server.command.CommandFlag.WRITE;

import dev.varve.codec.DataException;
import dev.varve.codec.Meta;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.Slice;
import dev.varve.codec.format.ValueType;
import dev.varve.codec.string.CommonSubsequence;
import dev.varve.codec.string.SetOptions;
import dev.varve.codec.string.SetOutcome;
import dev.varve.codec.string.Strings;
import dev.varve.server.command.Arguments;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.CommandTable;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The commands of the string group. */
public final class StringCommands {
  private static final DataException DECREMENT_OVERFLOW =
      new DataException("ERR decrement would overflow");
  private static final DataException LCS_NOT_STRINGS =
      new DataException("ERR The specified keys must contain string values");
  private static final DataException LCS_BOTH =
      new DataException("ERR If you want both the length and indexes, please just use IDX.");

  private StringCommands() {}

  public static void register(CommandTable table) {
    table.add(
        CommandGroup.STRING,
        Command.named("set")
            .arity(-3)
            .flags(WRITE, DENYOOM)
            .keys(1, 1, 1)
            .summary(
                "Store a string over what the key held; options: NX, XX, IFEQ, IFNE, GET, expiry")
            .does(StringCommands::set),
        Command.named("get")
            .arity(2)
            .flags(READONLY, FAST)
            .keys(1, 1, 1)
            .summary("Give the string at a key, nil if there is none")
            .does(StringCommands::get),
        Command.named("setnx")
            .arity(3)
            .flags(WRITE, DENYOOM, FAST)
            .keys(1, 1, 1)
            .summary("Store a string unless the key exists")
            .does(StringCommands::setIfAbsent),
        Command.named("setex")
            .arity(4)
            .flags(WRITE, DENYOOM)
            .keys(1, 1, 1)
            .since("2.0.0")
            .summary("Store a string that expires after so many seconds")
            .does((context, args) -> setExpiring(context, args, ExpiryArgument.EX)),
        Command.named("psetex")
            .arity(4)
            .flags(WRITE, DENYOOM)
            .keys(1, 1, 1)
            .since("2.6.0")
            .summary("Store a string that expires after so many milliseconds")
            .does((context, args) -> setExpiring(context, args, ExpiryArgument.PX)),
        Command.named("getset")
            .arity(3)
            .flags(WRITE, DENYOOM, FAST)
            .keys(1, 1, 1)
            .summary("Store a string and give the one before; as SET with GET")
            .does(StringCommands::getAndSet),
        Command.named("getdel")
            .arity(2)
            .flags(WRITE, FAST)
            .keys(1, 1, 1)
            .since("6.2.0")
            .summary("Give a string and delete its key")
            .does(StringCommands::getAndDelete),
        Command.named("getex")
            .arity(-2)
            .flags(WRITE, FAST)
            .keys(1, 1, 1)
            .since("6.2.0")
            .summary("Give a string, and set, move or remove its expiry")
            .does(StringCommands::getAndExpire),
        Command.named("append")
            .arity(3)
            .flags(WRITE, DENYOOM, FAST)
            .keys(1, 1, 1)
            .since("2.0.0")
            .summary("Add bytes to the end of a string; a missing key begins empty")
            .does(StringCommands::append),
        Command.named("strlen")
            .arity(2)
            .flags(READONLY, FAST)
            .keys(1, 1, 1)
            .since("2.2.0")
            .summary("Give the length of a string in bytes, 0 for a missing key")
            .does(StringCommands::length),
        Command.named("setrange")
            .arity(4)
            .flags(WRITE, DENYOOM)
            .keys(1, 1, 1)
            .since("2.2.0")
            .summary("Write over a string from an offset on; a gap is filled with zero bytes")
            .does(StringCommands::setRange),
        Command.named("getrange")
            .arity(4)
            .flags(READONLY)
            .keys(1, 1, 1)
            .since("2.4.0")
            .summary("Give the bytes between two offsets; negative ones count from the end")
            .does(StringCommands::getRange),
        Command.named("substr")
            .arity(4)
            .flags(READONLY)
            .keys(1, 1, 1)
            .summary("Old name of GETRANGE")
            .does(StringCommands::getRange),
        Command.named("incr")
            .arity(2)
            .flags(WRITE, DENYOOM, FAST)
            .keys(1, 1, 1)
            .summary("Add one to an integer; a missing key counts as 0")
            .does((context, args) -> increment(context, args, 1)),
        Command.named("decr")
            .arity(2)
            .flags(WRITE, DENYOOM, FAST)
            .keys(1, 1, 1)
            .summary("Take one from an integer; a missing key counts as 0")
            .does((context, args) -> increment(context, args, -1)),
        Command.named("incrby")
            .arity(3)
            .flags(WRITE, DENYOOM, FAST)
            .keys(1, 1, 1)
            .summary("Add a number to an integer; a missing key counts as 0")
            .does((context, args) -> increment(context, args, Arguments.integer(args, 2))),
        Command.named("decrby")
            .arity(3)
            .flags(WRITE, DENYOOM, FAST)
            .keys(1, 1, 1)
            .summary("Subtract a number from an integer; a missing key counts as 0")
            .does(StringCommands::decrement),
        Command.named("incrbyfloat")
            .arity(3)
            .flags(WRITE, DENYOOM, FAST)
            .keys(1, 1, 1)
            .since("2.6.0")
            .summary("Add a decimal number to a number; a missing key counts as 0")
            .does(StringCommands::incrementByFloat),
        Command.named("mset")
            .arity(-3)
            .flags(WRITE, DENYOOM)
            .keys(1, -1, 2)
            .since("1.0.1")
            .summary("Store several strings, all at once")
            .does(StringCommands::setAll),
        Command.named("msetnx")
            .arity(-3)
            .flags(WRITE, DENYOOM)
            .keys(1, -1, 2)
            .since("1.0.1")
            .summary("Store several strings, or none of them if one key exists")
            .does(StringCommands::setAllIfAbsent),
        Command.named("mget")
            .arity(-2)
            .flags(READONLY, FAST)
            .keys(1, -1, 1)
            .summary("Give the strings at several keys, nil where there is none")
            .does(StringCommands::getAll),
        Command.named("lcs")
            .arity(-3)
            .flags(READONLY)
            .keys(1, 2, 1)
            .since("7.0.0")
            .summary("Find the longest subsequence that two strings have in common")
            .does(StringCommands::longestCommonSubsequence));
  }

  private static void set(CommandContext context, Args args) {
    if (args.count() == 3) {
      Strings.set(context.transaction(), context.database(), args.get(1), args.get(2));
      context.reply().ok();
      return;
    }
    Transaction transaction = context.transaction();
    int database = context.database();
    byte[] key = args.get(1);
    byte[] value = args.get(2);
    SetArguments arguments = SetArguments.ofOne(context, args, 3);
    SetOptions options = arguments.options();
    SetOptions.Comparison comparison = arguments.comparison();
    boolean isSet;
    Slice previous = null;
    if (comparison != null) {
      SetOutcome outcome =
          Strings.setComparing(
              transaction, database, key, value, options, comparison, arguments.gets());
      isSet = outcome.set();
      previous = outcome.previous();
    } else if (arguments.gets()) {
      SetOutcome outcome = Strings.setAndGet(transaction, database, key, value, options);
      isSet = outcome.set();
      previous = outcome.previous();
    } else {
      isSet = Strings.set(transaction, database, key, value, options);
    }
    if (arguments.gets()) {
      bulk(context, previous);
    } else if (isSet) {
      context.reply().ok();
    } else {
      context.reply().nullBulk();
    }
    if (isSet && arguments.expires()) {
      tellExpiring(context, key, value, options.expiryMillis());
    } else if (isSet && comparison != null) {
      tellCompared(context, key, value, options.keepExpiry());
    }
  }

  /** Replicas may be older, and need not compare what they hold. */
  private static void tellCompared(
      CommandContext context, byte[] key, byte[] value, boolean keepsExpiry) {
    if (keepsExpiry) {
      context.effects().instead(context.database(), "SET", key, value, "KEEPTTL");
    } else {
      context.effects().instead(context.database(), "SET", key, value);
    }
  }

  private static void tellExpiring(
      CommandContext context, byte[] key, byte[] value, long expiryMillis) {
    if (context.effects().areWanted()) {
      context.effects().instead(context.database(), "SET", key, value, "PXAT", expiryMillis);
    }
  }

  private static void get(CommandContext context, Args args) {
    StringReply.bulk(
        context.reply(),
        Strings.getBriefly(context.transaction(), context.database(), args.get(1)));
  }

  private static void setIfAbsent(CommandContext context, Args args) {
    boolean set =
        Strings.set(
            context.transaction(),
            context.database(),
            args.get(1),
            args.get(2),
            SetOptions.IF_ABSENT);
    context.reply().integer(set ? 1 : 0);
  }

  private static void setExpiring(CommandContext context, Args args, ExpiryArgument unit) {
    long expiryMillis = unit.positive(context, args, 2);
    SetOptions options = new SetOptions(SetOptions.Condition.ALWAYS, expiryMillis, false);
    Strings.set(context.transaction(), context.database(), args.get(1), args.get(3), options);
    tellExpiring(context, args.get(1), args.get(3), expiryMillis);
    context.reply().ok();
  }

  private static void getAndSet(CommandContext context, Args args) {
    SetOutcome outcome =
        Strings.setAndGet(
            context.transaction(), context.database(), args.get(1), args.get(2), SetOptions.PLAIN);
    bulk(context, outcome.previous());
  }

  private static void getAndDelete(CommandContext context, Args args) {
    byte[] key = args.get(1);
    Slice value = Strings.getAndDelete(context.transaction(), context.database(), key);
    if (value != null) {
      // As in Redis, for replicas that are older than the command.
      context.effects().instead(context.database(), "DEL", key);
    }
    bulk(context, value);
  }

  private static void getAndExpire(CommandContext context, Args args) {
    ExpiryArgument unit = null;
    int momentAt = 0;
    boolean persists = false;
    for (int i = 2; i < args.count(); i++) {
      ExpiryArgument named = ExpiryArgument.named(args, i);
      if (args.is(i, "PERSIST") && unit == null) {
        persists = true;
      } else if (named != null
          && (unit == null || unit == named)
          && !persists
          && i + 1 < args.count()) {
        unit = named;
        momentAt = ++i;
      } else {
        throw Arguments.SYNTAX_ERROR;
      }
    }
    Transaction transaction = context.transaction();
    byte[] key = args.get(1);
    if (unit == null && !persists) {
      StringReply.bulk(context.reply(), Strings.getBriefly(transaction, context.database(), key));
      return;
    }
    ExpiryArgument its = unit;
    int at = momentAt;
    bulk(
        context,
        Strings.getAndExpire(
            transaction,
            context.database(),
            key,
            () -> {
              if (its == null) {
                context.effects().instead(context.database(), "PERSIST", key);
                return Meta.NO_EXPIRY;
              }
              long expiryMillis = its.positive(context, args, at);
              ExpiryCommands.tellMoment(context, key, expiryMillis);
              return expiryMillis;
            }));
  }

  private static void append(CommandContext context, Args args) {
    context
        .reply()
        .integer(
            Strings.append(
                context.transaction(),
                context.database(),
                args.get(1),
                args.get(2),
                context.stringBytesMax()));
  }

  private static void length(CommandContext context, Args args) {
    context.reply().integer(Strings.length(context.transaction(), context.database(), args.get(1)));
  }

  private static void setRange(CommandContext context, Args args) {
    long offset = Arguments.integer(args, 2);
    context
        .reply()
        .integer(
            Strings.setRange(
                context.transaction(),
                context.database(),
                args.get(1),
                offset,
                args.get(3),
                context.stringBytesMax()));
  }

  private static void getRange(CommandContext context, Args args) {
    long start = Arguments.integer(args, 2);
    long end = Arguments.integer(args, 3);
    StringReply.bulk(
        context.reply(),
        Strings.getRange(context.transaction(), context.database(), args.get(1), start, end));
  }

  private static void increment(CommandContext context, Args args, long by) {
    context
        .reply()
        .integer(Strings.increment(context.transaction(), context.database(), args.get(1), by));
  }

  private static void decrement(CommandContext context, Args args) {
    long by = Arguments.integer(args, 2);
    if (by == Long.MIN_VALUE) {
      throw DECREMENT_OVERFLOW;
    }
    increment(context, args, -by);
  }

  private static void incrementByFloat(CommandContext context, Args args) {
    byte[] key = args.get(1);
    byte[] sum =
        Strings.incrementByFloat(context.transaction(), context.database(), key, args.get(2));
    // As in Redis: another machine may add otherwise.
    context.effects().instead(context.database(), "SET", key, sum, "KEEPTTL");
    context.reply().bulk(sum);
  }

  private static void requirePairs(CommandContext context, Args args) {
    if (args.count() % 2 == 0) {
      throw Arguments.wrongNumber(context.command());
    }
  }

  private static void setAll(CommandContext context, Args args) {
    requirePairs(context, args);
    for (int i = 1; i < args.count(); i += 2) {
      Strings.set(context.transaction(), context.database(), args.get(i), args.get(i + 1));
    }
    context.reply().ok();
  }

  private static void setAllIfAbsent(CommandContext context, Args args) {
    requirePairs(context, args);
    List<byte[]> keysAndValues = new ArrayList<>(args.count() - 1);
    for (int i = 1; i < args.count(); i++) {
      keysAndValues.add(args.get(i));
    }
    boolean set = Strings.setAllIfAbsent(context.transaction(), context.database(), keysAndValues);
    context.reply().integer(set ? 1 : 0);
  }

  private static void getAll(CommandContext context, Args args) {
    context.reply().array(args.count() - 1L);
    for (int i = 1; i < args.count(); i++) {
      StringReply.bulk(
          context.reply(),
          Strings.getIfString(context.transaction(), context.database(), args.get(i)));
    }
  }

  private static void longestCommonSubsequence(CommandContext context, Args args) {
    Meta firstMeta = context.transaction().find(context.database(), args.get(1));
    Meta secondMeta = context.transaction().find(context.database(), args.get(2));
    requireLcsString(firstMeta);
    requireLcsString(secondMeta);
    boolean length = false;
    boolean indexes = false;
    boolean withLengths = false;
    long lengthMin = 0;
    for (int i = 3; i < args.count(); i++) {
      if (args.is(i, "IDX")) {
        indexes = true;
      } else if (args.is(i, "LEN")) {
        length = true;
      } else if (args.is(i, "WITHMATCHLEN")) {
        withLengths = true;
      } else if (args.is(i, "MINMATCHLEN") && i + 1 < args.count()) {
        lengthMin = Math.max(0, Arguments.integer(args, ++i));
      } else {
        throw Arguments.SYNTAX_ERROR;
      }
    }
    if (length && indexes) {
      throw LCS_BOTH;
    }
    CommonSubsequence found =
        Strings.commonSubsequence(
            context.transaction(),
            context.database(),
            args.get(1),
            firstMeta,
            args.get(2),
            secondMeta,
            length);
    if (length) {
      context.reply().integer(found.length());
    } else if (indexes) {
      lcsIndexes(context.reply(), found, lengthMin, withLengths);
    } else {
      context.reply().bulk(found.bytes());
    }
  }

  private static void requireLcsString(@Nullable Meta meta) {
    if (meta != null && meta.type() != ValueType.STRING) {
      throw LCS_NOT_STRINGS;
    }
  }

  private static void lcsIndexes(
      RespEncoder reply, CommonSubsequence found, long lengthMin, boolean withLengths) {
    reply.map(2);
    reply.bulk("matches");
    int array = reply.open();
    int ranges = 0;
    for (CommonSubsequence.Range range : found.ranges()) {
      if (range.length() >= lengthMin) {
        reply.array(withLengths ? 3 : 2);
        reply.array(2);
        reply.integer(range.firstStart());
        reply.integer(range.firstEnd());
        reply.array(2);
        reply.integer(range.secondStart());
        reply.integer(range.secondEnd());
        if (withLengths) {
          reply.integer(range.length());
        }
        ranges++;
      }
    }
    reply.insertArray(array, ranges);
    reply.bulk("len");
    reply.integer(found.length());
  }

  private static void bulk(CommandContext context, @Nullable Slice value) {
    if (value == null) {
      context.reply().nullBulk();
    } else {
      context.reply().bulk(value.array(), value.offset(), value.length());
    }
  }
}
