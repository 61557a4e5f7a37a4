package dev.varve.server.lua.run;

import dev.varve.server.lua.value.LuaString;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A call, of a function or of a method; the usual numbers of arguments have nodes of their own. */
abstract class CallNode extends Expr implements LuaState.Caller {
  final Expr function;
  final Expr[] arguments;

  CallNode(Expr function, Expr[] arguments, int line) {
    super(line);
    this.function = function;
    this.arguments = arguments;
  }

  static CallNode of(Expr function, @Nullable LuaString method, Expr[] arguments, int line) {
    if (method != null) {
      return new Method(function, method, arguments, line);
    }
    int count = arguments.length;
    if (count > 3 || (count > 0 && arguments[count - 1].isMultiple())) {
      return new Many(function, arguments, line);
    }
    return switch (count) {
      case 0 -> new None(function, arguments, line);
      case 1 -> new One(function, arguments, line);
      case 2 -> new Two(function, arguments, line);
      default -> new Three(function, arguments, line);
    };
  }

  @Override
  final @Nullable Object eval(Frame frame) {
    return Results.first(evalAll(frame));
  }

  @Override
  abstract @Nullable Object evalAll(Frame frame);

  @Override
  final boolean isMultiple() {
    return true;
  }

  @Override
  public String calledName() {
    return function.kind() == null ? "?" : function.name();
  }

  @Override
  public boolean isMethodCall() {
    return false;
  }

  /** The call as the last thing a function does. */
  Object tail(Frame frame) {
    Object callee = function.eval(frame);
    return finishTail(frame, callee, function, values(frame, arguments, 0));
  }

  final Object finishTail(
      Frame frame, @Nullable Object callee, Expr subject, @Nullable Object[] values) {
    frame.at = this;
    if (callee instanceof LuaClosure closure) {
      return new TailCall(closure, values);
    }
    Object result = invoke(frame, callee, subject, values);
    return result == null ? Results.NIL : result;
  }

  final @Nullable Object invoke(
      Frame frame, @Nullable Object callee, Expr subject, @Nullable Object[] values) {
    frame.at = this;
    if (callee instanceof LuaFunction called) {
      return called.call(frame.state, values);
    }
    @Nullable Object[] all = new Object[values.length + 1];
    all[0] = callee;
    System.arraycopy(values, 0, all, 1, values.length);
    return Operations.callable(frame.state, this, subject, callee).call(frame.state, all);
  }

  /** The values of some expressions, all those of the last, behind so many empty places. */
  static @Nullable Object[] values(Frame frame, Expr[] expressions, int begin) {
    int count = expressions.length;
    @Nullable Object[] values = new Object[begin + count];
    for (int i = 0; i < count - 1; i++) {
      values[begin + i] = expressions[i].eval(frame);
    }
    if (count > 0) {
      Object last = expressions[count - 1].evalAll(frame);
      if (last instanceof Object[] more) {
        values = Arrays.copyOf(values, begin + count - 1 + more.length);
        System.arraycopy(more, 0, values, begin + count - 1, more.length);
      } else {
        values[begin + count - 1] = last;
      }
    }
    return values;
  }

  /** f(). */
  private static final class None extends CallNode {
    None(Expr function, Expr[] arguments, int line) {
      super(function, arguments, line);
    }

    @Override
    @Nullable Object evalAll(Frame frame) {
      Object callee = function.eval(frame);
      if (callee instanceof LuaFunction called) {
        frame.at = this;
        return called.call(frame.state);
      }
      return invoke(frame, callee, function, Results.NONE);
    }
  }

  /** f(a). */
  private static final class One extends CallNode {
    private final Expr first;

    One(Expr function, Expr[] arguments, int line) {
      super(function, arguments, line);
      this.first = arguments[0];
    }

    @Override
    @Nullable Object evalAll(Frame frame) {
      Object callee = function.eval(frame);
      Object a = first.eval(frame);
      if (callee instanceof LuaFunction called) {
        frame.at = this;
        return called.call(frame.state, a);
      }
      return invoke(frame, callee, function, new Object[] {a});
    }
  }

  /** f(a, b). */
  private static final class Two extends CallNode {
    private final Expr first;
    private final Expr second;

    Two(Expr function, Expr[] arguments, int line) {
      super(function, arguments, line);
      this.first = arguments[0];
      this.second = arguments[1];
    }

    @Override
    @Nullable Object evalAll(Frame frame) {
      Object callee = function.eval(frame);
      Object a = first.eval(frame);
      Object b = second.eval(frame);
      if (callee instanceof LuaFunction called) {
        frame.at = this;
        return called.call(frame.state, a, b);
      }
      return invoke(frame, callee, function, new Object[] {a, b});
    }
  }

  /** f(a, b, c). */
  private static final class Three extends CallNode {
    private final Expr first;
    private final Expr second;
    private final Expr third;

    Three(Expr function, Expr[] arguments, int line) {
      super(function, arguments, line);
      this.first = arguments[0];
      this.second = arguments[1];
      this.third = arguments[2];
    }

    @Override
    @Nullable Object evalAll(Frame frame) {
      Object callee = function.eval(frame);
      Object a = first.eval(frame);
      Object b = second.eval(frame);
      Object c = third.eval(frame);
      if (callee instanceof LuaFunction called) {
        frame.at = this;
        return called.call(frame.state, a, b, c);
      }
      return invoke(frame, callee, function, new Object[] {a, b, c});
    }
  }

  /** f(a, b, c, d), or f(g()). */
  private static final class Many extends CallNode {
    Many(Expr function, Expr[] arguments, int line) {
      super(function, arguments, line);
    }

    @Override
    @Nullable Object evalAll(Frame frame) {
      Object callee = function.eval(frame);
      return invoke(frame, callee, function, values(frame, arguments, 0));
    }
  }

  /** o:m(a). */
  private static final class Method extends CallNode {
    /** What is called, for messages. */
    private final MethodName called;

    Method(Expr object, LuaString name, Expr[] arguments, int line) {
      super(object, arguments, line);
      this.called = new MethodName(object, name, line);
    }

    @Override
    @Nullable Object evalAll(Frame frame) {
      Object object = function.eval(frame);
      Object callee = called.of(frame, object);
      if (arguments.length == 0 && callee instanceof LuaFunction method) {
        frame.at = this;
        return method.call(frame.state, object);
      }
      @Nullable Object[] values = values(frame, arguments, 1);
      values[0] = object;
      return invoke(frame, callee, called, values);
    }

    @Override
    Object tail(Frame frame) {
      Object object = function.eval(frame);
      Object callee = called.of(frame, object);
      @Nullable Object[] values = values(frame, arguments, 1);
      values[0] = object;
      return finishTail(frame, callee, called, values);
    }

    @Override
    public String calledName() {
      return called.name();
    }

    @Override
    public boolean isMethodCall() {
      return true;
    }
  }

  /** The method of an object. */
  private static final class MethodName extends Expr {
    private final Expr object;
    private final LuaString key;

    MethodName(Expr object, LuaString key, int line) {
      super(line);
      this.object = object;
      this.key = key;
    }

    @Nullable Object of(Frame frame, @Nullable Object value) {
      return Operations.index(frame.state, this, object, value, key);
    }

    @Override
    @Nullable Object eval(Frame frame) {
      return of(frame, object.eval(frame));
    }

    @Override
    String kind() {
      return "method";
    }

    @Override
    String name() {
      return key.toString();
    }
  }
}
