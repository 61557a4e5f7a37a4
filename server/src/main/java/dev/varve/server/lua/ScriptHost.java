package dev.varve.server.lua;

import dev.varve.server.lua.run.LuaState;
import dev.varve.server.lua.value.LuaString;
import org.jspecify.annotations.Nullable;

/** What a script asks of the server that runs it. Called on whatever thread the script is on. */
public interface ScriptHost {
  /**
   * Runs a command. Returns its reply as a value of Lua, made in the state; an error is one made by
   * {@link RedisLibrary#error}, never thrown. What is thrown ends the script, whatever it catches.
   *
   * @param arguments the name of the command and its arguments, one at least
   */
  @Nullable Object call(LuaState state, byte[][] arguments);

  /** Writes to the server's log; the level is one of 0 (debug) to 3 (warning). */
  void log(int level, LuaString message);

  /** From the next command on, replies are converted as those of RESP 2 or 3. */
  void setResp(int version);

  /**
   * Whether the client that runs the script may run a command, and touch the keys in it. Null when
   * there is no such command.
   */
  @Nullable Boolean mayRun(byte[][] arguments);
}
