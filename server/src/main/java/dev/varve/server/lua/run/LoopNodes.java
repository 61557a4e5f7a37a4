package dev.varve.server.lua.run;

import dev.varve.server.lua.value.LuaTable;
import org.jspecify.annotations.Nullable;

/** Loops: each turn is a step of the budget. */
final class LoopNodes {
  private LoopNodes() {}

  /** while. */
  static final class While extends Stmt {
    private final Expr condition;
    private final Stmt body;

    While(Expr condition, Stmt body) {
      super(0);
      this.condition = condition;
      this.body = body;
    }

    @Override
    @Nullable Object exec(Frame frame) {
      while (condition.test(frame)) {
        Object ends = body.exec(frame);
        if (ends != null) {
          return ends == BREAK ? null : ends;
        }
        frame.state.tick();
      }
      return null;
    }
  }

  /** repeat. */
  static final class Repeat extends Stmt {
    private final Stmt body;
    private final Expr condition;

    Repeat(Stmt body, Expr condition) {
      super(0);
      this.body = body;
      this.condition = condition;
    }

    @Override
    @Nullable Object exec(Frame frame) {
      do {
        Object ends = body.exec(frame);
        if (ends != null) {
          return ends == BREAK ? null : ends;
        }
        frame.state.tick();
      } while (!condition.test(frame));
      return null;
    }
  }

  /** for, over numbers. */
  static final class Numeric extends Stmt {
    private final int slot;
    private final boolean captured;
    private final Expr first;
    private final Expr last;
    private final @Nullable Expr step;
    private final Stmt body;

    Numeric(
        int slot,
        boolean captured,
        Expr first,
        Expr last,
        @Nullable Expr step,
        Stmt body,
        int line) {
      super(line);
      this.slot = slot;
      this.captured = captured;
      this.first = first;
      this.last = last;
      this.step = step;
      this.body = body;
    }

    @Override
    @Nullable Object exec(Frame frame) {
      Object begin = first.eval(frame);
      Object end = last.eval(frame);
      Object by = step == null ? null : step.eval(frame);
      double index = number(frame, begin, "initial value");
      double limit = number(frame, end, "limit");
      double increment = step == null ? 1 : number(frame, by, "step");
      LuaState state = frame.state;
      // As Lua does it: there and back, which rounds, and leaves nothing of a step that is no
      // number.
      index -= increment;
      index += increment;
      while (increment > 0 ? index <= limit : limit <= index) {
        Double boxed = index;
        frame.slots[slot] = captured ? new Cell(frame.state, boxed) : boxed;
        Object ends = body.exec(frame);
        if (ends != null) {
          return ends == BREAK ? null : ends;
        }
        state.tick();
        index += increment;
      }
      return null;
    }

    private double number(Frame frame, @Nullable Object value, String what) {
      Double number = Operations.numberOrNull(value);
      if (number == null) {
        throw frame.state.raise(this, "'for' " + what + " must be a number");
      }
      return number;
    }
  }

  /** for, over what a function gives. */
  static final class Generic extends Stmt implements LuaState.Caller {
    private final int[] slots;
    private final boolean[] captured;
    private final Expr[] values;
    private final int hidden;
    private final Stmt body;

    Generic(int[] slots, boolean[] captured, Expr[] values, int hidden, Stmt body, int line) {
      super(line);
      this.slots = slots;
      this.captured = captured;
      this.values = values;
      this.hidden = hidden;
      this.body = body;
    }

    @Override
    @Nullable Object exec(Frame frame) {
      @Nullable Object[] evaluated = CallNode.values(frame, values, 0);
      Object function = evaluated.length > 0 ? evaluated[0] : null;
      Object subject = evaluated.length > 1 ? evaluated[1] : null;
      Object control = evaluated.length > 2 ? evaluated[2] : null;
      if (function == NextFunction.INSTANCE && subject instanceof LuaTable table) {
        frame.slots[hidden] = table;
        return control == null ? overTable(frame, table) : over(frame, function, subject, control);
      }
      return over(frame, function, subject, control);
    }

    private @Nullable Object overTable(Frame frame, LuaTable table) {
      int at = -1;
      while ((at = table.position(at + 1)) >= 0) {
        set(frame, 0, table.keyAt(at));
        if (slots.length > 1) {
          set(frame, 1, table.valueAt(at));
          for (int i = 2; i < slots.length; i++) {
            set(frame, i, null);
          }
        }
        Object ends = body.exec(frame);
        if (ends != null) {
          return ends == BREAK ? null : ends;
        }
        frame.state.tick();
      }
      return null;
    }

    private @Nullable Object over(
        Frame frame, @Nullable Object function, @Nullable Object subject, @Nullable Object from) {
      LuaState state = frame.state;
      Object control = from;
      frame.slots[hidden] = subject;
      while (true) {
        frame.at = this;
        state.enterNative(this);
        Object result =
            function instanceof LuaFunction called
                ? called.call(state, subject, control)
                : Operations.call(state, this, function, new Object[] {subject, control});
        state.nativeCalls--;
        if (result instanceof Object[] several) {
          for (int i = 0; i < slots.length; i++) {
            set(frame, i, i < several.length ? several[i] : null);
          }
          control = several.length > 0 ? several[0] : null;
        } else {
          set(frame, 0, result);
          for (int i = 1; i < slots.length; i++) {
            set(frame, i, null);
          }
          control = result;
        }
        if (control == null) {
          return null;
        }
        Object ends = body.exec(frame);
        if (ends != null) {
          return ends == BREAK ? null : ends;
        }
        state.tick();
      }
    }

    private void set(Frame frame, int variable, @Nullable Object value) {
      frame.slots[slots[variable]] = captured[variable] ? new Cell(frame.state, value) : value;
    }

    @Override
    public String calledName() {
      return "(for generator)";
    }

    @Override
    public boolean isMethodCall() {
      return false;
    }
  }
}
