package dev.varve.server.lua.run;

import dev.varve.server.lua.value.LuaString;
import org.jspecify.annotations.Nullable;

/** a .. b .. c, joined from the right, strings and numbers of a row at once. */
final class ConcatNode extends Expr {
  private final Expr[] operands;

  ConcatNode(Expr[] operands, int line) {
    super(line);
    this.operands = operands;
  }

  @Override
  @Nullable Object eval(Frame frame) {
    int count = operands.length;
    @Nullable Object[] values = new Object[count];
    for (int i = 0; i < count; i++) {
      values[i] = operands[i].eval(frame);
    }
    int last = count - 1;
    boolean joined = false;
    while (last > 0) {
      LuaString right = Operations.textOrNull(values[last]);
      LuaString left = right == null ? null : Operations.textOrNull(values[last - 1]);
      if (right == null || left == null) {
        values[last - 1] =
            Operations.concatHandler(
                frame.state,
                this,
                operands[last - 1],
                joined ? null : operands[last],
                values[last - 1],
                values[last]);
        last--;
      } else {
        last = join(frame.state, values, last);
      }
      joined = true;
    }
    return values[0];
  }

  /** Joins all strings that end at this place, and says where the result is. */
  private static int join(LuaState state, @Nullable Object[] values, int last) {
    int first = last;
    long length = 0;
    while (first >= 0) {
      LuaString text = Operations.textOrNull(values[first]);
      if (text == null) {
        break;
      }
      values[first] = text;
      length += text.length();
      first--;
    }
    first++;
    state.chargeString(length);
    byte[] bytes = new byte[(int) length];
    int at = 0;
    for (int i = first; i <= last; i++) {
      if (values[i] instanceof LuaString text) {
        System.arraycopy(text.bytes(), 0, bytes, at, text.length());
        at += text.length();
      }
    }
    values[first] = LuaString.wrap(bytes);
    return first;
  }
}
