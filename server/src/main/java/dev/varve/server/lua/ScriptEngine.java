package dev.varve.server.lua;

import dev.varve.server.lua.lib.BaseLibrary;
import dev.varve.server.lua.lib.BitLibrary;
import dev.varve.server.lua.lib.CoroutineLibrary;
import dev.varve.server.lua.lib.JsonLibrary;
import dev.varve.server.lua.lib.MathLibrary;
import dev.varve.server.lua.lib.MessagePackLibrary;
import dev.varve.server.lua.lib.ScriptRandom;
import dev.varve.server.lua.lib.StringLibrary;
import dev.varve.server.lua.lib.StructLibrary;
import dev.varve.server.lua.lib.TableLibrary;
import dev.varve.server.lua.run.Builtin;
import dev.varve.server.lua.run.LuaError;
import dev.varve.server.lua.run.LuaFunction;
import dev.varve.server.lua.run.LuaLimits;
import dev.varve.server.lua.run.LuaState;
import dev.varve.server.lua.run.Results;
import dev.varve.server.lua.run.ScriptKilledException;
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
  private static final LuaString DEBUG = LuaString.of("debug");

  private final LuaState state;
  private final ScriptRandom random = new ScriptRandom();

  /**
   * @param watch asked every so often while a script runs; throws {@link ScriptKilledException} to
   *     end it
   */
  public ScriptEngine(LuaLimits limits, Runnable watch, ScriptHost host) {
    this.state = new LuaState(limits, watch);
    BaseLibrary.register(state);
    CoroutineLibrary.register(state);
    TableLibrary.register(state);
    StringLibrary.register(state);
    MathLibrary.register(state, random);
    // Redis has the library debug for a moment; its place in the table stays.
    state.globals().put(DEBUG, Boolean.TRUE);
    JsonLibrary.register(state);
    StructLibrary.register(state);
    MessagePackLibrary.register(state);
    BitLibrary.register(state);
    RedisLibrary.register(state, host);
    state.globals().put(DEBUG, null);
    state.globals().put(LuaString.of("__redis__err__handler"), new Builtin(args -> args.get(1)));
    LuaTable guard = new LuaTable(state, 0, 1);
    guard.put(LuaString.of("__index"), new Builtin(RedisLibrary::unknownGlobal));
    state.globals().setMetatable(guard);
    state.globals().put(KEYS, new LuaTable(state));
    state.globals().put(ARGV, new LuaTable(state));
    protect(state.globals());
    if (state.stringMetatable() != null) {
      protect(state.stringMetatable());
    }
  }

  /** Nothing that can be reached from here is written to again. */
  private static void protect(LuaTable table) {
    if (table.isReadOnly()) {
      return;
    }
    table.setReadOnly(true);
    if (table.metatable() != null) {
      protect(table.metatable());
    }
    for (int at = table.position(0); at >= 0; at = table.position(at + 1)) {
      if (table.valueAt(at) instanceof LuaTable inner) {
        protect(inner);
      }
    }
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
    long position = random.position();
    boolean unwound = true;
    try {
      state.globals().put(KEYS, list(keys));
      state.globals().put(ARGV, list(arguments));
      Object result = Results.first(state.run(script));
      unwound = false;
      return result;
    } catch (LuaError | ScriptKilledException ended) {
      unwound = false;
      throw ended;
    } finally {
      if (unwound) {
        random.setPosition(position);
      }
    }
  }

  private LuaTable list(byte[][] values) {
    LuaTable list = state.newTable(values.length, 0);
    for (int i = 0; i < values.length; i++) {
      state.chargeString(values[i].length);
      list.put(i + 1, LuaString.wrap(values[i]));
    }
    return list;
  }
}
