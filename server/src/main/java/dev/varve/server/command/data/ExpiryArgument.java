package dev.varve.server.command.data;

import dev.varve.codec.DataException;
import dev.varve.codec.Meta;
import dev.varve.server.command.Arguments;
import dev.varve.server.command.CommandContext;
import dev.varve.server.resp.Args;
import org.jspecify.annotations.Nullable;

/**
 * The moments that SET, GETEX and EXPIRE are given, in their four units.
 *
 * <p>Immutable, any thread.
 */
enum ExpiryArgument {
  EX(1000, true),
  PX(1, true),
  EXAT(1000, false),
  PXAT(1, false);

  private static final ExpiryArgument[] ALL = values();

  private final int millisPerUnit;
  private final boolean fromNow;

  ExpiryArgument(int millisPerUnit, boolean fromNow) {
    this.millisPerUnit = millisPerUnit;
    this.fromNow = fromNow;
  }

  /** The unit that argument {@code index} names, or null if it names none. */
  static @Nullable ExpiryArgument named(Args args, int index) {
    for (ExpiryArgument argument : ALL) {
      if (args.is(index, argument.name())) {
        return argument;
      }
    }
    return null;
  }

  /**
   * The moment that argument {@code index} gives, which must be above zero, in ms since 1970.
   *
   * @throws DataException NOT_AN_INTEGER, or "ERR invalid expire time in '…' command"
   */
  long positive(CommandContext context, Args args, int index) {
    long given = Arguments.integer(args, index);
    if (given <= 0 || given > Long.MAX_VALUE / millisPerUnit) {
      throw invalid(context);
    }
    return moment(context, given * millisPerUnit);
  }

  /**
   * The moment that argument {@code index} gives, past ones too, in ms since 1970.
   *
   * @throws DataException NOT_AN_INTEGER, or "ERR invalid expire time in '…' command"
   */
  long any(CommandContext context, Args args, int index) {
    long given = Arguments.integer(args, index);
    if (given > Long.MAX_VALUE / millisPerUnit || given < Long.MIN_VALUE / millisPerUnit) {
      throw invalid(context);
    }
    return moment(context, given * millisPerUnit);
  }

  private long moment(CommandContext context, long millis) {
    long base = fromNow ? context.nowMillis() : 0;
    if (millis > Long.MAX_VALUE - base) {
      throw invalid(context);
    }
    // The last moment of all stands for no expiry.
    return Math.min(millis + base, Meta.NO_EXPIRY - 1);
  }

  private static DataException invalid(CommandContext context) {
    return new DataException(
        "ERR invalid expire time in '" + context.command().fullName() + "' command");
  }
}
