package dev.varve.server.command.data;

import static dev.varve.server.command.CommandFlag.DENYOOM;
import static dev.varve.server.command.CommandFlag.FAST;
import static dev.varve.server.command.CommandFlag.READONLY;
import static dev.varve.server.command.CommandFlag.WRITE;

import dev.varve.codec.DataException;
import dev.varve.codec.ExpireCondition;
import dev.varve.codec.Meta;
import dev.varve.codec.format.Slice;
import dev.varve.codec.member.HashExpiry;
import dev.varve.codec.member.Hashes;
import dev.varve.server.command.Arguments;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.CommandTable;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** The commands of hash fields that expire, as Redis has them from 7.4 and 8.0 on. */
public final class HashExpiryCommands {
  private static final DataException NO_FIELDS =
      new DataException("ERR Mandatory argument FIELDS is missing or not at the right position");
  private static final DataException FIELDS_NOT_POSITIVE =
      new DataException("ERR Parameter `numFields` should be greater than 0");
  private static final DataException FIELDS_MISCOUNTED =
      new DataException("ERR The `numfields` parameter must match the number of arguments");
  private static final DataException NEGATIVE =
      new DataException("ERR invalid expire time, must be >= 0");

  /** The last moment that Redis has for a field: 46 bits. */
  private static final long MOMENT_MAX = (1L << 46) - 2;

  private static final int MILLIS_PER_SECOND = 1000;

  private HashExpiryCommands() {}

  public static void register(CommandTable table) {
    table.add(
        CommandGroup.HASH,
        expiring("hexpire", "Let fields expire after so many seconds")
            .does((context, args) -> expire(context, args, MILLIS_PER_SECOND, true)),
        expiring("hpexpire", "Let fields expire after so many milliseconds")
            .does((context, args) -> expire(context, args, 1, true)),
        expiring("hexpireat", "Let fields expire at a Unix time in seconds")
            .does((context, args) -> expire(context, args, MILLIS_PER_SECOND, false)),
        expiring("hpexpireat", "Let fields expire at a Unix time in milliseconds")
            .does((context, args) -> expire(context, args, 1, false)),
        telling("httl", "Tell how many seconds fields have left")
            .does((context, args) -> tell(context, args, MILLIS_PER_SECOND, true)),
        telling("hpttl", "Tell how many milliseconds fields have left")
            .does((context, args) -> tell(context, args, 1, true)),
        telling("hexpiretime", "Tell the Unix time in seconds at which fields expire")
            .does((context, args) -> tell(context, args, MILLIS_PER_SECOND, false)),
        telling("hpexpiretime", "Tell the Unix time in milliseconds at which fields expire")
            .does((context, args) -> tell(context, args, 1, false)),
        hash("hpersist", -5, "Let fields stay that would have expired")
            .flags(WRITE, FAST)
            .since("7.4.0")
            .does(HashExpiryCommands::persist),
        hash("hgetdel", -5, "Give the values of fields and delete them")
            .flags(WRITE, FAST)
            .since("8.0.0")
            .does(HashExpiryCommands::getAndDelete),
        hash("hgetex", -5, "Give the values of fields, and set, move or remove their expiry")
            .flags(WRITE, FAST)
            .since("8.0.0")
            .does(HashExpiryCommands::getAndExpire),
        hash("hsetex", -6, "Set fields to values that expire")
            .flags(WRITE, DENYOOM, FAST)
            .since("8.0.0")
            .does(HashExpiryCommands::set));
  }

  private static Command hash(String name, int arity, String summary) {
    return Command.named(name).arity(arity).keys(1, 1, 1).summary(summary);
  }

  private static Command expiring(String name, String summary) {
    return hash(name, -6, summary).flags(WRITE, DENYOOM, FAST).since("7.4.0");
  }

  private static Command telling(String name, String summary) {
    return hash(name, -5, summary).flags(READONLY, FAST).since("7.4.0");
  }

