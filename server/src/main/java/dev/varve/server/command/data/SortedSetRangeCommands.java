package dev.varve.server.command.data;

import static dev.varve.server.command.CommandFlag.DENYOOM;
import static dev.varve.server.command.CommandFlag.FAST;
import static dev.varve.server.command.CommandFlag.READONLY;
import static dev.varve.server.command.CommandFlag.WRITE;

import dev.varve.codec.DataException;
import dev.varve.codec.zset.ZRange;
import dev.varve.codec.zset.ZSets;
import dev.varve.server.command.Arguments;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.CommandTable;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;

/**
 * The commands on ranges of sorted sets: by rank, by score, and by the members' bytes.
 *
 * <p>Pure functions of a context, any thread.
 */
final class SortedSetRangeCommands {
  private static final DataException LIMIT_BY_RANK =
      new DataException(
          "ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX");
  private static final DataException SCORES_BY_LEX =
      new DataException("ERR syntax error, WITHSCORES not supported in combination with BYLEX");

  /** What the ends of a range are. */
  private enum By {
    /** Ranks, unless an option says otherwise. */
    OPTION,
    RANK,
    SCORE,
    LEX;

    ZRange range(Args args, int min, int max) {
      return switch (this) {
        case OPTION, RANK ->
            new ZRange.ByRank(Arguments.integer(args, min), Arguments.integer(args, max));
        case SCORE -> ScoreText.scores(args, min, max);
        case LEX -> ScoreText.members(args, min, max);
      };
    }
  }

  /** From which end a range is read. */
  private enum Direction {
    /** From the lowest score, unless an option says otherwise. */
    OPTION,
    UP,
    DOWN
  }

  private SortedSetRangeCommands() {}

  static void register(CommandTable table) {
    table.add(
        CommandGroup.SORTED_SET,
        Command.named("zrange")
            .arity(-4)
            .flags(READONLY)
            .keys(1, 1, 1)
            .since("1.2.0")
            .summary("Give the members between two ranks, scores or names, from either end")
            .does((context, args) -> range(context, args, By.OPTION, Direction.OPTION)),
        Command.named("zrevrange")
            .arity(-4)
            .flags(READONLY)
            .keys(1, 1, 1)
            .since("1.2.0")
            .summary("Give the members between two ranks counted from the highest")
            .does((context, args) -> range(context, args, By.RANK, Direction.DOWN)),
        Command.named("zrangebyscore")
            .arity(-4)
            .flags(READONLY)
            .keys(1, 1, 1)
            .since("1.0.5")
            .summary("Give the members between two scores, the lowest first")
            .does((context, args) -> range(context, args, By.SCORE, Direction.UP)),
        Command.named("zrevrangebyscore")
            .arity(-4)
            .flags(READONLY)
            .keys(1, 1, 1)
            .since("2.2.0")
            .summary("Give the members between two scores, the highest first")
            .does((context, args) -> range(context, args, By.SCORE, Direction.DOWN)),
        Command.named("zrangebylex")
            .arity(-4)
            .flags(READONLY)
            .keys(1, 1, 1)
            .since("2.8.9")
            .summary("Give the members between two names, where all scores are equal")
            .does((context, args) -> range(context, args, By.LEX, Direction.UP)),
        Command.named("zrevrangebylex")
            .arity(-4)
            .flags(READONLY)
            .keys(1, 1, 1)
            .since("2.8.9")
            .summary("Give the members between two names, the last name first")
            .does((context, args) -> range(context, args, By.LEX, Direction.DOWN)),
        Command.named("zrangestore")
            .arity(-5)
            .flags(WRITE, DENYOOM)
            .keys(1, 2, 1)
            .since("6.2.0")
            .summary("Store what ZRANGE gives")
            .does(SortedSetRangeCommands::storeRange),
        Command.named("zcount")
            .arity(4)
            .flags(READONLY, FAST)
            .keys(1, 1, 1)
            .since("2.0.0")
            .summary("Count the members between two scores, without walking over them")
            .does((context, args) -> count(context, args, By.SCORE)),
        Command.named("zlexcount")
            .arity(4)
            .flags(READONLY, FAST)
            .keys(1, 1, 1)
            .since("2.8.9")
            .summary("Count the members between two names, where all scores are equal")
            .does((context, args) -> count(context, args, By.LEX)),
        Command.named("zremrangebyrank")
            .arity(4)
            .flags(WRITE)
            .keys(1, 1, 1)
            .since("2.0.0")
            .summary("Take out the members between two ranks")
            .does((context, args) -> removeRange(context, args, By.RANK)),
        Command.named("zremrangebyscore")
            .arity(4)
            .flags(WRITE)
            .keys(1, 1, 1)
            .since("1.2.0")
            .summary("Take out the members between two scores")
            .does((context, args) -> removeRange(context, args, By.SCORE)),
        Command.named("zremrangebylex")
            .arity(4)
            .flags(WRITE)
            .keys(1, 1, 1)
            .since("2.8.9")
            .summary("Take out the members between two names, where all scores are equal")
            .does((context, args) -> removeRange(context, args, By.LEX)));
  }

