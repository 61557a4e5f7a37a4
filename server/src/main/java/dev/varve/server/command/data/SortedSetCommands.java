package dev.varve.server.command.data;

import static dev.varve.server.command.CommandFlag.DENYOOM;
import static dev.varve.server.command.CommandFlag.FAST;
import static dev.varve.server.command.CommandFlag.READONLY;
import static dev.varve.server.command.CommandFlag.WRITE;

import dev.varve.codec.DataException;
import dev.varve.codec.Meta;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.IntegerText;
import dev.varve.codec.format.ValueType;
import dev.varve.codec.zset.ScoredMember;
import dev.varve.codec.zset.ScoredMemberList;
import dev.varve.codec.zset.ZAddCondition;
import dev.varve.codec.zset.ZRandom;
import dev.varve.codec.zset.ZScan;
import dev.varve.codec.zset.ZSets;
import dev.varve.server.command.Arguments;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.CommandTable;
import dev.varve.server.command.CountedKeys;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.DoubleText;
import dev.varve.server.resp.RespEncoder;
import java.util.ArrayList;
import java.util.List;

/**
 * The commands of sorted sets, but for those on ranges ({@link SortedSetRangeCommands}) and on
 * several sets at once ({@link SortedSetAlgebraCommands}), and those that wait ({@link
 * BlockingCommands}).
 *
 * <p>Pure functions of a context, any thread.
 */
public final class SortedSetCommands {
  private static final DataException NX_WITH_XX =
      new DataException("ERR XX and NX options at the same time are not compatible");
  private static final DataException GT_LT_NX =
      new DataException("ERR GT, LT, and/or NX options at the same time are not compatible");
  private static final DataException ONE_INCREMENT =
      new DataException("ERR INCR option supports a single increment-element pair");
  private static final DataException COUNT_OUT_OF_RANGE =
      new DataException("ERR value is out of range");
  private static final DataException COUNT_LEAST =
      new DataException(
          "ERR value is out of range, value must between -9223372036854775807 and"
              + " 9223372036854775807");

  /** Redis keeps scores as integers up to here. */
  private static final double PACKED_INTEGER_MAX = 0x1p62;

  private SortedSetCommands() {}

  public static void register(CommandTable table) {
    table.add(
        CommandGroup.SORTED_SET,
        Command.named("zadd")
            .arity(-4)
            .flags(WRITE, DENYOOM, FAST)
            .keys(1, 1, 1)
            .member(3)
            .since("1.2.0")
            .summary("Put members in with their scores, or move those that are in")
            .does((context, args) -> add(context, args, false)),
        Command.named("zincrby")
            .arity(4)
            .flags(WRITE, DENYOOM, FAST)
            .keys(1, 1, 1)
            .member(3)
            .since("1.2.0")
            .summary("Add to a member's score; a missing member counts as 0")
            .does((context, args) -> add(context, args, true)),
        Command.named("zrem")
            .arity(-3)
            .flags(WRITE, FAST)
            .keys(1, 1, 1)
            .member(2)
            .since("1.2.0")
            .summary("Take members out of a sorted set; it goes with its last one")
            .does(SortedSetCommands::remove),
        Command.named("zcard")
            .arity(2)
            .flags(READONLY, FAST)
            .keys(1, 1, 1)
            .since("1.2.0")
            .summary("Count the members of a sorted set; O(1)")
            .does(SortedSetCommands::size),
        Command.named("zscore")
            .arity(3)
            .flags(READONLY, FAST)
            .keys(1, 1, 1)
            .member(2)
            .since("1.2.0")
            .summary("Give the score of a member, nil if it is missing")
            .does(SortedSetCommands::score),
        Command.named("zmscore")
            .arity(-3)
            .flags(READONLY, FAST)
            .keys(1, 1, 1)
            .member(2)
            .since("6.2.0")
            .summary("Give the scores of some members, nil where one is missing")
            .does(SortedSetCommands::scores),
        Command.named("zrank")
            .arity(-3)
            .flags(READONLY, FAST)
            .keys(1, 1, 1)
            .member(2)
            .since("2.0.0")
            .summary("Give a member's place counted from the lowest, which is 0")
            .does((context, args) -> rank(context, args, false)),
        Command.named("zrevrank")
            .arity(-3)
            .flags(READONLY, FAST)
            .keys(1, 1, 1)
            .member(2)
            .since("2.0.0")
            .summary("Give a member's place counted from the highest, which is 0")
            .does((context, args) -> rank(context, args, true)),
        Command.named("zpopmin")
            .arity(-2)
            .flags(WRITE, FAST)
            .keys(1, 1, 1)
            .since("5.0.0")
            .summary("Take out the lowest members, with their scores")
            .does((context, args) -> pop(context, args, false)),
        Command.named("zpopmax")
            .arity(-2)
            .flags(WRITE, FAST)
            .keys(1, 1, 1)
            .since("5.0.0")
            .summary("Take out the highest members, with their scores")
            .does((context, args) -> pop(context, args, true)),
        Command.named("zmpop")
            .arity(-4)
            .flags(WRITE)
            .keys(args -> CountedKeys.of(args, 1))
            .since("7.0.0")
            .summary("Take the lowest or highest members of the first set that is not empty")
            .does(SortedSetCommands::popFirst),
        Command.named("zrandmember")
            .arity(-2)
            .flags(READONLY)
            .keys(1, 1, 1)
            .since("6.2.0")
            .summary("Draw random members and leave them in, with scores if wanted")
            .does(SortedSetCommands::random),
        Command.named("zscan")
            .arity(-3)
            .flags(READONLY)
            .keys(1, 1, 1)
            .since("2.8.0")
            .summary("Walk through the members and scores of a sorted set, step by step")
            .does(SortedSetCommands::scan));
    SortedSetRangeCommands.register(table);
    SortedSetAlgebraCommands.register(table);
  }