  /**
   * The fields after FIELDS and their number, up to the end.
   *
   * @param perField how many arguments each has
   */
  private static List<byte[]> fields(Args args, int index, int perField) {
    if (index + 1 >= args.count() || !args.is(index, "FIELDS")) {
      throw NO_FIELDS;
    }
    long count = Arguments.integer(args, index + 1, 1, Integer.MAX_VALUE, FIELDS_NOT_POSITIVE);
    if (count * perField != args.count() - index - 2L) {
      throw FIELDS_MISCOUNTED;
    }
    return args.list(index + 2, args.count());
  }

  private static DataException invalid(CommandContext context) {
    return new DataException(
        "ERR invalid expire time in '" + context.command().fullName() + "' command");
  }

  private static void expire(
      CommandContext context, Args args, int millisPerUnit, boolean isRelative) {
    long given = Arguments.integer(args, 2);
    if (given < 0) {
      throw NEGATIVE;
    }
    long base = isRelative ? context.nowMillis() : 0;
    if (given > MOMENT_MAX / millisPerUnit || given * millisPerUnit > MOMENT_MAX - base) {
      throw invalid(context);
    }
    ExpireCondition condition = condition(args, 3);
    List<byte[]> fields = fields(args, condition == ExpireCondition.ALWAYS ? 3 : 4, 1);
    long expiryMillis = given * millisPerUnit + base;
    long[] results =
        HashExpiry.expireAt(
            context.transaction(),
            context.database(),
            args.get(1),
            expiryMillis,
            condition,
            fields);
    tellMoment(context, args.get(1), expiryMillis, fields, i -> results[i] > 0);
    integers(context.reply(), results);
  }

  /**
   * What it was made of depends on the time, and whether it is over.
   *
   * @param isOf whether it is for the field at this index
   */
  private static void tellMoment(
      CommandContext context,
      byte[] key,
      long expiryMillis,
      List<byte[]> fields,
      IntPredicate isOf) {
    if (!context.effects().areWanted()) {
      return;
    }
    List<byte[]> its = those(fields, isOf);
    if (expiryMillis <= context.transaction().dueMillis()) {
      context.effects().insteadOfMembers(context.database(), its, "HDEL", key);
    } else if (!its.isEmpty()) {
      context
          .effects()
          .insteadWith(
              context.database(), its, "HPEXPIREAT", key, expiryMillis, "FIELDS", its.size());
    }
  }

  private static List<byte[]> those(List<byte[]> fields, IntPredicate isOf) {
    List<byte[]> those = new ArrayList<>();
    for (int i = 0; i < fields.size(); i++) {
      if (isOf.test(i)) {
        those.add(fields.get(i));
      }
    }
    return those;
  }

  private static ExpireCondition condition(Args args, int index) {
    if (args.is(index, "NX")) {
      return new ExpireCondition(true, false, false, false);
    }
    if (args.is(index, "XX")) {
      return new ExpireCondition(false, true, false, false);
    }
    if (args.is(index, "GT")) {
      return new ExpireCondition(false, false, true, false);
    }
    if (args.is(index, "LT")) {
      return new ExpireCondition(false, false, false, true);
    }
    return ExpireCondition.ALWAYS;
  }

  private static void integers(RespEncoder reply, long[] values) {
    reply.array(values.length);
    for (long value : values) {
      reply.integer(value);
    }
  }

  private static void tell(
      CommandContext context, Args args, int millisPerUnit, boolean isRelative) {
    long[] moments =
        HashExpiry.expiryMillis(
            context.transaction(), context.database(), args.get(1), fields(args, 2, 1));
    long base = isRelative ? context.nowMillis() : 0;
    for (int i = 0; i < moments.length; i++) {
      if (moments[i] >= 0) {
        // What has begun counts as a whole second.
        moments[i] = (moments[i] - base + millisPerUnit - 1) / millisPerUnit;
      }
    }
    integers(context.reply(), moments);
  }

  private static void persist(CommandContext context, Args args) {
    integers(
        context.reply(),
        HashExpiry.persist(
            context.transaction(), context.database(), args.get(1), fields(args, 2, 1)));
  }

  private static void values(RespEncoder reply, @Nullable Slice[] values) {
    reply.array(values.length);
    for (@Nullable Slice value : values) {
      MemberReply.bulk(reply, value);
    }
  }

