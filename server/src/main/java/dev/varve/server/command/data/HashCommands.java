package dev.varve.server.command.data;

import static dev.varve.server.command.CommandFlag.DENYOOM;
import static dev.varve.server.command.CommandFlag.FAST;
import static dev.varve.server.command.CommandFlag.READONLY;
import static dev.varve.server.command.CommandFlag.WRITE;

import dev.varve.codec.format.Slice;
import dev.varve.codec.member.Hashes;
import dev.varve.codec.member.MemberCursor;
import dev.varve.server.command.Arguments;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.CommandTable;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import java.util.List;

/** The commands of the hash group. */
public final class HashCommands {
  private HashCommands() {}

  public static void register(CommandTable table) {
    registerWrites(table);
    registerReads(table);
  }

  private static void registerWrites(CommandTable table) {
    table.add(
        CommandGroup.HASH,
        Command.named("hset")
            .arity(-4)
            .flags(WRITE, DENYOOM, FAST)
            .keys(1, 1, 1)
            .member(2)
            .since("2.0.0")
            .summary("Set fields to values, and tell how many fields are new")
            .does(HashCommands::set),
        Command.named("hmset")
            .arity(-4)
            .flags(WRITE, DENYOOM, FAST)
            .keys(1, 1, 1)
            .member(2)
            .since("2.0.0")
            .summary("Set fields to values, as HSET, but answer only OK")
            .does(HashCommands::setAll),
        Command.named("hsetnx")
            .arity(4)
            .flags(WRITE, DENYOOM, FAST)
            .keys(1, 1, 1)
            .member(2)
            .since("2.0.0")
            .summary("Set a field unless the hash has it")
            .does(HashCommands::setIfAbsent),
        Command.named("hdel")
            .arity(-3)
            .flags(WRITE, FAST)
            .keys(1, 1, 1)
            .member(2)
            .since("2.0.0")
            .summary("Delete fields; a hash goes with its last one")
            .does(HashCommands::delete),
        Command.named("hincrby")
            .arity(4)
            .flags(WRITE, DENYOOM, FAST)
            .keys(1, 1, 1)
            .member(2)
            .since("2.0.0")
            .summary("Add to an integer in a field; a missing field counts as 0")
            .does(HashCommands::increment),
        Command.named("hincrbyfloat")
            .arity(4)
            .flags(WRITE, DENYOOM, FAST)
            .keys(1, 1, 1)
            .member(2)
            .since("2.6.0")
            .summary("Add a decimal number to the one in a field; a missing field counts as 0")
            .does(HashCommands::incrementByFloat));
  }

  private static void registerReads(CommandTable table) {
    table.add(
        CommandGroup.HASH,
        Command.named("hget")
            .arity(3)
            .flags(READONLY, FAST)
            .keys(1, 1, 1)
            .member(2)
            .since("2.0.0")
            .summary("Give the value of a field, nil if it is missing")
            .does(HashCommands::get),
        Command.named("hmget")
            .arity(-3)
            .flags(READONLY, FAST)
            .keys(1, 1, 1)
            .member(2)
            .since("2.0.0")
            .summary("Give the values of some fields, nil where one is missing")
            .does(HashCommands::getAll),
        Command.named("hlen")
            .arity(2)
            .flags(READONLY, FAST)
            .keys(1, 1, 1)
            .since("2.0.0")
            .summary("Count the fields; O(1), also where some expire")
            .does(HashCommands::size),
        Command.named("hstrlen")
            .arity(3)
            .flags(READONLY, FAST)
            .keys(1, 1, 1)
            .member(2)
            .since("3.2.0")
            .summary("Give the length of a field's value in bytes, 0 if it is missing")
            .does(HashCommands::valueLength),
        Command.named("hexists")
            .arity(3)
            .flags(READONLY, FAST)
            .keys(1, 1, 1)
            .member(2)
            .since("2.0.0")
            .summary("Tell whether a hash has a field")
            .does(HashCommands::exists),
        Command.named("hgetall")
            .arity(2)
            .flags(READONLY)
            .keys(1, 1, 1)
            .since("2.0.0")
            .summary("Give every field with its value")
            .does(HashCommands::fieldsAndValues),
        Command.named("hkeys")
            .arity(2)
            .flags(READONLY)
            .keys(1, 1, 1)
            .since("2.0.0")
            .summary("Give the names of all fields")
            .does(HashCommands::fields),
        Command.named("hvals")
            .arity(2)
            .flags(READONLY)
            .keys(1, 1, 1)
            .since("2.0.0")
            .summary("Give the values of all fields")
            .does(HashCommands::values),
        Command.named("hrandfield")
            .arity(-2)
            .flags(READONLY)
            .keys(1, 1, 1)
            .since("6.2.0")
            .summary("Draw random fields, with their values if wanted")
            .does(HashCommands::random),
        Command.named("hscan")
            .arity(-3)
            .flags(READONLY)
            .keys(1, 1, 1)
            .since("2.8.0")
            .summary("Walk through the fields and values of a hash, step by step")
            .does(HashCommands::scan));
  }

  private static void set(CommandContext context, Args args) {
    context.reply().integer(setPairs(context, args));
  }

  private static void setAll(CommandContext context, Args args) {
    setPairs(context, args);
    context.reply().ok();
  }

  private static int setPairs(CommandContext context, Args args) {
    if (args.count() % 2 != 0) {
      throw Arguments.wrongNumber(context.command());
    }
    return Hashes.set(context.transaction(), context.database(), args.get(1), args.from(2));
  }

