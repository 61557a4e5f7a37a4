package dev.varve.server.command.data;

import dev.varve.codec.DataException;
import dev.varve.codec.Keys;
import dev.varve.codec.geo.GeoPoint;
import dev.varve.codec.geo.GeoShape;
import dev.varve.codec.zset.Geos;
import dev.varve.server.command.Arguments;
import dev.varve.server.command.CommandContext;
import dev.varve.server.resp.Args;
import java.math.BigDecimal;
import java.math.RoundingMode;
import org.jspecify.annotations.Nullable;

/**
 * What the arguments of GEOSEARCH, GEORADIUS and their relatives ask for.
 *
 * <p>Read once, then used by one thread.
 */
final class GeoSearchArguments {
  private static final DataException ANY_NEEDS_COUNT =
      new DataException("ERR the ANY argument requires COUNT argument");
  private static final DataException COUNT_NOT_POSITIVE =
      new DataException("ERR COUNT must be > 0");
  private static final DataException NOT_A_RADIUS = new DataException("ERR need numeric radius");
  private static final DataException NOT_A_WIDTH = new DataException("ERR need numeric width");
  private static final DataException NOT_A_HEIGHT = new DataException("ERR need numeric height");
  private static final DataException NEGATIVE_RADIUS =
      new DataException("ERR radius cannot be negative");
  private static final DataException NEGATIVE_BOX =
      new DataException("ERR height or width cannot be negative");
  private static final DataException NO_SUCH_UNIT =
      new DataException("ERR unsupported unit provided. please use M, KM, FT, MI");
  private static final String STORE_HAS_NO_REPLY =
      " is not compatible with WITHDIST, WITHHASH and WITHCOORD options";

  /** Which command it is. */
  enum Kind {
    SEARCH,
    SEARCH_STORE,
    RADIUS,
    RADIUS_BY_MEMBER
  }

  final byte[] key;
  final boolean isThere;
  byte @Nullable [] target;
  boolean storesDistance;
  boolean withDistance;
  boolean withHash;
  boolean withPoint;
  boolean isAny;
  long count;
  Geos.Order order = Geos.Order.NONE;
  double metersPerUnit = 1;

  private final CommandContext context;
  private final Args args;
  private @Nullable GeoPoint center;
  private double width = -1;
  private double height = -1;
  private boolean isCircle = true;

  /** Whether a center was given, if only a member of a set that is not there. */
  private boolean hasCenter;

  /** Whether that was a place: of several of one kind the last counts, as in Redis. */
  private boolean isFromPoint;

  GeoSearchArguments(CommandContext context, Args args, Kind kind, boolean mayStore) {
    this.context = context;
    this.args = args;
    this.key = args.get(kind == Kind.SEARCH_STORE ? 2 : 1);
    this.isThere = Keys.exists(context.transaction(), context.database(), key);
    requireSortedSet();
    int first;
    switch (kind) {
      case RADIUS -> {
        center = point(args, 2);
        radius(4);
        first = 6;
      }
      case RADIUS_BY_MEMBER -> {
        if (isThere) {
          member(2);
          radius(3);
        }
        first = 5;
      }
      case SEARCH_STORE -> {
        target = args.get(1);
        first = 3;
      }
      default -> first = 2;
    }
    options(first, kind, mayStore);
    check(kind);
  }

  private void requireSortedSet() {
    context.transaction().find(context.database(), key, dev.varve.codec.format.ValueType.ZSET);
  }

  private void member(int index) {
    hasCenter = true;
    if (isThere) {
      center = Geos.requirePoint(context.transaction(), context.database(), key, args.get(index));
    }
  }

