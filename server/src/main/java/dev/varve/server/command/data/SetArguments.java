package dev.varve.server.command.data;

import dev.varve.codec.Meta;
import dev.varve.codec.string.SetOptions;
import dev.varve.server.command.Arguments;
import dev.varve.server.command.CommandContext;
import dev.varve.server.resp.Args;
import org.jspecify.annotations.Nullable;

/**
 * What SET and MSETEX are asked behind what they set.
 *
 * <p>Immutable, any thread.
 *
 * @param options the condition, and the expiry
 * @param comparison what the value before has to be, or null if that does not matter
 * @param gets whether the value before is wanted
 */
record SetArguments(SetOptions options, SetOptions.@Nullable Comparison comparison, boolean gets) {

  /** Whether the keys get an expiry. */
  boolean expires() {
    return options.expiryMillis() != Meta.NO_EXPIRY;
  }

  /** Of SET, from argument {@code from} on. */
  static SetArguments ofOne(CommandContext context, Args args, int from) {
    return read(context, args, from, true);
  }

  /** Of MSETEX, where the value before is neither compared nor given. */
  static SetArguments ofMany(CommandContext context, Args args, int from) {
    return read(context, args, from, false);
  }

  private static SetArguments read(CommandContext context, Args args, int from, boolean isOne) {
    SetOptions.Condition condition = SetOptions.Condition.ALWAYS;
    SetOptions.Comparison comparison = null;
    ExpiryArgument unit = null;
    int momentAt = 0;
    boolean keepsExpiry = false;
    boolean gets = false;
    for (int i = from; i < args.count(); i++) {
      ExpiryArgument named = ExpiryArgument.named(args, i);
      boolean hasNext = i + 1 < args.count();
      boolean isAlways = condition == SetOptions.Condition.ALWAYS;
      if (args.is(i, "NX") && condition != SetOptions.Condition.IF_PRESENT && comparison == null) {
        condition = SetOptions.Condition.IF_ABSENT;
      } else if (args.is(i, "XX")
          && condition != SetOptions.Condition.IF_ABSENT
          && comparison == null) {
        condition = SetOptions.Condition.IF_PRESENT;
      } else if (isOne && hasNext && isAlways && comparison == null && isComparison(args, i)) {
        comparison = comparison(args, i++);
      } else if (isOne && args.is(i, "GET")) {
        gets = true;
      } else if (args.is(i, "KEEPTTL") && unit == null) {
        keepsExpiry = true;
      } else if (named != null && (unit == null || unit == named) && !keepsExpiry && hasNext) {
        unit = named;
        momentAt = ++i;
      } else {
        throw Arguments.SYNTAX_ERROR;
      }
    }
    long expiryMillis = unit == null ? Meta.NO_EXPIRY : unit.positive(context, args, momentAt);
    return new SetArguments(new SetOptions(condition, expiryMillis, keepsExpiry), comparison, gets);
  }

  /** Whether argument {@code index} is IFEQ or IFNE, which a value follows. */
  static boolean isComparison(Args args, int index) {
    return args.is(index, "IFEQ") || args.is(index, "IFNE");
  }

  /** What IFEQ or IFNE at {@code index} and the value behind it say. */
  static SetOptions.Comparison comparison(Args args, int index) {
    return new SetOptions.Comparison(args.is(index, "IFEQ"), args.get(index + 1));
  }
}
