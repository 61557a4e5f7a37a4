package dev.varve.server.lua.run;

import org.jspecify.annotations.Nullable;

/** What calls give back: one value as it is, or an array of none or several. */
public final class Results {
  /** No value at all. */
  public static final @Nullable Object[] NONE = new Object[0];

  /** One nil, where null would say something else. */
  static final @Nullable Object[] NIL = new Object[1];

  private Results() {}

  public static @Nullable Object[] of(@Nullable Object... values) {
    return values;
  }

  /** The first value of a result; nil where there is none. */
  public static @Nullable Object first(@Nullable Object result) {
    if (result instanceof Object[] values) {
      return values.length == 0 ? null : values[0];
    }
    return result;
  }

  /** All values of a result, in an array that is not to be written to. */
  public static @Nullable Object[] all(@Nullable Object result) {
    return result instanceof Object[] values ? values : new Object[] {result};
  }
}
