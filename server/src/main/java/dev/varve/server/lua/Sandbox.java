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
import dev.varve.server.lua.run.LuaState;
import dev.varve.server.lua.run.Results;
import dev.varve.server.lua.run.ScriptKilledException;
import dev.varve.server.lua.value.LuaString;
import dev.varve.server.lua.value.LuaTable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An interpreter with Redis's libraries, whose tables cannot be written.
 *
 * <p>One thread at a time.
 */
final class Sandbox {
  private static final LuaString DEBUG = LuaString.of("debug");
  private static final LuaString INDEX = LuaString.of("__index");

  private final LuaState state;
  private final ScriptRandom random;

  Sandbox(LuaState state, ScriptHost host, ScriptRandom random) {
    this.state = state;
    this.random = random;
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
  }

  LuaState state() {
    return state;
  }

  /** Lets no name be asked for that is not in this table. */
  void guard(LuaTable table) {
    LuaTable guard = new LuaTable(state, 0, 1);
    guard.put(INDEX, new Builtin(RedisLibrary::unknownGlobal));
    table.setMetatable(guard);
  }

  /** From here on the globals and what all strings have in common are as they are. */
  void protect() {
    state.begin();
    protect(state.globals());
    if (state.stringMetatable() != null) {
      protect(state.stringMetatable());
    }
  }

  /** Nothing that can be reached from here is written to again. */
  static void protect(LuaTable table) {
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

  /**
   * Calls a function as the outermost one; of several results the first. What ends by something
   * that is none of Lua's has taken no random numbers: run again, it gets the same.
   *
   * @param arguments made when the run has begun
   */
  @Nullable Object run(LuaFunction function, Supplier<@Nullable Object[]> arguments) {
    long position = random.position();
    boolean unwound = true;
    try {
      Object result = Results.first(state.run(function, made(arguments)));
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

  private @Nullable Object[] made(Supplier<@Nullable Object[]> arguments) {
    boolean begun = state.beginMaking();
    try {
      return arguments.get();
    } finally {
      state.endMaking(begun);
    }
  }

  LuaTable list(byte[][] values) {
    LuaTable list = state.newTable(values.length, 0);
    for (int i = 0; i < values.length; i++) {
      state.chargeString(values[i].length);
      list.put(i + 1, LuaString.wrap(values[i]));
    }
    return list;
  }
}