  private static void getAndDelete(CommandContext context, Args args) {
    List<byte[]> fields = fields(args, 2, 1);
    @Nullable Slice[] values =
        HashExpiry.getAndDelete(context.transaction(), context.database(), args.get(1), fields);
    if (context.effects().areWanted()) {
      List<byte[]> deleted = those(fields, i -> values[i] != null);
      context.effects().insteadOfMembers(context.database(), deleted, "HDEL", args.get(1));
    }
    values(context.reply(), values);
  }

  private static void getAndExpire(CommandContext context, Args args) {
    ExpiryArgument unit = ExpiryArgument.named(args, 2);
    boolean persists = args.is(2, "PERSIST");
    int fieldsAt = unit != null ? 4 : persists ? 3 : 2;
    List<byte[]> fields = fields(args, fieldsAt, 1);
    if (unit == null && !persists) {
      Hashes.Lookup its = Hashes.lookup(context.transaction(), context.database(), args.get(1));
      context.reply().array(fields.size());
      for (byte[] field : fields) {
        MemberReply.bulk(context.reply(), its.value(field));
      }
      return;
    }
    long moment = unit == null ? Meta.NO_EXPIRY : moment(context, args, unit, 3);
    @Nullable Slice[] values =
        HashExpiry.getAndExpire(
            context.transaction(), context.database(), args.get(1), moment, fields);
    if (unit != null) {
      tellMoment(context, args.get(1), moment, fields, i -> values[i] != null);
    }
    values(context.reply(), values);
  }

  private static long moment(CommandContext context, Args args, ExpiryArgument unit, int index) {
    long moment = unit.positive(context, args, index);
    if (moment > MOMENT_MAX) {
      throw invalid(context);
    }
    return moment;
  }

  private static void tellExpiring(
      CommandContext context, byte[] key, long expiryMillis, List<byte[]> fieldsAndValues) {
    int fields = fieldsAndValues.size() / 2;
    if (expiryMillis <= context.transaction().dueMillis()) {
      List<byte[]> deleted = new ArrayList<>(fields);
      for (int i = 0; i < fieldsAndValues.size(); i += 2) {
        deleted.add(fieldsAndValues.get(i));
      }
      context.effects().insteadOfMembers(context.database(), deleted, "HDEL", key);
    } else {
      context
          .effects()
          .insteadWith(
              context.database(),
              fieldsAndValues,
              "HSETEX",
              key,
              "PXAT",
              expiryMillis,
              "FIELDS",
              fields);
    }
  }

  private static void set(CommandContext context, Args args) {
    HashExpiry.FieldCondition condition = HashExpiry.FieldCondition.ALWAYS;
    ExpiryArgument unit = null;
    int momentAt = 0;
    boolean keepsExpiry = false;
    int i = 2;
    for (; i < args.count() && !args.is(i, "FIELDS"); i++) {
      ExpiryArgument named = ExpiryArgument.named(args, i);
      if (args.is(i, "FNX") && condition == HashExpiry.FieldCondition.ALWAYS) {
        condition = HashExpiry.FieldCondition.IF_ABSENT;
      } else if (args.is(i, "FXX") && condition == HashExpiry.FieldCondition.ALWAYS) {
        condition = HashExpiry.FieldCondition.IF_PRESENT;
      } else if (args.is(i, "KEEPTTL") && unit == null && !keepsExpiry) {
        keepsExpiry = true;
      } else if (named != null && unit == null && !keepsExpiry && i + 1 < args.count()) {
        unit = named;
        momentAt = ++i;
      } else {
        throw Arguments.SYNTAX_ERROR;
      }
    }
    List<byte[]> fieldsAndValues = fields(args, i, 2);
    long moment = unit == null ? Meta.NO_EXPIRY : moment(context, args, unit, momentAt);
    boolean isSet =
        HashExpiry.set(
            context.transaction(),
            context.database(),
            args.get(1),
            condition,
            moment,
            keepsExpiry,
            fieldsAndValues);
    if (isSet && unit != null && context.effects().areWanted()) {
      tellExpiring(context, args.get(1), moment, fieldsAndValues);
    }
    context.reply().integer(isSet ? 1 : 0);
  }
}
