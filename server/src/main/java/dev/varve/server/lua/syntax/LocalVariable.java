package dev.varve.server.lua.syntax;

import dev.varve.server.lua.value.LuaString;

/** A local variable: its slot in the frame, and whether an inner function uses it too. */
public final class LocalVariable {
  private final LuaString name;
  private final int slot;
  private boolean captured;

  LocalVariable(LuaString name, int slot) {
    this.name = name;
    this.slot = slot;
  }

  public String name() {
    return name.toString();
  }

  LuaString nameText() {
    return name;
  }

  public int slot() {
    return slot;
  }

  /** Whether it lives in a cell of its own, which outlives the frame. */
  public boolean isCaptured() {
    return captured;
  }

  void capture() {
    captured = true;
  }
}