  private static void add(CommandContext context, Args args, boolean increments) {
    boolean nx = false;
    boolean xx = false;
    boolean gt = false;
    boolean lt = false;
    boolean changes = false;
    boolean increment = increments;
    int at = 2;
    for (; at < args.count(); at++) {
      if (args.is(at, "NX")) {
        nx = true;
      } else if (args.is(at, "XX")) {
        xx = true;
      } else if (args.is(at, "GT")) {
        gt = true;
      } else if (args.is(at, "LT")) {
        lt = true;
      } else if (args.is(at, "CH")) {
        changes = true;
      } else if (args.is(at, "INCR")) {
        increment = true;
      } else {
        break;
      }
    }
    int pairs = args.count() - at;
    if (pairs == 0 || pairs % 2 != 0) {
      throw Arguments.SYNTAX_ERROR;
    }
    if (nx && xx) {
      throw NX_WITH_XX;
    }
    if ((nx && (gt || lt)) || (gt && lt)) {
      throw GT_LT_NX;
    }
    if (increment && pairs > 2) {
      throw ONE_INCREMENT;
    }
    double[] scores = new double[pairs / 2];
    List<byte[]> members = new ArrayList<>(scores.length);
    for (int i = 0; i < scores.length; i++) {
      scores[i] = Arguments.real(args, at + 2 * i);
      members.add(args.get(at + 2 * i + 1));
    }
    ZAddCondition condition =
        nx || xx || gt || lt ? new ZAddCondition(nx, xx, gt, lt) : ZAddCondition.NONE;
    Transaction transaction = context.transaction();
    int database = context.database();
    byte[] key = args.get(1);
    if (increment) {
      scoreOrNull(
          context.reply(),
          ZSets.increment(transaction, database, key, condition, scores[0], members.get(0)));
      return;
    }
    ZSets.Added added = ZSets.add(transaction, database, key, condition, scores, members);
    context.reply().integer(changes ? added.added() + added.updated() : added.added());
  }

  private static void scoreOrNull(RespEncoder reply, double score) {
    if (Double.isNaN(score)) {
      reply.nullBulk();
    } else {
      reply.real(score);
    }
  }

  private static void remove(CommandContext context, Args args) {
    List<byte[]> members = args.list(2, args.count());
    context
        .reply()
        .integer(ZSets.remove(context.transaction(), context.database(), args.get(1), members));
  }

  private static void size(CommandContext context, Args args) {
    context.reply().integer(ZSets.size(context.transaction(), context.database(), args.get(1)));
  }

  private static void score(CommandContext context, Args args) {
    scoreOrNull(
        context.reply(),
        ZSets.score(context.transaction(), context.database(), args.get(1), args.get(2)));
  }

  private static void scores(CommandContext context, Args args) {
    List<byte[]> members = args.list(2, args.count());
    double[] scores = ZSets.scores(context.transaction(), context.database(), args.get(1), members);
    context.reply().array(scores.length);
    for (double score : scores) {
      scoreOrNull(context.reply(), score);
    }
  }

