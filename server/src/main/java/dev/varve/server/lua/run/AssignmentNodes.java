package dev.varve.server.lua.run;

import dev.varve.server.lua.value.LuaString;
import dev.varve.server.lua.value.LuaTable;
import org.jspecify.annotations.Nullable;

/** Writing to variables and fields. */
final class AssignmentNodes {
  private AssignmentNodes() {}

  /** Where a value can be put. */
  interface Target {
    /** Evaluates the table and the key where there are any, into two places. */
    default void prepare(Frame frame, @Nullable Object[] places, int at) {}

    void store(Frame frame, @Nullable Object[] places, int at, @Nullable Object value);
  }

  /** local = value. */
  static final class SetLocal extends Stmt implements Target {
    private final int slot;
    private final Expr value;

    SetLocal(int slot, Expr value) {
      super(value.line);
      this.slot = slot;
      this.value = value;
    }

    @Override
    @Nullable Object exec(Frame frame) {
      frame.slots[slot] = value.eval(frame);
      return null;
    }

    @Override
    public void store(Frame frame, @Nullable Object[] places, int at, @Nullable Object stored) {
      frame.slots[slot] = stored;
    }
  }

  /** A captured local = value. */
  static final class SetCell extends Stmt implements Target {
    private final int slot;
    private final Expr value;

    SetCell(int slot, Expr value) {
      super(value.line);
      this.slot = slot;
      this.value = value;
    }

    @Override
    @Nullable Object exec(Frame frame) {
      VariableNodes.cell(frame, slot).value = value.eval(frame);
      return null;
    }

    @Override
    public void store(Frame frame, @Nullable Object[] places, int at, @Nullable Object stored) {
      VariableNodes.cell(frame, slot).value = stored;
    }
  }

  /** local captured = value, the variable being new. */
  static final class NewCell extends Stmt implements Target {
    private final int slot;
    private final Expr value;

    NewCell(int slot, Expr value) {
      super(value.line);
      this.slot = slot;
      this.value = value;
    }

    @Override
    @Nullable Object exec(Frame frame) {
      frame.slots[slot] = new Cell(frame.state, value.eval(frame));
      return null;
    }

    @Override
    public void store(Frame frame, @Nullable Object[] places, int at, @Nullable Object stored) {
      frame.slots[slot] = new Cell(frame.state, stored);
    }
  }

  /** local function captured: the function sees the variable that it is put in. */
  static final class NewFunctionCell extends Stmt {
    private final int slot;
    private final Expr function;

    NewFunctionCell(int slot, Expr function) {
      super(0);
      this.slot = slot;
      this.function = function;
    }

    @Override
    @Nullable Object exec(Frame frame) {
      Cell cell = new Cell(frame.state, null);
      frame.slots[slot] = cell;
      cell.value = function.eval(frame);
      return null;
    }
  }

  /** upvalue = value. */
  static final class SetUpvalue extends Stmt implements Target {
    private final int index;
    private final Expr value;

    SetUpvalue(int index, Expr value) {
      super(value.line);
      this.index = index;
      this.value = value;
    }

    @Override
    @Nullable Object exec(Frame frame) {
      frame.upvalues[index].change(frame.state, value.eval(frame));
      return null;
    }

    @Override
    public void store(Frame frame, @Nullable Object[] places, int at, @Nullable Object stored) {
      frame.upvalues[index].change(frame.state, stored);
    }
  }

  /** global = value. */
  static final class SetGlobal extends Stmt implements Target {
    private final LuaString key;
    private final Expr value;

    SetGlobal(LuaString key, Expr value, int line) {
      super(line);
      this.key = key;
      this.value = value;
    }

    @Override
    @Nullable Object exec(Frame frame) {
      Object stored = value.eval(frame);
      Operations.setIndex(frame.state, this, null, frame.state.globals(), key, stored);
      return null;
    }

    @Override
    public void store(Frame frame, @Nullable Object[] places, int at, @Nullable Object stored) {
      Operations.setIndex(frame.state, this, null, frame.state.globals(), key, stored);
    }
  }

  /** table[key] = value. */
  static final class SetIndex extends Stmt implements Target {
    private final Expr table;
    private final Expr key;
    private final Expr value;

    SetIndex(Expr table, Expr key, Expr value, int line) {
      super(line);
      this.table = table;
      this.key = key;
      this.value = value;
    }

    @Override
    @Nullable Object exec(Frame frame) {
      Object object = table.eval(frame);
      Object at = key.eval(frame);
      Object stored = value.eval(frame);
      if (object instanceof LuaTable held && held.metatable() == null && !held.isReadOnly()) {
        if (at instanceof LuaString) {
          held.put(at, stored);
          return null;
        }
        if (at instanceof Double number) {
          int index = (int) number.doubleValue();
          if (index == number && held.isSlot(index)) {
            held.put(index, stored);
            return null;
          }
        }
      }
      Operations.setIndex(frame.state, this, table, object, at, stored);
      return null;
    }

    @Override
    public void prepare(Frame frame, @Nullable Object[] places, int at) {
      places[at] = table.eval(frame);
      places[at + 1] = key.eval(frame);
    }

    @Override
    public void store(Frame frame, @Nullable Object[] places, int at, @Nullable Object stored) {
      Operations.setIndex(frame.state, this, table, places[at], places[at + 1], stored);
    }
  }

  /** Several at once: all is evaluated before the first is written; the last is written first. */
  static final class Several extends Stmt {
    private final Target[] targets;
    private final Expr[] values;
    private final boolean prepares;

    Several(Target[] targets, Expr[] values, boolean prepares, int line) {
      super(line);
      this.targets = targets;
      this.values = values;
      this.prepares = prepares;
    }

    @Override
    @Nullable Object exec(Frame frame) {
      int count = targets.length;
      @Nullable Object[] places = Results.NONE;
      if (prepares) {
        places = new Object[2 * count];
        for (int i = 0; i < count; i++) {
          targets[i].prepare(frame, places, 2 * i);
        }
      }
      @Nullable Object[] evaluated = CallNode.values(frame, values, 0);
      for (int i = count - 1; i >= 0; i--) {
        targets[i].store(frame, places, 2 * i, i < evaluated.length ? evaluated[i] : null);
      }
      return null;
    }
  }
}
