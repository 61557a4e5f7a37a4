package dev.varve.server.lua.lib;

import dev.varve.server.lua.run.Builtin;
import dev.varve.server.lua.run.LuaState;
import dev.varve.server.lua.value.LuaString;
import dev.varve.server.lua.value.LuaTable;

/**
 * A table of builtins, filled one after the other.
 *
 * <p>Used by the thread that has the state.
 */
public final class Library {
  private final LuaTable table;

  private Library(LuaTable table) {
    this.table = table;
  }

  /** A new table of the state's globals with room for so many builtins. */
  public static Library named(LuaState state, String name, int size) {
    LuaTable table = new LuaTable(state, 0, size);
    state.globals().put(LuaString.of(name), table);
    return new Library(table);
  }

  /** A table that is there. */
  public static Library in(LuaTable table) {
    return new Library(table);
  }

  public Library add(String name, Builtin.Body body) {
    return set(name, new Builtin(body));
  }

  public Library set(String name, Object value) {
    table.put(LuaString.of(name), value);
    return this;
  }

  /* Redis takes some away again, and their places in the table stay: scripts see its order. */
  Library leaveOut(String name) {
    table.put(LuaString.of(name), null);
    return this;
  }

  public LuaTable table() {
    return table;
  }
}