  private void options(int first, Kind kind, boolean mayStore) {
    boolean isSearch = kind == Kind.SEARCH || kind == Kind.SEARCH_STORE;
    for (int i = first; i < args.count(); i++) {
      int left = args.count() - i - 1;
      if (args.is(i, "WITHDIST")) {
        withDistance = true;
      } else if (args.is(i, "WITHHASH")) {
        withHash = true;
      } else if (args.is(i, "WITHCOORD")) {
        withPoint = true;
      } else if (args.is(i, "ANY")) {
        isAny = true;
      } else if (args.is(i, "ASC")) {
        order = Geos.Order.NEAREST_FIRST;
      } else if (args.is(i, "DESC")) {
        order = Geos.Order.FARTHEST_FIRST;
      } else if (args.is(i, "COUNT") && left >= 1) {
        count = Arguments.integer(args, ++i);
        if (count <= 0) {
          throw COUNT_NOT_POSITIVE;
        }
      } else if (!isSearch && mayStore && isStore(i) && left >= 1) {
        storesDistance = args.is(i, "STOREDIST");
        target = args.get(++i);
      } else if (isSearch && args.is(i, "FROMMEMBER") && left >= 1 && !isFromPoint) {
        member(++i);
      } else if (isSearch && args.is(i, "FROMLONLAT") && left >= 2 && mayBePoint()) {
        hasCenter = true;
        isFromPoint = true;
        center = point(args, i + 1);
        i += 2;
      } else if (isSearch && args.is(i, "BYRADIUS") && left >= 2 && isCircle) {
        radius(i + 1);
        i += 2;
      } else if (isSearch && args.is(i, "BYBOX") && left >= 3 && mayBeBox()) {
        box(i + 1);
        i += 3;
      } else if (kind == Kind.SEARCH_STORE && args.is(i, "STOREDIST")) {
        storesDistance = true;
      } else {
        throw Arguments.SYNTAX_ERROR;
      }
    }
  }

  private boolean mayBePoint() {
    return !hasCenter || isFromPoint;
  }

  private boolean mayBeBox() {
    return width < 0 || !isCircle;
  }

  private boolean isStore(int index) {
    return args.is(index, "STORE") || args.is(index, "STOREDIST");
  }

  private void check(Kind kind) {
    boolean isSearch = kind == Kind.SEARCH || kind == Kind.SEARCH_STORE;
    if (target != null && (withDistance || withHash || withPoint)) {
      throw new DataException(
          "ERR "
              + (isSearch ? "GEOSEARCHSTORE" : "STORE option in GEORADIUS")
              + STORE_HAS_NO_REPLY);
    }
    if (isSearch && !hasCenter) {
      throw exactlyOne("FROMMEMBER or FROMLONLAT");
    }
    if (isSearch && width < 0) {
      throw exactlyOne("BYRADIUS and BYBOX");
    }
    if (isAny && count == 0) {
      throw ANY_NEEDS_COUNT;
    }
    if (count > 0 && order == Geos.Order.NONE && !isAny) {
      order = Geos.Order.NEAREST_FIRST;
    }
  }

  private DataException exactlyOne(String options) {
    return new DataException(
        "ERR exactly one of " + options + " can be specified for " + args.text(0));
  }

  /** What to search; only where the key is there. */
  GeoShape shape() {
    GeoPoint its = center;
    if (its == null) {
      throw new IllegalStateException("no center to search around");
    }
    double meters = width * metersPerUnit;
    return isCircle
        ? GeoShape.circle(its, meters)
        : GeoShape.box(its, meters, height * metersPerUnit);
  }

  private void radius(int index) {
    width = Arguments.real(args, index, NOT_A_RADIUS);
    if (width < 0) {
      throw NEGATIVE_RADIUS;
    }
    metersPerUnit = metersPerUnit(args, index + 1);
  }

  private void box(int index) {
    isCircle = false;
    width = Arguments.real(args, index, NOT_A_WIDTH);
    height = Arguments.real(args, index + 1, NOT_A_HEIGHT);
    if (width < 0 || height < 0) {
      throw NEGATIVE_BOX;
    }
    metersPerUnit = metersPerUnit(args, index + 2);
  }

  /** The place that two arguments give, longitude first. */
  static GeoPoint point(Args args, int index) {
    GeoPoint point = new GeoPoint(Arguments.real(args, index), Arguments.real(args, index + 1));
    if (!point.isOnTheMap()) {
      throw new DataException(
          "ERR invalid longitude,latitude pair "
              + decimals(point.longitude())
              + ','
              + decimals(point.latitude()));
    }
    return point;
  }

  /** All digits that the number has, as C prints them. */
  private static String decimals(double number) {
    if (Double.isInfinite(number)) {
      return number < 0 ? "-inf" : "inf";
    }
    BigDecimal size = new BigDecimal(Math.abs(number)).setScale(6, RoundingMode.HALF_EVEN);
    // C keeps the sign of what is zero or rounded to it.
    return (Math.copySign(1, number) < 0 ? "-" : "") + size.toPlainString();
  }

  /** How long the unit is that an argument names. */
  static double metersPerUnit(Args args, int index) {
    if (args.is(index, "M")) {
      return 1;
    }
    if (args.is(index, "KM")) {
      return 1000;
    }
    if (args.is(index, "FT")) {
      return 0.3048;
    }
    if (args.is(index, "MI")) {
      return 1609.34;
    }
    throw NO_SUCH_UNIT;
  }
}