  private static void rank(CommandContext context, Args args, boolean reverse) {
    if (args.count() > 4) {
      throw Arguments.wrongNumber(context.command());
    }
    boolean withScore = args.count() == 4;
    if (withScore && !args.is(3, "WITHSCORE")) {
      throw Arguments.SYNTAX_ERROR;
    }
    ZSets.Ranked ranked =
        ZSets.ranked(context.transaction(), context.database(), args.get(1), args.get(2), reverse);
    RespEncoder reply = context.reply();
    if (!withScore) {
      if (ranked == null) {
        reply.nullBulk();
      } else {
        reply.integer(ranked.rank());
      }
    } else if (ranked == null) {
      reply.nullArray();
    } else {
      reply.array(2);
      reply.integer(ranked.rank());
      reply.real(ranked.score());
    }
  }

  private static void pop(CommandContext context, Args args, boolean highest) {
    if (args.count() > 3) {
      throw Arguments.SYNTAX_ERROR;
    }
    boolean counted = args.count() == 3;
    long count = counted ? Arguments.positive(args, 2) : 1;
    List<ScoredMember> popped =
        ZSets.pop(context.transaction(), context.database(), args.get(1), highest, count);
    RespEncoder reply = context.reply();
    new ScoredReply(reply, true, counted && reply.protocol() > 2).all(popped).end();
  }

  private static void popFirst(CommandContext context, Args args) {
    CountedPop pop = CountedPop.of(args, 1, "MIN", "MAX");
    for (int i = pop.from(); i < pop.to(); i++) {
      if (popMany(context, args.get(i), pop)) {
        return;
      }
    }
    context.reply().nullArray();
  }

  /** Pops from {@code key} and replies; false if it holds nothing. */
  static boolean popMany(CommandContext context, byte[] key, CountedPop pop) {
    List<ScoredMember> popped =
        ZSets.pop(context.transaction(), context.database(), key, pop.isSecond(), pop.count());
    if (popped.isEmpty()) {
      return false;
    }
    context
        .effects()
        .instead(context.database(), pop.isSecond() ? "ZPOPMAX" : "ZPOPMIN", key, popped.size());
    context.reply().array(2);
    context.reply().bulk(key);
    new ScoredReply(context.reply(), true, true).all(popped).end();
    return true;
  }

  private static void random(CommandContext context, Args args) {
    Transaction transaction = context.transaction();
    int database = context.database();
    RespEncoder reply = context.reply();
    if (args.count() == 2) {
      long drawn =
          ZRandom.any(
              transaction,
              database,
              args.get(1),
              1,
              (array, offset, length, score) -> reply.bulk(array, offset, length));
      if (drawn == 0) {
        reply.nullBulk();
      }
      return;
    }
    long count = Arguments.integer(args, 2);
    if (count == Long.MIN_VALUE) {
      throw COUNT_LEAST;
    }
    if (args.count() > 4 || (args.count() == 4 && !args.is(3, "WITHSCORES"))) {
      throw Arguments.SYNTAX_ERROR;
    }
    boolean withScores = args.count() == 4;
    if (withScores && (count < -(Long.MAX_VALUE / 2) || count > Long.MAX_VALUE / 2)) {
      throw COUNT_OUT_OF_RANGE;
    }
    ScoredReply members = new ScoredReply(reply, withScores);
    if (count >= 0) {
      ZRandom.distinct(transaction, database, args.get(1), count, members);
    } else {
      ZRandom.any(transaction, database, args.get(1), -count, members);
    }
    members.end();
  }

  private static void scan(CommandContext context, Args args) {
    long position = ScanArguments.cursor(args, 2);
    // A key of another type is refused before wrong options are, a missing one answered.
    Meta meta = context.transaction().find(context.database(), args.get(1), ValueType.ZSET);
    ScoredMemberList found = new ScoredMemberList();
    long next = 0;
    if (meta != null) {
      ScanArguments options = ScanArguments.options(args, 3, ScanArguments.Over.MEMBERS);
      next =
          ZScan.scan(
              context.transaction(),
              context.database(),
              args.get(1),
              position,
              options.count(),
              options.match(),
              found);
    }
    RespEncoder reply = context.reply();
    reply.array(2);
    reply.bulk(next);
    reply.array(2L * found.members().size());
    for (ScoredMember each : found.members()) {
      reply.bulk(each.member());
      boolean isPacked = meta != null && !meta.isSpread();
      reply.bulk(isPacked ? packedScore(each.score()) : DoubleText.of(each.score()));
    }
  }

  /** In a listpack Redis keeps whole scores as integers, and its ZSCAN shows them as they are. */
  private static byte[] packedScore(double score) {
    boolean isInteger = score == Math.rint(score) && Math.abs(score) <= PACKED_INTEGER_MAX;
    return isInteger ? IntegerText.of((long) score) : DoubleText.of(score);
  }
}
