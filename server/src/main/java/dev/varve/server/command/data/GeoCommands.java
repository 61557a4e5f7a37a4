package dev.varve.server.command.data;

import static dev.varve.server.command.CommandFlag.DENYOOM;
import static dev.varve.server.command.CommandFlag.READONLY;
import static dev.varve.server.command.CommandFlag.WRITE;

import dev.varve.codec.format.ValueType;
import dev.varve.codec.geo.GeoPoint;
import dev.varve.codec.zset.Geos;
import dev.varve.codec.zset.ZAddCondition;
import dev.varve.codec.zset.ZSets;
import dev.varve.server.command.Arguments;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.CommandFlag;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.CommandTable;
import dev.varve.server.command.data.GeoSearchArguments.Kind;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The commands of the geo group. */
public final class GeoCommands {
  /** Distances have four decimals. No two places are as far apart as 2^52 of their units. */
  private static final long DISTANCE_SCALE = 10_000;

  private GeoCommands() {}

  public static void register(CommandTable table) {
    table.add(
        CommandGroup.GEO,
        Command.named("geoadd")
            .arity(-5)
            .flags(WRITE, DENYOOM)
            .keys(1, 1, 1)
            .since("3.2.0")
            .summary("Put members in by longitude and latitude; they become a sorted set")
            .does(GeoCommands::add),
        reading("geodist", -4, "Tell how far two members are apart")
            .member(2)
            .since("3.2.0")
            .does(GeoCommands::distance),
        reading("geohash", -2, "Give the geohash text of each member")
            .member(2)
            .since("3.2.0")
            .does(GeoCommands::geohash),
        reading("geopos", -2, "Give longitude and latitude of each member")
            .member(2)
            .since("3.2.0")
            .does(GeoCommands::position),
        reading("geosearch", -7, "Find members in a circle or box around a point or a member")
            .since("6.2.0")
            .does((context, args) -> search(context, args, Kind.SEARCH, false)),
        Command.named("geosearchstore")
            .arity(-8)
            .flags(WRITE, DENYOOM)
            .keys(1, 2, 1)
            .since("6.2.0")
            .summary("Store what GEOSEARCH finds")
            .does((context, args) -> search(context, args, Kind.SEARCH_STORE, true)),
        radius(
            "georadius", Kind.RADIUS, 6, "Find members around a point, and store them if wanted"),
        reading("georadius_ro", -6, "GEORADIUS that only reads")
            .since("3.2.10")
            .does((context, args) -> search(context, args, Kind.RADIUS, false)),
        radius(
            "georadiusbymember",
            Kind.RADIUS_BY_MEMBER,
            5,
            "Find members around another member, and store them if wanted"),
        reading("georadiusbymember_ro", -5, "GEORADIUSBYMEMBER that only reads")
            .since("3.2.10")
            .does((context, args) -> search(context, args, Kind.RADIUS_BY_MEMBER, false)));
  }

  private static Command reading(String name, int arity, String summary) {
    return Command.named(name).arity(arity).flags(READONLY).keys(1, 1, 1).summary(summary);
  }

  private static Command radius(String name, Kind kind, int firstOption, String summary) {
    return radius(name, kind, firstOption, summary, WRITE, DENYOOM)
        .reads(
            args -> radiusKeys(args, firstOption).length == 1,
            radius(name, kind, firstOption, summary, READONLY));
  }

  private static Command radius(
      String name, Kind kind, int firstOption, String summary, CommandFlag... flags) {
    return Command.named(name)
        .arity(-firstOption)
        .flags(flags)
        .keys(1, 1, 1)
        .keys(args -> radiusKeys(args, firstOption))
        .since("3.2.0")
        .summary(summary)
        .does((context, args) -> search(context, args, kind, true));
  }

  private static int[] radiusKeys(Args args, int firstOption) {
    int store = 0;
    int storeDistance = 0;
    for (int i = firstOption; i + 1 < args.count(); i++) {
      if (args.is(i, "STORE")) {
        store = ++i;
      } else if (args.is(i, "STOREDIST")) {
        storeDistance = ++i;
      }
    }
    // As in Redis, both where both are there, although the last one alone is written.
    return IntStream.of(1, store, storeDistance).filter(index -> index > 0).toArray();
  }

