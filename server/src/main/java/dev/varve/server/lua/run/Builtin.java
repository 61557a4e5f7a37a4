package dev.varve.server.lua.run;

import org.jspecify.annotations.Nullable;

/** A function written in Java. */
public final class Builtin extends LuaFunction {
  /** What it does. */
  @FunctionalInterface
  public interface Body {
    /** The result, as {@link Results} has it. */
    @Nullable Object call(LuaArgs args);
  }

  private final Body body;

  public Builtin(Body body) {
    this.body = body;
  }

  @Override
  public @Nullable Object call(LuaState state, @Nullable Object[] arguments) {
    return body.call(new LuaArgs(state, arguments));
  }
}
