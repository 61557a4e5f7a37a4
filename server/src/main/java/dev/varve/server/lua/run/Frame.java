package dev.varve.server.lua.run;

import org.jspecify.annotations.Nullable;

/** One activation of a function; of a builtin only while it calls back into Lua. */
final class Frame {
  final LuaState state;
  final @Nullable Frame caller;

  /** Null for a builtin. */
  final @Nullable LuaClosure function;

  final @Nullable Object[] slots;
  final Cell[] upvalues;
  @Nullable Object[] varargs = Results.NONE;

  /** The last node that called or failed. */
  @Nullable Node at;

  /** How many activations this one took the place of. */
  int tailCalls;

  private static final Cell[] NO_CELLS = new Cell[0];

  Frame(LuaState state, @Nullable Frame caller, LuaClosure function, int slots) {
    this.state = state;
    this.caller = caller;
    this.function = function;
    this.slots = new Object[slots];
    this.upvalues = function.upvalues;
  }

  /** Of a builtin. */
  Frame(LuaState state, @Nullable Frame caller) {
    this.state = state;
    this.caller = caller;
    this.function = null;
    this.slots = Results.NONE;
    this.upvalues = NO_CELLS;
  }

  int line() {
    Node node = at;
    if (node != null) {
      return node.line;
    }
    return function == null ? 0 : Math.max(1, function.code.line());
  }
}
