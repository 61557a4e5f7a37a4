package dev.varve.server.command.data;

import static dev.varve.server.command.CommandFlag.BLOCKING;
import static dev.varve.server.command.CommandFlag.DENYOOM;
import static dev.varve.server.command.CommandFlag.FAST;
import static dev.varve.server.command.CommandFlag.NOSCRIPT;
import static dev.varve.server.command.CommandFlag.WRITE;

import dev.varve.codec.Meta;
import dev.varve.codec.format.ValueType;
import dev.varve.codec.list.ListEnd;
import dev.varve.codec.list.Lists;
import dev.varve.codec.zset.ScoredMember;
import dev.varve.codec.zset.ZSets;
import dev.varve.server.command.Arguments;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.CommandTable;
import dev.varve.server.command.CountedKeys;
import dev.varve.server.command.Wait;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import java.util.ArrayList;
import java.util.List;

/**
 * The commands of lists and sorted sets that wait for an element.
 *
 * <p>Each takes from the first of its keys that holds something; when none does it waits, and then
 * takes from the key to which something happened.
 */
public final class BlockingCommands {
  private BlockingCommands() {}

  public static void register(CommandTable table) {
    table.add(
        CommandGroup.LIST,
        popping("blpop", "Take the head of the first list that has one; wait while none does")
            .does((context, args) -> pop(context, args, ListEnd.HEAD)),
        popping("brpop", "Take the tail of the first list that has one; wait while none does")
            .does((context, args) -> pop(context, args, ListEnd.TAIL)),
        Command.named("blmpop")
            .arity(-5)
            .flags(WRITE, BLOCKING)
            .keys(args -> CountedKeys.of(args, 2))
            .since("7.0.0")
            .summary("LMPOP that waits while all lists are empty")
            .does(BlockingCommands::popMany),
        Command.named("brpoplpush")
            .arity(4)
            .flags(WRITE, DENYOOM, NOSCRIPT, BLOCKING)
            .keys(1, 2, 1)
            .since("2.2.0")
            .summary("RPOPLPUSH that waits while there is nothing to move")
            .does((context, args) -> move(context, args, ListEnd.TAIL, ListEnd.HEAD, 3)),
        Command.named("blmove")
            .arity(6)
            .flags(WRITE, DENYOOM, NOSCRIPT, BLOCKING)
            .keys(1, 2, 1)
            .since("6.2.0")
            .summary("LMOVE that waits while there is nothing to move")
            .does(
                (context, args) ->
                    move(context, args, ListCommands.end(args, 3), ListCommands.end(args, 4), 5)));
    table.add(
        CommandGroup.SORTED_SET,
        popping(
                "bzpopmin",
                "Take the lowest member of the first set that has one; wait while none does")
            .flags(FAST)
            .since("5.0.0")
            .does((context, args) -> popScored(context, args, false)),
        popping(
                "bzpopmax",
                "Take the highest member of the first set that has one; wait while none does")
            .flags(FAST)
            .since("5.0.0")
            .does((context, args) -> popScored(context, args, true)),
        Command.named("bzmpop")
            .arity(-5)
            .flags(WRITE, BLOCKING)
            .keys(args -> CountedKeys.of(args, 2))
            .since("7.0.0")
            .summary("ZMPOP that waits while all sorted sets are empty")
            .does(BlockingCommands::popManyScored));
  }

  private static Command popping(String name, String summary) {
    return Command.named(name)
        .arity(-3)
        .flags(WRITE, NOSCRIPT, BLOCKING)
        .keys(1, -2, 1)
        .since("2.0.0")
        .summary(summary);
  }

  /** Takes from {@code keys}, or waits for one of them to hold something of this type. */
  private static void takeOrWait(
      CommandContext context,
      List<byte[]> keys,
      ValueType type,
      long timeoutMillis,
      Wait.Attempt take) {
    for (byte[] key : keys) {
      if (take.serves(context, key)) {
        return;
      }
    }
    if (context.mayWait()) {
      context.waitFor(keys, timeoutMillis, RespEncoder::nullArray, ofType(type, take)).wants(type);
    } else {
      context.reply().nullArray();
    }
  }

