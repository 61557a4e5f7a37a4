package dev.varve.server.command.data;

import static dev.varve.server.command.CommandFlag.DENYOOM;
import static dev.varve.server.command.CommandFlag.FAST;
import static dev.varve.server.command.CommandFlag.READONLY;
import static dev.varve.server.command.CommandFlag.WRITE;

import dev.varve.codec.DataException;
import dev.varve.codec.format.Slice;
import dev.varve.codec.format.ValueType;
import dev.varve.codec.list.ListEnd;
import dev.varve.codec.list.Lists;
import dev.varve.codec.member.MemberCursor;
import dev.varve.server.command.Arguments;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.CommandTable;
import dev.varve.server.command.CountedKeys;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The commands of the list group that do not wait. */
public final class ListCommands {
  private static final DataException RANK_ZERO =
      new DataException(
          "ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ..."
              + " or use negative to start from the end of the list");
  private static final DataException NEGATIVE_COUNT =
      new DataException("ERR COUNT can't be negative");
  private static final DataException NEGATIVE_LENGTH =
      new DataException("ERR MAXLEN can't be negative");

  private ListCommands() {}

  public static void register(CommandTable table) {
    registerEnds(table);
    registerMiddle(table);
    registerReads(table);
  }

  private static void registerEnds(CommandTable table) {
    table.add(
        CommandGroup.LIST,
        pushing("lpush")
            .summary("Put elements at the head of a list; the last one given comes first")
            .does((context, args) -> push(context, args, ListEnd.HEAD)),
        pushing("rpush")
            .summary("Put elements at the tail of a list")
            .does((context, args) -> push(context, args, ListEnd.TAIL)),
        pushing("lpushx")
            .since("2.2.0")
            .summary("LPUSH that leaves a missing list missing")
            .does((context, args) -> pushIfPresent(context, args, ListEnd.HEAD)),
        pushing("rpushx")
            .since("2.2.0")
            .summary("RPUSH that leaves a missing list missing")
            .does((context, args) -> pushIfPresent(context, args, ListEnd.TAIL)),
        popping("lpop")
            .summary("Take one or more elements from the head of a list")
            .does((context, args) -> pop(context, args, ListEnd.HEAD)),
        popping("rpop")
            .summary("Take one or more elements from the tail of a list")
            .does((context, args) -> pop(context, args, ListEnd.TAIL)),
        Command.named("lmpop")
            .arity(-4)
            .flags(WRITE)
            .keys(args -> CountedKeys.of(args, 1))
            .since("7.0.0")
            .summary("Take elements from one end of the first list that is not empty")
            .does(ListCommands::popFromFirst),
        Command.named("rpoplpush")
            .arity(3)
            .flags(WRITE, DENYOOM)
            .keys(1, 2, 1)
            .since("1.2.0")
            .summary("Move the tail of a list to the head of another")
            .does((context, args) -> move(context, args, ListEnd.TAIL, ListEnd.HEAD)),
        Command.named("lmove")
            .arity(5)
            .flags(WRITE, DENYOOM)
            .keys(1, 2, 1)
            .since("6.2.0")
            .summary("Move an element from either end of a list to either end of another")
            .does((context, args) -> move(context, args, end(args, 3), end(args, 4))));
  }

  private static Command pushing(String name) {
    return Command.named(name).arity(-3).flags(WRITE, DENYOOM, FAST).keys(1, 1, 1);
  }

  private static Command popping(String name) {
    return Command.named(name).arity(-2).flags(WRITE, FAST).keys(1, 1, 1);
  }

