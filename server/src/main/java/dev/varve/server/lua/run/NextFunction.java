package dev.varve.server.lua.run;

import dev.varve.server.lua.value.LuaTable;
import org.jspecify.annotations.Nullable;

/** The builtin {@code next}, which a loop knows and goes through the table without. */
public final class NextFunction extends LuaFunction {
  public static final NextFunction INSTANCE = new NextFunction();

  private NextFunction() {}

  @Override
  public @Nullable Object call(LuaState state, @Nullable Object[] arguments) {
    LuaTable table = new LuaArgs(state, arguments).table(1);
    Object key = arguments.length > 1 ? arguments[1] : null;
    int from = 0;
    if (key != null) {
      int at = table.positionOf(key);
      if (at < 0) {
        throw state.raise(null, "invalid key to 'next'");
      }
      from = at + 1;
    }
    int next = table.position(from);
    return next < 0 ? null : Results.of(table.keyAt(next), table.valueAt(next));
  }
}
