package dev.varve.server.lua.run;

import dev.varve.server.lua.value.LuaString;
import dev.varve.server.lua.value.LuaTable;
import org.jspecify.annotations.Nullable;

/** Constants and variables. */
final class VariableNodes {
  private VariableNodes() {}

  /** A nil, a boolean, a number or a string. */
  static final class Constant extends Expr {
    private final @Nullable Object value;

    Constant(@Nullable Object value) {
      super(0);
      this.value = value;
    }

    @Override
    @Nullable Object eval(Frame frame) {
      return value;
    }

    @Override
    @Nullable Object constant() {
      return value;
    }
  }

  /** A variable with a name for messages. */
  abstract static class Named extends Expr {
    private final String name;

    Named(String name, int line) {
      super(line);
      this.name = name;
    }

    @Override
    String name() {
      return name;
    }
  }

  /** A variable in a slot of the frame. */
  static final class Local extends Named {
    final int slot;

    Local(String name, int slot) {
      super(name, 0);
      this.slot = slot;
    }

    @Override
    @Nullable Object eval(Frame frame) {
      return frame.slots[slot];
    }

    @Override
    String kind() {
      return "local";
    }
  }

  /** A variable in a cell, which inner functions share. */
  static final class CellLocal extends Named {
    private final int slot;

    CellLocal(String name, int slot) {
      super(name, 0);
      this.slot = slot;
    }

    @Override
    @Nullable Object eval(Frame frame) {
      return cell(frame, slot).value;
    }

    @Override
    String kind() {
      return "local";
    }
  }

  static Cell cell(Frame frame, int slot) {
    Object value = frame.slots[slot];
    if (value instanceof Cell cell) {
      return cell;
    }
    throw new IllegalStateException("no cell in slot " + slot);
  }

  /** A variable of a function around this one. */
  static final class Upvalue extends Named {
    private final int index;

    Upvalue(String name, int index) {
      super(name, 0);
      this.index = index;
    }

    @Override
    @Nullable Object eval(Frame frame) {
      return frame.upvalues[index].value;
    }

    @Override
    String kind() {
      return "upvalue";
    }
  }

  /** A global variable. */
  static final class Global extends Named {
    private final LuaString key;

    Global(LuaString key, int line) {
      super(key.toString(), line);
      this.key = key;
    }

    @Override
    @Nullable Object eval(Frame frame) {
      LuaTable globals = frame.state.globals();
      Object value = globals.get(key);
      if (value == null && globals.metatable() != null) {
        return Operations.index(frame.state, this, null, globals, key);
      }
      return value;
    }

    @Override
    String kind() {
      return "global";
    }
  }

  /** The arguments beyond the parameters. */
  static final class Varargs extends Expr {
    Varargs() {
      super(0);
    }

    @Override
    @Nullable Object eval(Frame frame) {
      return frame.varargs.length == 0 ? null : frame.varargs[0];
    }

    @Override
    Object evalAll(Frame frame) {
      return frame.varargs;
    }

    @Override
    boolean isMultiple() {
      return true;
    }
  }

  /** Exactly one value of what may have several; otherwise as the one within. */
  static final class Single extends Expr {
    private final Expr inner;

    Single(Expr inner) {
      super(inner.line);
      this.inner = inner;
    }

    @Override
    @Nullable Object eval(Frame frame) {
      return inner.eval(frame);
    }
  }

  /** A function that is made where it stands. */
  static final class Closure extends Expr {
    private final FunctionCode code;

    Closure(FunctionCode code) {
      super(0);
      this.code = code;
    }

    @Override
    Object eval(Frame frame) {
      FunctionCode.CaptureFrom[] captures = code.captures();
      frame.state.charge(LuaClosure.bytes(captures.length) + (long) Cell.BYTES * captures.length);
      Cell[] cells = new Cell[captures.length];
      for (int i = 0; i < cells.length; i++) {
        int slot = captures[i].slot();
        cells[i] = slot >= 0 ? cell(frame, slot) : frame.upvalues[captures[i].upvalue()];
      }
      return new LuaClosure(code, cells);
    }
  }
}
