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

  /** About what one takes, without what it holds. */
  public static final int BYTES = 72;

  private final Body body;
  private final @Nullable Object[] held;

  /** The last walk that met it. */
  int mark;

  /** One that holds no values. */
  public Builtin(Body body) {
    this(body, Results.NONE);
  }

  /**
   * @param held the values that it has from whoever made it, which live as long as it does
   */
  public Builtin(Body body, @Nullable Object... held) {
    this.body = body;
    this.held = held;
  }

  @Nullable Object[] held() {
    return held;
  }

  @Override
  public @Nullable Object call(LuaState state, @Nullable Object[] arguments) {
    return body.call(new LuaArgs(state, arguments));
  }
}
