package dev.varve.server.lua;

import dev.varve.server.lua.lib.ScriptRandom;
import dev.varve.server.lua.run.Builtin;
import dev.varve.server.lua.run.LuaError;
import dev.varve.server.lua.run.LuaFunction;
import dev.varve.server.lua.run.LuaLimits;
import dev.varve.server.lua.run.LuaState;
import dev.varve.server.lua.run.ScriptKilledException;
import dev.varve.server.lua.run.ScriptRoom;
import dev.varve.server.lua.syntax.SyntaxException;
import dev.varve.server.lua.value.LuaString;
import dev.varve.server.lua.value.LuaTable;
import org.jspecify.annotations.Nullable;

/**
 * An interpreter with Redis's libraries and sandbox: globals that cannot be written, and no way
 * out.
 *
 * <p>One thread at a time.
 */
public final class ScriptEngine {
  private static final LuaString KEYS = LuaString.of("KEYS");
  private static final LuaString ARGV = LuaString.of("ARGV");
  private static final Object[] NO_ARGUMENTS = {};

  private final Sandbox sandbox;
  private final LuaState state;

  /** What is in the place of a script's lists while none runs. */
  private final LuaTable none;

  /**
   * @param watch asked every so often while a script runs; throws {@link ScriptKilledException} to
   *     end it
   * @param random the numbers that scripts take for random
   */
  public ScriptEngine(LuaLimits limits, Runnable watch, ScriptHost host, ScriptRandom random) {
    this(new LuaState(limits, watch), host, random);
  }

  /** One that shares its memory with others. */
  public ScriptEngine(
      LuaLimits limits, ScriptRoom room, Runnable watch, ScriptHost host, ScriptRandom random) {
    this(new LuaState(limits, room, watch), host, random);
  }

  private ScriptEngine(LuaState state, ScriptHost host, ScriptRandom random) {
    this.sandbox = new Sandbox(state, host, random);
    this.state = state;
    LuaTable globals = state.globals();
    globals.put(LuaString.of("__redis__err__handler"), new Builtin(args -> args.get(1)));
    sandbox.guard(globals);
    this.none = new LuaTable(state);
    forgetArguments();
    sandbox.protect();
  }

  public LuaState state() {
    return state;
  }

  /**
   * Compiles a script.
   *
   * @param chunkName as messages show it, with a {@code @} in front: {@code @user_script}
   * @throws SyntaxException with Lua's message, when it is not Lua
   */
  public LuaFunction compile(byte[] source, String chunkName) throws SyntaxException {
    return state.compile(source, chunkName);
  }

  /**
   * Runs a script from the start. Returns what it returns (of several values the first). A script
   * that ended by what the host threw has taken no random numbers: run again, it gets the same.
   * Throws {@link LuaError} when it fails, {@link ScriptKilledException} when the watch ended it,
   * and whatever the host throws.
   */
  public @Nullable Object run(LuaFunction script, byte[][] keys, byte[][] arguments) {
    try {
      return sandbox.run(
          script,
          () -> {
            state.globals().put(KEYS, sandbox.list(keys));
            state.globals().put(ARGV, sandbox.list(arguments));
            return NO_ARGUMENTS;
          });
    } finally {
      // The next script may be long in coming, and these be large.
      forgetArguments();
    }
  }

  private void forgetArguments() {
    state.globals().put(KEYS, none);
    state.globals().put(ARGV, none);
  }
}