  private static void registerMiddle(CommandTable table) {
    table.add(
        CommandGroup.LIST,
        Command.named("linsert")
            .arity(5)
            .flags(WRITE, DENYOOM)
            .keys(1, 1, 1)
            .since("2.2.0")
            .summary("Put an element before or behind the first that equals a pivot")
            .does(ListCommands::insert),
        Command.named("lset")
            .arity(4)
            .flags(WRITE, DENYOOM)
            .keys(1, 1, 1)
            .summary("Replace the element at an index")
            .does(ListCommands::set),
        Command.named("lrem")
            .arity(4)
            .flags(WRITE)
            .keys(1, 1, 1)
            .summary("Remove elements that equal a value: all, or some from either end")
            .does(ListCommands::remove),
        Command.named("ltrim")
            .arity(4)
            .flags(WRITE)
            .keys(1, 1, 1)
            .summary("Keep what lies between two indexes and drop the rest")
            .does(ListCommands::trim));
  }

  private static void registerReads(CommandTable table) {
    table.add(
        CommandGroup.LIST,
        Command.named("llen")
            .arity(2)
            .flags(READONLY, FAST)
            .keys(1, 1, 1)
            .summary("Count the elements of a list; O(1)")
            .does(ListCommands::size),
        Command.named("lindex")
            .arity(3)
            .flags(READONLY)
            .keys(1, 1, 1)
            .summary("Give the element at an index; -1 is the last")
            .does(ListCommands::get),
        Command.named("lrange")
            .arity(4)
            .flags(READONLY)
            .keys(1, 1, 1)
            .summary("Give the elements between two indexes; -1 is the last")
            .does(ListCommands::range),
        Command.named("lpos")
            .arity(-3)
            .flags(READONLY)
            .keys(1, 1, 1)
            .since("6.0.6")
            .summary("Tell at which indexes an element stands in a list")
            .does(ListCommands::indexes));
  }

  static ListEnd end(Args args, int index) {
    if (args.is(index, "LEFT")) {
      return ListEnd.HEAD;
    }
    if (args.is(index, "RIGHT")) {
      return ListEnd.TAIL;
    }
    throw Arguments.SYNTAX_ERROR;
  }

  private static void push(CommandContext context, Args args, ListEnd end) {
    long size =
        Lists.push(context.transaction(), context.database(), args.get(1), end, args.from(2));
    context.reply().integer(size);
  }

  private static void pushIfPresent(CommandContext context, Args args, ListEnd end) {
    long size =
        Lists.pushIfPresent(
            context.transaction(), context.database(), args.get(1), end, args.from(2));
    context.reply().integer(size);
  }

  private static void pop(CommandContext context, Args args, ListEnd end) {
    if (args.count() == 2) {
      byte[] element = Lists.pop(context.transaction(), context.database(), args.get(1), end);
      MemberReply.bulk(context.reply(), element);
      return;
    }
    if (args.count() > 3) {
      throw Arguments.wrongNumber(context.command());
    }
    long count = Arguments.positive(args, 2);
    List<byte[]> popped =
        Lists.pop(context.transaction(), context.database(), args.get(1), end, count);
    if (popped == null) {
      context.reply().nullArray();
    } else {
      elements(context.reply(), popped);
    }
  }

  private static void elements(RespEncoder reply, List<byte[]> elements) {
    reply.array(elements.size());
    for (byte[] element : elements) {
      reply.bulk(element);
    }
  }

  private static void popFromFirst(CommandContext context, Args args) {
    CountedPop pop = CountedPop.of(args, 1, "LEFT", "RIGHT");
    for (int i = pop.from(); i < pop.to(); i++) {
      if (popMany(context, args.get(i), pop)) {
        return;
      }
    }
    context.reply().nullArray();
  }

  /** Pops from {@code key} and replies; false if it holds nothing. */
  static boolean popMany(CommandContext context, byte[] key, CountedPop pop) {
    ListEnd end = pop.isSecond() ? ListEnd.TAIL : ListEnd.HEAD;
    List<byte[]> popped =
        Lists.pop(context.transaction(), context.database(), key, end, pop.count());
    if (popped == null) {
      return false;
    }
    context
        .effects()
        .instead(context.database(), pop.isSecond() ? "RPOP" : "LPOP", key, popped.size());
    context.reply().array(2);
    context.reply().bulk(key);
    elements(context.reply(), popped);
    return true;
  }