  private static void setIfAbsent(CommandContext context, Args args) {
    boolean set =
        Hashes.setIfAbsent(
            context.transaction(), context.database(), args.get(1), args.get(2), args.get(3));
    context.reply().integer(set ? 1 : 0);
  }

  private static void delete(CommandContext context, Args args) {
    int deleted =
        Hashes.delete(context.transaction(), context.database(), args.get(1), args.from(2));
    context.reply().integer(deleted);
  }

  private static void increment(CommandContext context, Args args) {
    long by = Arguments.integer(args, 3);
    long sum =
        Hashes.increment(context.transaction(), context.database(), args.get(1), args.get(2), by);
    context.reply().integer(sum);
  }

  private static void incrementByFloat(CommandContext context, Args args) {
    byte[] sum =
        Hashes.incrementByFloat(
            context.transaction(), context.database(), args.get(1), args.get(2), args.get(3));
    context.reply().bulk(sum);
  }

  private static void get(CommandContext context, Args args) {
    Slice value = Hashes.get(context.transaction(), context.database(), args.get(1), args.get(2));
    MemberReply.bulk(context.reply(), value);
  }

  private static void getAll(CommandContext context, Args args) {
    Hashes.Lookup fields = Hashes.lookup(context.transaction(), context.database(), args.get(1));
    context.reply().array(args.count() - 2);
    for (int i = 2; i < args.count(); i++) {
      MemberReply.bulk(context.reply(), fields.value(args.get(i)));
    }
  }

  private static void size(CommandContext context, Args args) {
    context.reply().integer(Hashes.size(context.transaction(), context.database(), args.get(1)));
  }

  private static void valueLength(CommandContext context, Args args) {
    int length =
        Hashes.valueLength(context.transaction(), context.database(), args.get(1), args.get(2));
    context.reply().integer(length);
  }

  private static void exists(CommandContext context, Args args) {
    boolean exists =
        Hashes.contains(context.transaction(), context.database(), args.get(1), args.get(2));
    context.reply().integer(exists ? 1 : 0);
  }

  private static void fieldsAndValues(CommandContext context, Args args) {
    RespEncoder reply = context.reply();
    try (MemberCursor fields = walk(context, args)) {
      reply.map(fields.count());
      fields.handRestWithValues(
          (array, offset, length, values, value, valueLength) -> {
            reply.bulk(array, offset, length);
            reply.bulk(values, value, valueLength);
          });
    }
  }

  private static void fields(CommandContext context, Args args) {
    try (MemberCursor fields = walk(context, args)) {
      MemberReply.array(context.reply(), fields);
    }
  }

  private static void values(CommandContext context, Args args) {
    RespEncoder reply = context.reply();
    try (MemberCursor fields = walk(context, args)) {
      reply.array(fields.count());
      fields.handRestWithValues(
          (array, offset, length, values, value, valueLength) ->
              reply.bulk(values, value, valueLength));
    }
  }

  private static MemberCursor walk(CommandContext context, Args args) {
    return Hashes.fields(context.transaction(), context.database(), args.get(1));
  }

  private static void random(CommandContext context, Args args) {
    if (args.count() == 2) {
      Slice field = Hashes.randomField(context.transaction(), context.database(), args.get(1));
      MemberReply.bulk(context.reply(), field);
      return;
    }
    long count = Arguments.signedCount(args, 2);
    if (args.count() > 4 || (args.count() == 4 && !args.is(3, "WITHVALUES"))) {
      throw Arguments.SYNTAX_ERROR;
    }
    boolean withValues = args.count() == 4;
    if (withValues && (count < -Long.MAX_VALUE / 2 || count > Long.MAX_VALUE / 2)) {
      throw Arguments.OUT_OF_RANGE;
    }
    if (count < 0) {
      try (MemberCursor sample =
          Hashes.repeatingFields(context.transaction(), context.database(), args.get(1), -count)) {
        repeatingSample(context.reply(), sample, withValues);
      }
    } else {
      List<Slice> sample =
          Hashes.randomFields(
              context.transaction(), context.database(), args.get(1), count, withValues);
      distinctSample(context.reply(), sample, withValues);
    }
  }

  private static void repeatingSample(RespEncoder reply, MemberCursor sample, boolean withValues) {
    if (!withValues) {
      MemberReply.array(reply, sample);
      return;
    }
    boolean isFlat = reply.protocol() == RespEncoder.PROTOCOL_MIN;
    reply.array(isFlat ? 2 * sample.count() : sample.count());
    while (sample.next()) {
      if (!isFlat) {
        reply.array(2);
      }
      MemberReply.bulk(reply, sample);
      MemberReply.bulk(reply, sample.value());
    }
  }

  private static void distinctSample(RespEncoder reply, List<Slice> sample, boolean withValues) {
    if (!withValues || reply.protocol() == RespEncoder.PROTOCOL_MIN) {
      reply.array(sample.size());
      MemberReply.elements(reply, sample);
      return;
    }
    reply.array(sample.size() / 2);
    for (int i = 0; i < sample.size(); i += 2) {
      reply.array(2);
      MemberReply.elements(reply, sample.subList(i, i + 2));
    }
  }

  private static void scan(CommandContext context, Args args) {
    MemberScan.run(context, args, ScanArguments.Over.FIELDS, Hashes::size, Hashes::scan);
  }
}
