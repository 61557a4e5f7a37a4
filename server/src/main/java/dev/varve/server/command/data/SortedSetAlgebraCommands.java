package dev.varve.server.command.data;

import static dev.varve.server.command.CommandFlag.DENYOOM;
import static dev.varve.server.command.CommandFlag.READONLY;
import static dev.varve.server.command.CommandFlag.WRITE;

import dev.varve.codec.DataException;
import dev.varve.codec.zset.ScoredMember;
import dev.varve.codec.zset.ZAlgebra;
import dev.varve.codec.zset.ZAlgebra.Aggregate;
import dev.varve.codec.zset.ZAlgebra.Operation;
import dev.varve.server.command.Arguments;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.CommandTable;
import dev.varve.server.command.CountedKeys;
import dev.varve.server.resp.Args;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Unions, intersections and differences of sorted sets and sets.
 *
 * <p>Pure functions of a context, any thread.
 */
final class SortedSetAlgebraCommands {
  private static final DataException WEIGHT_NOT_A_FLOAT =
      new DataException("ERR weight value is not a float");
  private static final DataException LIMIT_NEGATIVE =
      new DataException("ERR LIMIT can't be negative");

  private SortedSetAlgebraCommands() {}

  static void register(CommandTable table) {
    table.add(
        CommandGroup.SORTED_SET,
        compute("zunion", Operation.UNION)
            .summary("Give the members that any of the sorted sets has, their scores combined"),
        compute("zinter", Operation.INTERSECTION)
            .summary("Give the members that all sorted sets have, their scores combined"),
        compute("zdiff", Operation.DIFFERENCE)
            .summary("Give the members of the first sorted set that no other has"),
        store("zunionstore", Operation.UNION).since("2.0.0").summary("Store what ZUNION gives"),
        store("zinterstore", Operation.INTERSECTION)
            .since("2.0.0")
            .summary("Store what ZINTER gives"),
        store("zdiffstore", Operation.DIFFERENCE).since("6.2.0").summary("Store what ZDIFF gives"),
        Command.named("zintercard")
            .arity(-3)
            .flags(READONLY)
            .keys(args -> CountedKeys.of(args, 1))
            .since("7.0.0")
            .summary("Count the members that all sorted sets have, or the first so many")
            .does(SortedSetAlgebraCommands::countIntersection));
  }

  private static Command compute(String name, Operation operation) {
    return Command.named(name)
        .arity(-3)
        .flags(READONLY)
        .keys(args -> CountedKeys.of(args, 1))
        .since("6.2.0")
        .does((context, args) -> compute(context, args, operation));
  }

  private static Command store(String name, Operation operation) {
    return Command.named(name)
        .arity(-4)
        .flags(WRITE, DENYOOM)
        .keys(1, 1, 1)
        .keys(args -> CountedKeys.ofStore(args, 2))
        .does((context, args) -> store(context, args, operation));
  }

  private static void compute(CommandContext context, Args args, Operation operation) {
    List<byte[]> keys = keys(context, args, 1);
    Options options = options(context, args, keys, 2, operation, false);
    List<ScoredMember> members =
        ZAlgebra.compute(
            context.transaction(),
            context.database(),
            operation,
            keys,
            options.weights,
            options.aggregate);
    new ScoredReply(context.reply(), options.withScores).all(members).end();
  }

  private static void store(CommandContext context, Args args, Operation operation) {
    List<byte[]> keys = keys(context, args, 2);
    Options options = options(context, args, keys, 3, operation, true);
    long stored =
        ZAlgebra.store(
            context.transaction(),
            context.database(),
            args.get(1),
            operation,
            keys,
            options.weights,
            options.aggregate);
    context.reply().integer(stored);
  }

  private static void countIntersection(CommandContext context, Args args) {
    List<byte[]> keys = keys(context, args, 1);
    long limit = 0;
    int at = 2 + keys.size();
    try {
      for (; at < args.count(); at += 2) {
        if (!args.is(at, "LIMIT") || at + 1 == args.count()) {
          throw Arguments.SYNTAX_ERROR;
        }
        limit = Arguments.integer(args, at + 1, 0, Long.MAX_VALUE, LIMIT_NEGATIVE);
      }
    } catch (DataException wrong) {
      throw wrongTypeFirst(context, keys, wrong);
    }
    long count = ZAlgebra.countIntersection(context.transaction(), context.database(), keys, limit);
    context.reply().integer(count);
  }

  private static List<byte[]> keys(CommandContext context, Args args, int countIndex) {
    long keys = Arguments.integer(args, countIndex);
    if (keys < 1) {
      String name = context.command().fullName();
      throw new DataException("ERR at least 1 input key is needed for '" + name + "' command");
    }
    int first = countIndex + 1;
    if (keys > args.count() - first) {
      throw Arguments.SYNTAX_ERROR;
    }
    return args.list(first, first + (int) keys);
  }

  /** What follows the keys. */
  private static final class Options {
    double @Nullable [] weights;
    Aggregate aggregate = Aggregate.SUM;
    boolean withScores;
  }

  private static Options options(
      CommandContext context,
      Args args,
      List<byte[]> keys,
      int firstKey,
      Operation operation,
      boolean stores) {
    try {
      return options(args, keys.size(), firstKey + keys.size(), operation, stores);
    } catch (DataException wrong) {
      throw wrongTypeFirst(context, keys, wrong);
    }
  }

  private static Options options(
      Args args, int keys, int from, Operation operation, boolean stores) {
    Options options = new Options();
    boolean combines = operation != Operation.DIFFERENCE;
    int at = from;
    while (at < args.count()) {
      int left = args.count() - at;
      if (combines && left > keys && args.is(at, "WEIGHTS")) {
        double[] weights = new double[keys];
        for (int i = 0; i < keys; i++) {
          weights[i] = Arguments.real(args, at + 1 + i, WEIGHT_NOT_A_FLOAT);
        }
        options.weights = weights;
        at += 1 + keys;
      } else if (combines && left >= 2 && args.is(at, "AGGREGATE")) {
        options.aggregate = aggregate(args, at + 1);
        at += 2;
      } else if (!stores && args.is(at, "WITHSCORES")) {
        options.withScores = true;
        at++;
      } else {
        throw Arguments.SYNTAX_ERROR;
      }
    }
    return options;
  }

  private static Aggregate aggregate(Args args, int at) {
    for (Aggregate each : Aggregate.values()) {
      if (args.is(at, each.name())) {
        return each;
      }
    }
    throw Arguments.SYNTAX_ERROR;
  }

  /** Redis looks at the keys' types before it reads the options after them. */
  private static DataException wrongTypeFirst(
      CommandContext context, List<byte[]> keys, DataException wrong) {
    ZAlgebra.requireSets(context.transaction(), context.database(), keys);
    return wrong;
  }
}
