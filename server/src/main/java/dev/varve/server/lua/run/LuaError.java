package dev.varve.server.lua.run;

import dev.varve.server.lua.value.LuaString;
import org.jspecify.annotations.Nullable;

/** An error of Lua: any value, and where the running function was when it was raised. */
public final class LuaError extends RuntimeException {
  private final transient @Nullable Object value;
  private final String source;
  private final int line;

  LuaError(@Nullable Object value, String source, int line) {
    super(null, null, false, false);
    this.value = value;
    this.source = source;
    this.line = line;
  }

  public @Nullable Object value() {
    return value;
  }

  /** The name of the chunk, as it was compiled with; {@code =[C]} for a builtin. */
  public String source() {
    return source;
  }

  /** The line in that chunk; -1 where there is none. */
  public int line() {
    return line;
  }

  @Override
  public String getMessage() {
    return value instanceof LuaString || value instanceof Double
        ? Operations.text(value).toString()
        : "an error of type " + Operations.typeName(value);
  }
}