  /** A range with its options: {@code min max [BYSCORE | BYLEX] [REV] [LIMIT …] [WITHSCORES]}. */
  private record Selection(
      ZRange range, boolean reverse, long offset, long count, boolean withScores) {

    /**
     * @param min where the ends of the range are; options follow
     */
    static Selection of(Args args, int min, boolean stores, By fixedBy, Direction fixedDirection) {
      By by = fixedBy;
      Direction direction = fixedDirection;
      boolean withScores = false;
      long offset = 0;
      long count = -1;
      for (int at = min + 2; at < args.count(); at++) {
        if (!stores && args.is(at, "WITHSCORES")) {
          withScores = true;
        } else if (args.is(at, "LIMIT") && at + 2 < args.count()) {
          offset = Arguments.integer(args, at + 1);
          count = Arguments.integer(args, at + 2);
          at += 2;
        } else if (direction == Direction.OPTION && args.is(at, "REV")) {
          direction = Direction.DOWN;
        } else if (by == By.OPTION && args.is(at, "BYLEX")) {
          by = By.LEX;
        } else if (by == By.OPTION && args.is(at, "BYSCORE")) {
          by = By.SCORE;
        } else {
          throw Arguments.SYNTAX_ERROR;
        }
      }
      boolean byRank = by == By.OPTION || by == By.RANK;
      if (byRank && count != -1) {
        throw LIMIT_BY_RANK;
      }
      if (by == By.LEX && withScores) {
        throw SCORES_BY_LEX;
      }
      boolean reverse = direction == Direction.DOWN;
      boolean maxFirst = reverse && !byRank;
      ZRange range = by.range(args, maxFirst ? min + 1 : min, maxFirst ? min : min + 1);
      return new Selection(range, reverse, byRank ? 0 : offset, count, withScores);
    }
  }

  private static void range(CommandContext context, Args args, By by, Direction direction) {
    Selection selection = Selection.of(args, 2, false, by, direction);
    RespEncoder reply = context.reply();
    ScoredReply members =
        reply.isStreaming()
            // Counting costs little beside the walk, which else had to be made twice.
            ? ScoredReply.announced(reply, selection.withScores(), size(context, args, selection))
            : new ScoredReply(reply, selection.withScores());
    ZSets.range(
        context.transaction(),
        context.database(),
        args.get(1),
        selection.range(),
        selection.reverse(),
        selection.offset(),
        selection.count(),
        members);
    members.end();
  }

  private static long size(CommandContext context, Args args, Selection selection) {
    long inRange =
        ZSets.count(context.transaction(), context.database(), args.get(1), selection.range());
    long left = selection.offset() < 0 ? 0 : Math.max(0, inRange - selection.offset());
    return selection.count() < 0 ? left : Math.min(left, selection.count());
  }

  private static void storeRange(CommandContext context, Args args) {
    Selection selection = Selection.of(args, 3, true, By.OPTION, Direction.OPTION);
    long stored =
        ZSets.storeRange(
            context.transaction(),
            context.database(),
            args.get(1),
            args.get(2),
            selection.range(),
            selection.reverse(),
            selection.offset(),
            selection.count());
    context.reply().integer(stored);
  }

  private static void count(CommandContext context, Args args, By by) {
    ZRange range = by.range(args, 2, 3);
    context
        .reply()
        .integer(ZSets.count(context.transaction(), context.database(), args.get(1), range));
  }

  private static void removeRange(CommandContext context, Args args, By by) {
    ZRange range = by.range(args, 2, 3);
    context
        .reply()
        .integer(ZSets.removeRange(context.transaction(), context.database(), args.get(1), range));
  }
}