  /** For a client that waits, a key that comes to hold another type is no error. */
  private static Wait.Attempt ofType(ValueType type, Wait.Attempt take) {
    return (context, key) -> {
      Meta found = context.transaction().findForWrite(context.database(), key);
      return found != null && found.type() == type && take.serves(context, key);
    };
  }

  private static List<byte[]> keys(Args args, int from, int to) {
    List<byte[]> keys = new ArrayList<>(to - from);
    for (int i = from; i < to; i++) {
      keys.add(args.get(i));
    }
    return keys;
  }

  private static void pop(CommandContext context, Args args, ListEnd end) {
    int last = args.count() - 1;
    takeOrWait(
        context,
        keys(args, 1, last),
        ValueType.LIST,
        Arguments.timeoutMillis(args, last),
        (its, key) -> {
          byte[] element = Lists.pop(its.transaction(), its.database(), key, end);
          if (element == null) {
            return false;
          }
          its.effects().instead(its.database(), end == ListEnd.HEAD ? "LPOP" : "RPOP", key);
          its.reply().array(2);
          its.reply().bulk(key);
          its.reply().bulk(element);
          return true;
        });
  }

  private static void popMany(CommandContext context, Args args) {
    CountedPop pop = CountedPop.of(args, 2, "LEFT", "RIGHT");
    takeOrWait(
        context,
        keys(args, pop.from(), pop.to()),
        ValueType.LIST,
        Arguments.timeoutMillis(args, 1),
        (its, key) -> ListCommands.popMany(its, key, pop));
  }

  private static void move(
      CommandContext context, Args args, ListEnd from, ListEnd to, int timeoutIndex) {
    long timeoutMillis = Arguments.timeoutMillis(args, timeoutIndex);
    Wait.Attempt move =
        (its, key) -> {
          byte[] moved = Lists.move(its.transaction(), its.database(), key, from, args.get(2), to);
          if (moved != null) {
            tellMove(its, args, from, to);
            its.reply().bulk(moved);
          }
          return moved != null;
        };
    if (!move.serves(context, args.get(1))) {
      if (context.mayWait()) {
        Wait wait =
            context.waitFor(
                List.of(args.get(1)),
                timeoutMillis,
                RespEncoder::nullArray,
                ofType(ValueType.LIST, move));
        wait.alsoWrites(args.get(2));
        wait.wants(ValueType.LIST);
      } else {
        context.reply().nullBulk();
      }
    }
  }

  /** What has waited, or might have, does not as an effect. */
  private static void tellMove(CommandContext context, Args args, ListEnd from, ListEnd to) {
    byte[] source = args.get(1);
    byte[] target = args.get(2);
    if (context.command().name().equals("brpoplpush")) {
      context.effects().instead(context.database(), "RPOPLPUSH", source, target);
    } else {
      context.effects().instead(context.database(), "LMOVE", source, target, word(from), word(to));
    }
  }

  private static String word(ListEnd end) {
    return end == ListEnd.HEAD ? "LEFT" : "RIGHT";
  }

  private static void popScored(CommandContext context, Args args, boolean highest) {
    int last = args.count() - 1;
    takeOrWait(
        context,
        keys(args, 1, last),
        ValueType.ZSET,
        Arguments.timeoutMillis(args, last),
        (its, key) -> {
          List<ScoredMember> popped = ZSets.pop(its.transaction(), its.database(), key, highest, 1);
          if (popped.isEmpty()) {
            return false;
          }
          its.effects().instead(its.database(), highest ? "ZPOPMAX" : "ZPOPMIN", key);
          its.reply().array(3);
          its.reply().bulk(key);
          its.reply().bulk(popped.get(0).member());
          its.reply().real(popped.get(0).score());
          return true;
        });
  }

  private static void popManyScored(CommandContext context, Args args) {
    CountedPop pop = CountedPop.of(args, 2, "MIN", "MAX");
    takeOrWait(
        context,
        keys(args, pop.from(), pop.to()),
        ValueType.ZSET,
        Arguments.timeoutMillis(args, 1),
        (its, key) -> SortedSetCommands.popMany(its, key, pop));
  }
}
