package dev.varve.server.lua;

import dev.varve.server.lua.run.LuaError;
import dev.varve.server.lua.run.Operations;
import dev.varve.server.lua.value.LuaString;
import dev.varve.server.lua.value.LuaTable;
import org.jspecify.annotations.Nullable;

/**
 * What a client is told of a script that failed.
 *
 * <p>Pure functions, any thread.
 */
public final class ScriptFailure {
  private static final LuaString ERR = LuaString.of("err");

  private ScriptFailure() {}

  /**
   * The error reply without the minus sign: its code, its text, which script it was and where it
   * stopped.
   *
   * @param script the digest of the script, or the name of the function
   */
  public static String text(LuaError error, String script) {
    return message(error)
        + " script: "
        + script
        + ", on "
        + error.source()
        + ":"
        + error.line()
        + ".";
  }

  /** Its code and text alone. */
  static String message(LuaError error) {
    if (error.value() instanceof LuaTable table) {
      Object text = table.get(ERR);
      return text instanceof LuaString || text instanceof Double
          ? shown(text)
          : "ERR unknown error";
    }
    return "ERR " + shown(error.value());
  }

  private static String shown(@Nullable Object value) {
    return Operations.text(value).untilZero().toString();
  }
}
