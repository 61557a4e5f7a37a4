package dev.varve.server.lua.run;

import dev.varve.server.lua.value.LuaString;
import dev.varve.server.lua.value.LuaTable;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A function written in Lua, with the variables it took along. */
final class LuaClosure extends LuaFunction {
  private static final LuaString N = LuaString.of("n");

  /** The object and its array. */
  private static final int OVERHEAD_BYTES = 40;

  private static final int UPVALUE_BYTES = 4;

  final FunctionCode code;
  final Cell[] upvalues;

  /** The last walk that met it. */
  int mark;

  LuaClosure(FunctionCode code, Cell[] upvalues) {
    this.code = code;
    this.upvalues = upvalues;
  }

  /** About what one takes that has so many upvalues, without those. */
  static int bytes(int upvalues) {
    return OVERHEAD_BYTES + UPVALUE_BYTES * upvalues;
  }

  private Frame frame(LuaState state) {
    return new Frame(state, state.top, this, code.slots());
  }

  @Override
  public @Nullable Object call(LuaState state) {
    Frame frame = frame(state);
    return run(state, bound(frame));
  }

  @Override
  public @Nullable Object call(LuaState state, @Nullable Object first) {
    Frame frame = frame(state);
    if (code.parameters() > 0) {
      frame.slots[0] = first;
    } else if (code.variadic()) {
      frame.varargs = new Object[] {first};
    }
    return run(state, bound(frame));
  }

  @Override
  public @Nullable Object call(LuaState state, @Nullable Object first, @Nullable Object second) {
    if (code.variadic()) {
      return call(state, new Object[] {first, second});
    }
    Frame frame = frame(state);
    int parameters = code.parameters();
    if (parameters > 0) {
      frame.slots[0] = first;
      if (parameters > 1) {
        frame.slots[1] = second;
      }
    }
    return run(state, bound(frame));
  }

  @Override
  public @Nullable Object call(
      LuaState state, @Nullable Object first, @Nullable Object second, @Nullable Object third) {
    int parameters = code.parameters();
    if (code.variadic() || parameters < 3) {
      return call(state, new Object[] {first, second, third});
    }
    Frame frame = frame(state);
    frame.slots[0] = first;
    frame.slots[1] = second;
    frame.slots[2] = third;
    return run(state, bound(frame));
  }

  @Override
  public @Nullable Object call(LuaState state, @Nullable Object[] arguments) {
    Frame frame = frame(state);
    fill(frame, arguments);
    return run(state, bound(frame));
  }

  private void fill(Frame frame, @Nullable Object[] arguments) {
    int parameters = code.parameters();
    System.arraycopy(arguments, 0, frame.slots, 0, Math.min(parameters, arguments.length));
    if (code.variadic() && arguments.length > parameters) {
      frame.varargs = Arrays.copyOfRange(arguments, parameters, arguments.length);
    }
  }

  private Frame bound(Frame frame) {
    for (int slot : code.capturedParameters()) {
      frame.slots[slot] = new Cell(frame.state, frame.slots[slot]);
    }
    if (code.legacyArgSlot() >= 0) {
      bindLegacyArg(frame);
    }
    return frame;
  }

  private void bindLegacyArg(Frame frame) {
    @Nullable Object[] varargs = frame.varargs;
    LuaTable arg = new LuaTable(frame.state, varargs.length, 1);
    for (int i = 0; i < varargs.length; i++) {
      arg.put(i + 1, varargs[i]);
    }
    arg.put(N, (double) varargs.length);
    Object slot = frame.slots[code.legacyArgSlot()];
    if (slot instanceof Cell cell) {
      cell.value = arg;
    } else {
      frame.slots[code.legacyArgSlot()] = arg;
    }
  }

  private @Nullable Object run(LuaState state, Frame frame) {
    int weight = code.weight();
    Frame caller = state.top;
    state.enter(weight);
    state.top = frame;
    @Nullable Object result;
    if (state.weight > state.weightMax) {
      result = state.onLargerStack(() -> finish(state, frame));
    } else {
      result = finish(state, frame);
    }
    state.top = caller;
    state.leave(weight);
    return result == null ? Results.NONE : result;
  }

  private @Nullable Object finish(LuaState state, Frame frame) {
    Object result = code.execute(frame);
    if (result instanceof TailCall) {
      return bounce(state, frame, result);
    }
    return result;
  }

  /* A function that ends by calling another gives its place up: the frame goes, and so does the
   * Java stack below it. */
  private static @Nullable Object bounce(LuaState state, Frame first, Object ended) {
    @Nullable Object result = ended;
    int tailCalls = first.tailCalls;
    int weightBefore = state.weight;
    while (result instanceof TailCall next) {
      LuaClosure function = next.function();
      state.tick();
      Frame frame = new Frame(state, first.caller, function, function.code.slots());
      frame.tailCalls = ++tailCalls;
      function.fill(frame, next.arguments());
      function.bound(frame);
      state.weight = weightBefore + function.code.weight();
      state.top = frame;
      if (state.weight > state.weightMax) {
        result = state.onLargerStack(() -> function.code.execute(frame));
      } else {
        result = function.code.execute(frame);
      }
    }
    state.weight = weightBefore;
    return result;
  }
}