  private static void move(CommandContext context, Args args, ListEnd from, ListEnd to) {
    byte[] moved =
        Lists.move(context.transaction(), context.database(), args.get(1), from, args.get(2), to);
    MemberReply.bulk(context.reply(), moved);
  }

  private static void insert(CommandContext context, Args args) {
    boolean isBefore = args.is(2, "BEFORE");
    if (!isBefore && !args.is(2, "AFTER")) {
      throw Arguments.SYNTAX_ERROR;
    }
    long size =
        Lists.insert(
            context.transaction(),
            context.database(),
            args.get(1),
            isBefore,
            args.get(3),
            args.get(4));
    context.reply().integer(size);
  }

  private static void set(CommandContext context, Args args) {
    // A list that is not there is a worse mistake than an index that is none.
    if (context.transaction().findForWrite(context.database(), args.get(1), ValueType.LIST)
        == null) {
      throw DataException.NO_SUCH_KEY;
    }
    long index = Arguments.integer(args, 2);
    Lists.set(context.transaction(), context.database(), args.get(1), index, args.get(3));
    context.reply().ok();
  }

  private static void remove(CommandContext context, Args args) {
    long count = Arguments.integer(args, 2);
    long removed =
        Lists.remove(context.transaction(), context.database(), args.get(1), count, args.get(3));
    context.reply().integer(removed);
  }

  private static void trim(CommandContext context, Args args) {
    long start = Arguments.integer(args, 2);
    long stop = Arguments.integer(args, 3);
    Lists.trim(context.transaction(), context.database(), args.get(1), start, stop);
    context.reply().ok();
  }

  private static void size(CommandContext context, Args args) {
    context.reply().integer(size(context, args.get(1)));
  }

  private static long size(CommandContext context, byte[] key) {
    return Lists.size(context.transaction(), context.database(), key);
  }

  private static void get(CommandContext context, Args args) {
    Slice element = null;
    // As in Redis, the index into nothing is not even looked at.
    if (size(context, args.get(1)) > 0) {
      long index = Arguments.integer(args, 2);
      element = Lists.get(context.transaction(), context.database(), args.get(1), index);
    }
    MemberReply.bulk(context.reply(), element);
  }

  private static void range(CommandContext context, Args args) {
    long start = Arguments.integer(args, 2);
    long stop = Arguments.integer(args, 3);
    try (MemberCursor elements =
        Lists.range(context.transaction(), context.database(), args.get(1), start, stop)) {
      MemberReply.array(context.reply(), elements);
    }
  }

  private static void indexes(CommandContext context, Args args) {
    long rank = 1;
    @Nullable Long count = null;
    long looksMax = 0;
    for (int i = 3; i < args.count(); i += 2) {
      boolean hasValue = i + 1 < args.count();
      if (args.is(i, "RANK") && hasValue) {
        rank = Arguments.integer(args, i + 1);
        if (rank == 0) {
          throw RANK_ZERO;
        }
        // Redis 7.0 cannot negate it, and begins with the last match.
        rank = rank == Long.MIN_VALUE ? -1 : rank;
      } else if (args.is(i, "COUNT") && hasValue) {
        count = Arguments.integer(args, i + 1, 0, Long.MAX_VALUE, NEGATIVE_COUNT);
      } else if (args.is(i, "MAXLEN") && hasValue) {
        looksMax = Arguments.integer(args, i + 1, 0, Long.MAX_VALUE, NEGATIVE_LENGTH);
      } else {
        throw Arguments.SYNTAX_ERROR;
      }
    }
    long[] found =
        Lists.indexes(
            context.transaction(),
            context.database(),
            args.get(1),
            args.get(2),
            rank,
            count == null ? 1 : count,
            looksMax);
    RespEncoder reply = context.reply();
    if (count != null) {
      reply.array(found.length);
      for (long index : found) {
        reply.integer(index);
      }
    } else if (found.length == 0) {
      reply.nullBulk();
    } else {
      reply.integer(found[0]);
    }
  }
}