  private static void add(CommandContext context, Args args) {
    boolean onlyNew = false;
    boolean onlyExisting = false;
    boolean tellsChanged = false;
    int first = 2;
    for (; first < args.count(); first++) {
      if (args.is(first, "NX")) {
        onlyNew = true;
      } else if (args.is(first, "XX")) {
        onlyExisting = true;
      } else if (args.is(first, "CH")) {
        tellsChanged = true;
      } else {
        break;
      }
    }
    int left = args.count() - first;
    if (left == 0 || left % 3 != 0 || (onlyNew && onlyExisting)) {
      throw Arguments.SYNTAX_ERROR;
    }
    double[] scores = new double[left / 3];
    List<byte[]> members = new ArrayList<>(scores.length);
    for (int i = 0; i < scores.length; i++) {
      scores[i] = Geos.score(GeoSearchArguments.point(args, first + 3 * i));
      members.add(args.get(first + 3 * i + 2));
    }
    ZSets.Added added =
        ZSets.add(
            context.transaction(),
            context.database(),
            args.get(1),
            new ZAddCondition(onlyNew, onlyExisting, false, false),
            scores,
            members);
    context.reply().integer(added.added() + (tellsChanged ? added.updated() : 0));
  }

  private static void distance(CommandContext context, Args args) {
    double metersPerUnit = 1;
    if (args.count() == 5) {
      metersPerUnit = GeoSearchArguments.metersPerUnit(args, 4);
    } else if (args.count() > 5) {
      throw Arguments.SYNTAX_ERROR;
    }
    GeoPoint from = point(context, args, 2);
    GeoPoint to = point(context, args, 3);
    if (from == null || to == null) {
      context.reply().nullBulk();
    } else {
      context.reply().bulk(decimals(from.meters(to) / metersPerUnit));
    }
  }

  private static @Nullable GeoPoint point(CommandContext context, Args args, int member) {
    return Geos.point(context.transaction(), context.database(), args.get(1), args.get(member));
  }

  /**
   * A distance with four decimals, rounded as C's printf rounds: where it is halfway between two,
   * what the product leaves out says to which it is nearer, and if that is nothing, the even one is
   * taken.
   */
  static String decimals(double distance) {
    double product = distance * DISTANCE_SCALE;
    double leftOut = Math.fma(distance, DISTANCE_SCALE, -product);
    long rounded = (long) Math.rint(product);
    double above = product - rounded;
    if (above == 0.5 && leftOut > 0) {
      rounded++;
    } else if (above == -0.5 && leftOut < 0) {
      rounded--;
    }
    // With a digit before the decimals, so that these keep their zeroes.
    String decimals = Long.toString(DISTANCE_SCALE + rounded % DISTANCE_SCALE);
    return rounded / DISTANCE_SCALE + "." + decimals.substring(1);
  }

  private static void geohash(CommandContext context, Args args) {
    requireSortedSet(context, args);
    context.reply().array(args.count() - 2L);
    for (int i = 2; i < args.count(); i++) {
      MemberReply.bulk(
          context.reply(),
          Geos.geohash(context.transaction(), context.database(), args.get(1), args.get(i)));
    }
  }

  private static void requireSortedSet(CommandContext context, Args args) {
    context.transaction().find(context.database(), args.get(1), ValueType.ZSET);
  }

  private static void position(CommandContext context, Args args) {
    requireSortedSet(context, args);
    context.reply().array(args.count() - 2L);
    for (int i = 2; i < args.count(); i++) {
      GeoPoint point = point(context, args, i);
      if (point == null) {
        context.reply().nullArray();
      } else {
        point(context.reply(), point);
      }
    }
  }

  private static void point(RespEncoder reply, GeoPoint point) {
    reply.array(2);
    reply.decimal(point.longitude());
    reply.decimal(point.latitude());
  }

  private static void search(CommandContext context, Args args, Kind kind, boolean mayStore) {
    GeoSearchArguments asked = new GeoSearchArguments(context, args, kind, mayStore);
    List<Geos.Found> found =
        asked.isThere
            ? Geos.search(
                context.transaction(),
                context.database(),
                asked.key,
                asked.shape(),
                asked.order,
                asked.count,
                asked.isAny)
            : List.of();
    byte[] target = asked.target;
    if (target != null) {
      String event = kind == Kind.SEARCH_STORE ? "geosearchstore" : "georadiusstore";
      context
          .reply()
          .integer(
              Geos.store(
                  context.transaction(),
                  context.database(),
                  target,
                  found,
                  asked.storesDistance && asked.isThere ? asked.shape().center() : null,
                  asked.metersPerUnit,
                  event));
      return;
    }
    context.reply().array(found.size());
    for (Geos.Found one : found) {
      found(context.reply(), asked, one);
    }
  }

  private static void found(RespEncoder reply, GeoSearchArguments asked, Geos.Found one) {
    int more = (asked.withDistance ? 1 : 0) + (asked.withHash ? 1 : 0) + (asked.withPoint ? 1 : 0);
    if (more > 0) {
      reply.array(1 + more);
    }
    reply.bulk(one.member());
    if (asked.withDistance) {
      reply.bulk(decimals(one.meters() / asked.metersPerUnit));
    }
    if (asked.withHash) {
      reply.integer((long) one.score());
    }
    if (asked.withPoint) {
      point(reply, one.point());
    }
  }
}
