package dev.varve.server.lua.run;

import org.jspecify.annotations.Nullable;

/** What can be called: written in Lua, or a builtin. */
public abstract class LuaFunction {
  /** The result of a call; see {@link Results}. */
  public abstract @Nullable Object call(LuaState state, @Nullable Object[] arguments);

  public @Nullable Object call(LuaState state) {
    return call(state, Results.NONE);
  }

  public @Nullable Object call(LuaState state, @Nullable Object first) {
    return call(state, new Object[] {first});
  }

  public @Nullable Object call(LuaState state, @Nullable Object first, @Nullable Object second) {
    return call(state, new Object[] {first, second});
  }

  public @Nullable Object call(
      LuaState state, @Nullable Object first, @Nullable Object second, @Nullable Object third) {
    return call(state, new Object[] {first, second, third});
  }

  /** Whether it is written in Java. */
  public final boolean isBuiltin() {
    return !(this instanceof LuaClosure);
  }
}
