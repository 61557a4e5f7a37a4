package dev.varve.server.command.data;

import static dev.varve.server.command.CommandFlag.DENYOOM;
import static dev.varve.server.command.CommandFlag.FAST;
import static dev.varve.server.command.CommandFlag.READONLY;
import static dev.varve.server.command.CommandFlag.WRITE;

import dev.varve.codec.format.Slice;
import dev.varve.codec.member.MemberCursor;
import dev.varve.codec.member.Sets;
import dev.varve.server.command.Arguments;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.CommandTable;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import java.util.List;

/** The commands of the set group that take one set; the others are {@link SetAlgebraCommands}. */
public final class SetCommands {
  private SetCommands() {}

  public static void register(CommandTable table) {
    table.add(
        CommandGroup.SET,
        Command.named("sadd")
            .arity(-3)
            .flags(WRITE, DENYOOM, FAST)
            .keys(1, 1, 1)
            .member(2)
            .summary("Put members into a set, and tell how many are new")
            .does(SetCommands::add),
        Command.named("srem")
            .arity(-3)
            .flags(WRITE, FAST)
            .keys(1, 1, 1)
            .member(2)
            .summary("Take members out of a set; it goes with its last one")
            .does(SetCommands::remove),
        Command.named("smove")
            .arity(4)
            .flags(WRITE, FAST)
            .keys(1, 2, 1)
            .member(3)
            .summary("Take a member out of one set and put it into another")
            .does(SetCommands::move),
        Command.named("spop")
            .arity(-2)
            .flags(WRITE, FAST)
            .keys(1, 1, 1)
            .summary("Draw random members and take them out of the set")
            .does(SetCommands::pop),
        Command.named("scard")
            .arity(2)
            .flags(READONLY, FAST)
            .keys(1, 1, 1)
            .summary("Count the members of a set; O(1)")
            .does(SetCommands::size),
        Command.named("sismember")
            .arity(3)
            .flags(READONLY, FAST)
            .keys(1, 1, 1)
            .member(2)
            .summary("Tell whether a set has a member")
            .does(SetCommands::contains),
        Command.named("smismember")
            .arity(-3)
            .flags(READONLY, FAST)
            .keys(1, 1, 1)
            .member(2)
            .since("6.2.0")
            .summary("Tell for each of several values whether a set has it")
            .does(SetCommands::containsEach),
        Command.named("smembers")
            .arity(2)
            .flags(READONLY)
            .keys(1, 1, 1)
            .summary("Give every member of a set, in no order")
            .does(SetCommands::members),
        Command.named("srandmember")
            .arity(-2)
            .flags(READONLY)
            .keys(1, 1, 1)
            .summary("Draw random members and leave them in the set")
            .does(SetCommands::random),
        Command.named("sscan")
            .arity(-3)
            .flags(READONLY)
            .keys(1, 1, 1)
            .since("2.8.0")
            .summary("Walk through the members of a set, step by step")
            .does(SetCommands::scan));
  }

  private static void add(CommandContext context, Args args) {
    int added = Sets.add(context.transaction(), context.database(), args.get(1), args.from(2));
    context.reply().integer(added);
  }

  private static void remove(CommandContext context, Args args) {
    int removed = Sets.remove(context.transaction(), context.database(), args.get(1), args.from(2));
    context.reply().integer(removed);
  }

  private static void move(CommandContext context, Args args) {
    boolean moved =
        Sets.move(context.transaction(), context.database(), args.get(1), args.get(2), args.get(3));
    context.reply().integer(moved ? 1 : 0);
  }

  private static void pop(CommandContext context, Args args) {
    RespEncoder reply = context.reply();
    if (args.count() == 2) {
      byte[] member = Sets.pop(context.transaction(), context.database(), args.get(1));
      if (member != null && context.effects().areWanted()) {
        context.effects().instead(context.database(), "SREM", args.get(1), member);
      }
      MemberReply.bulk(reply, member);
      return;
    }
    if (args.count() > 3) {
      throw Arguments.SYNTAX_ERROR;
    }
    long count = Arguments.positive(args, 2);
    List<byte[]> popped = Sets.pop(context.transaction(), context.database(), args.get(1), count);
    context.effects().insteadOfMembers(context.database(), popped, "SREM", args.get(1));
    reply.set(popped.size());
    for (byte[] member : popped) {
      reply.bulk(member);
    }
  }

  private static void size(CommandContext context, Args args) {
    context.reply().integer(Sets.size(context.transaction(), context.database(), args.get(1)));
  }

  private static void contains(CommandContext context, Args args) {
    boolean contained =
        Sets.contains(context.transaction(), context.database(), args.get(1), args.get(2));
    context.reply().integer(contained ? 1 : 0);
  }

  private static void containsEach(CommandContext context, Args args) {
    boolean[] contained =
        Sets.containsEach(context.transaction(), context.database(), args.get(1), args.from(2));
    context.reply().array(contained.length);
    for (boolean each : contained) {
      context.reply().integer(each ? 1 : 0);
    }
  }

  private static void members(CommandContext context, Args args) {
    RespEncoder reply = context.reply();
    try (MemberCursor members =
        Sets.members(context.transaction(), context.database(), args.get(1))) {
      reply.set(members.count());
      members.handRest(reply::bulk);
    }
  }

  private static void random(CommandContext context, Args args) {
    if (args.count() == 2) {
      Slice member = Sets.randomMember(context.transaction(), context.database(), args.get(1));
      MemberReply.bulk(context.reply(), member);
      return;
    }
    if (args.count() > 3) {
      throw Arguments.SYNTAX_ERROR;
    }
    long count = Arguments.signedCount(args, 2);
    if (count < 0) {
      try (MemberCursor sample =
          Sets.repeatingMembers(context.transaction(), context.database(), args.get(1), -count)) {
        MemberReply.array(context.reply(), sample);
      }
      return;
    }
    List<Slice> sample =
        Sets.randomMembers(context.transaction(), context.database(), args.get(1), count);
    context.reply().array(sample.size());
    MemberReply.elements(context.reply(), sample);
  }

  private static void scan(CommandContext context, Args args) {
    MemberScan.run(context, args, ScanArguments.Over.MEMBERS, Sets::size, Sets::scan);
  }
}
