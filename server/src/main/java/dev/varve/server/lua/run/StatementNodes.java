package dev.varve.server.lua.run;

import org.jspecify.annotations.Nullable;

/** Blocks, branches, calls, returns. */
final class StatementNodes {
  private StatementNodes() {}

  /** One statement after the other. */
  static final class Block extends Stmt {
    private final Stmt[] statements;

    Block(Stmt[] statements) {
      super(0);
      this.statements = statements;
    }

    @Override
    @Nullable Object exec(Frame frame) {
      for (Stmt statement : statements) {
        Object ends = statement.exec(frame);
        if (ends != null) {
          return ends;
        }
      }
      return null;
    }
  }

  /** A call for what it does. */
  static final class Call extends Stmt {
    private final Expr call;

    Call(Expr call) {
      super(call.line);
      this.call = call;
    }

    @Override
    @Nullable Object exec(Frame frame) {
      call.evalAll(frame);
      return null;
    }
  }

  /** if, with one branch and perhaps another. */
  static final class If extends Stmt {
    private final Expr condition;
    private final Stmt then;
    private final @Nullable Stmt otherwise;

    If(Expr condition, Stmt then, @Nullable Stmt otherwise) {
      super(0);
      this.condition = condition;
      this.then = then;
      this.otherwise = otherwise;
    }

    @Override
    @Nullable Object exec(Frame frame) {
      if (condition.test(frame)) {
        return then.exec(frame);
      }
      return otherwise == null ? null : otherwise.exec(frame);
    }
  }

  /** if, with any number of branches. */
  static final class Branches extends Stmt {
    private final Expr[] conditions;
    private final Stmt[] blocks;
    private final @Nullable Stmt otherwise;

    Branches(Expr[] conditions, Stmt[] blocks, @Nullable Stmt otherwise) {
      super(0);
      this.conditions = conditions;
      this.blocks = blocks;
      this.otherwise = otherwise;
    }

    @Override
    @Nullable Object exec(Frame frame) {
      for (int i = 0; i < conditions.length; i++) {
        if (conditions[i].test(frame)) {
          return blocks[i].exec(frame);
        }
      }
      return otherwise == null ? null : otherwise.exec(frame);
    }
  }

  /** break. */
  static final class Break extends Stmt {
    Break() {
      super(0);
    }

    @Override
    Object exec(Frame frame) {
      return BREAK;
    }
  }

  /** return, with one value. */
  static final class ReturnOne extends Stmt {
    private final Expr value;

    ReturnOne(Expr value) {
      super(value.line);
      this.value = value;
    }

    @Override
    Object exec(Frame frame) {
      Object result = value.evalAll(frame);
      return result == null ? Results.NIL : result;
    }
  }

  /** return, with a call that takes the function's place. */
  static final class ReturnCall extends Stmt {
    private final CallNode call;

    ReturnCall(CallNode call) {
      super(call.line);
      this.call = call;
    }

    @Override
    Object exec(Frame frame) {
      return call.tail(frame);
    }
  }

  /** return, with none or several values. */
  static final class ReturnMany extends Stmt {
    private final Expr[] values;

    ReturnMany(Expr[] values) {
      super(0);
      this.values = values;
    }

    @Override
    Object exec(Frame frame) {
      return values.length == 0 ? Results.NONE : CallNode.values(frame, values, 0);
    }
  }
}
