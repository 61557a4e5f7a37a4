package dev.varve.server.lua.run;

import dev.varve.server.lua.syntax.ChunkName;
import dev.varve.server.lua.syntax.Expression;
import dev.varve.server.lua.syntax.FunctionBody;
import dev.varve.server.lua.syntax.FunctionBody.Capture;
import dev.varve.server.lua.syntax.LocalVariable;
import dev.varve.server.lua.syntax.Statement;
import dev.varve.server.lua.value.LuaString;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes the executed tree from the parser's.
 *
 * <p>Single-threaded; one per chunk.
 */
final class NodeBuilder {
  /** Java frames per level of the tree, and per call besides. */
  private static final int FRAMES_PER_LEVEL = 3;

  private static final int FRAMES_PER_CALL = 6;

  private static final Expr NIL = new VariableNodes.Constant(null);

  private final String chunkName;
  private final String shownName;

  private final CodeMemory memory;

  NodeBuilder(String chunkName, CodeMemory memory) {
    this.chunkName = chunkName;
    this.memory = memory;
    this.shownName = ChunkName.shown(chunkName);
  }

  FunctionCode function(FunctionBody body) {
    memory.addFunction();
    FunctionCode.CaptureFrom[] captures = new FunctionCode.CaptureFrom[body.captures().size()];
    for (int i = 0; i < captures.length; i++) {
      Capture capture = body.captures().get(i);
      LocalVariable local = capture.local();
      captures[i] =
          new FunctionCode.CaptureFrom(local == null ? -1 : local.slot(), capture.outerUpvalue());
    }
    LocalVariable arg = body.legacyArg();
    int[] captured =
        body.parameters().stream()
            .filter(LocalVariable::isCaptured)
            .mapToInt(LocalVariable::slot)
            .toArray();
    if (arg != null && arg.isCaptured()) {
      captured = Arrays.copyOf(captured, captured.length + 1);
      captured[captured.length - 1] = arg.slot();
    }
    return new FunctionCode(
        chunkName,
        shownName,
        body.line(),
        body.parameters().size(),
        body.variadic(),
        captured,
        arg == null ? -1 : arg.slot(),
        body.slots(),
        body.depth() * FRAMES_PER_LEVEL + FRAMES_PER_CALL,
        captures,
        block(body.block()),
        memory);
  }

  // ---- Statements

  private Stmt block(FunctionBody.Block block) {
    Stmt[] statements = block.statements().stream().map(this::statement).toArray(Stmt[]::new);
    return statements.length == 1 ? statements[0] : new StatementNodes.Block(statements);
  }

  private Stmt statement(Statement statement) {
    memory.addNode();
    if (statement instanceof Statement.CallStatement call) {
      return new StatementNodes.Call(expression(call.call()));
    } else if (statement instanceof Statement.Locals locals) {
      return locals(locals);
    } else if (statement instanceof Statement.Assignment assignment) {
      return assignment(assignment);
    } else if (statement instanceof Statement.LocalFunction function) {
      int slot = function.variable().slot();
      Expr closure = expression(function.function());
      return function.variable().isCaptured()
          ? new AssignmentNodes.NewFunctionCell(slot, closure)
          : new AssignmentNodes.SetLocal(slot, closure);
    } else if (statement instanceof Statement.If branches) {
      return branches(branches);
    } else if (statement instanceof Statement.Return returns) {
      return returns(returns);
    } else if (statement instanceof Statement.Do block) {
      return block(block.block());
    } else if (statement instanceof Statement.While loop) {
      return new LoopNodes.While(expression(loop.condition()), block(loop.block()));
    } else if (statement instanceof Statement.Repeat loop) {
      return new LoopNodes.Repeat(block(loop.block()), expression(loop.condition()));
    } else if (statement instanceof Statement.NumericFor loop) {
      return new LoopNodes.Numeric(
          loop.variable().slot(),
          loop.variable().isCaptured(),
          expression(loop.first()),
          expression(loop.last()),
          loop.step() == null ? null : expression(loop.step()),
          block(loop.block()),
          loop.line());
    } else if (statement instanceof Statement.GenericFor loop) {
      return genericFor(loop);
    }
    return new StatementNodes.Break();
  }

  private Stmt branches(Statement.If branches) {
    FunctionBody.Block last = branches.otherwise();
    Stmt otherwise = last == null ? null : block(last);
    List<Statement.Branch> all = branches.branches();
    if (all.size() == 1) {
      Statement.Branch only = all.get(0);
      return new StatementNodes.If(expression(only.condition()), block(only.block()), otherwise);
    }
    return new StatementNodes.Branches(
        all.stream().map(each -> expression(each.condition())).toArray(Expr[]::new),
        all.stream().map(each -> block(each.block())).toArray(Stmt[]::new),
        otherwise);
  }

  private Stmt returns(Statement.Return returns) {
    Expr[] values = expressions(returns.values());
    if (values.length != 1) {
      return new StatementNodes.ReturnMany(values);
    }
    return values[0] instanceof CallNode call
        ? new StatementNodes.ReturnCall(call)
        : new StatementNodes.ReturnOne(values[0]);
  }

  private Stmt genericFor(Statement.GenericFor loop) {
    int count = loop.variables().size();
    int[] slots = new int[count];
    boolean[] captured = new boolean[count];
    for (int i = 0; i < count; i++) {
      slots[i] = loop.variables().get(i).slot();
      captured[i] = loop.variables().get(i).isCaptured();
    }
    Expr[] values = expressions(loop.values());
    return new LoopNodes.Generic(
        slots, captured, values, loop.hidden(), block(loop.block()), loop.line());
  }

  private Stmt locals(Statement.Locals locals) {
    List<LocalVariable> variables = locals.variables();
    Expr[] values = expressions(locals.values());
    if (variables.size() == 1 && values.length <= 1) {
      return newLocal(variables.get(0), values.length == 0 ? NIL : values[0]);
    }
    AssignmentNodes.Target[] targets =
        variables.stream()
            .map(each -> newLocal(each, NIL))
            .map(AssignmentNodes.Target.class::cast)
            .toArray(AssignmentNodes.Target[]::new);
    return new AssignmentNodes.Several(targets, values, false, 0);
  }

  private static Stmt newLocal(LocalVariable variable, Expr value) {
    return variable.isCaptured()
        ? new AssignmentNodes.NewCell(variable.slot(), value)
        : new AssignmentNodes.SetLocal(variable.slot(), value);
  }

  private Stmt assignment(Statement.Assignment assignment) {
    Expr[] values = expressions(assignment.values());
    List<Expression.Variable> targets = assignment.targets();
    if (targets.size() == 1 && values.length == 1) {
      return store(targets.get(0), values[0], assignment.line());
    }
    AssignmentNodes.Target[] stores =
        targets.stream()
            .map(each -> store(each, NIL, assignment.line()))
            .map(AssignmentNodes.Target.class::cast)
            .toArray(AssignmentNodes.Target[]::new);
    return new AssignmentNodes.Several(stores, values, true, assignment.line());
  }

  private Stmt store(Expression.Variable target, Expr value, int line) {
    if (target instanceof Expression.Local local) {
      int slot = local.variable().slot();
      return local.variable().isCaptured()
          ? new AssignmentNodes.SetCell(slot, value)
          : new AssignmentNodes.SetLocal(slot, value);
    } else if (target instanceof Expression.Upvalue upvalue) {
      return new AssignmentNodes.SetUpvalue(upvalue.index(), value);
    } else if (target instanceof Expression.Global global) {
      return new AssignmentNodes.SetGlobal(global.name(), value, line);
    } else if (target instanceof Expression.Index index) {
      return new AssignmentNodes.SetIndex(
          expression(index.table()), expression(index.key()), value, line);
    }
    throw new IllegalStateException("no target: " + target);
  }

  // ---- Expressions

  private Expr[] expressions(List<? extends Expression> all) {
    return all.stream().map(this::expression).toArray(Expr[]::new);
  }

  private Expr expression(@Nullable Expression expression) {
    memory.addNode();
    if (expression instanceof Expression.Local local) {
      LocalVariable variable = local.variable();
      return variable.isCaptured()
          ? new VariableNodes.CellLocal(variable.name(), variable.slot())
          : new VariableNodes.Local(variable.name(), variable.slot());
    } else if (expression instanceof Expression.Text text) {
      memory.addText(text.value());
      return new VariableNodes.Constant(text.value());
    } else if (expression instanceof Expression.Numeral numeral) {
      return new VariableNodes.Constant(numeral.value());
    } else if (expression instanceof Expression.Truth truth) {
      return new VariableNodes.Constant(truth.value() ? Boolean.TRUE : Boolean.FALSE);
    } else if (expression instanceof Expression.Global global) {
      return new VariableNodes.Global(global.name(), global.line());
    } else if (expression instanceof Expression.Upvalue upvalue) {
      return new VariableNodes.Upvalue(upvalue.name(), upvalue.index());
    } else if (expression instanceof Expression.Index index) {
      Expr table = expression(index.table());
      Expr key = expression(index.key());
      return key.constant() instanceof LuaString name
          ? new IndexNodes.Field(table, name, index.line())
          : new IndexNodes.Index(table, key, index.line());
    } else if (expression instanceof Expression.Call call) {
      return CallNode.of(
          expression(call.function()), call.method(), expressions(call.arguments()), call.line());
    } else if (expression instanceof Expression.Function function) {
      return new VariableNodes.Closure(function(function.body()));
    } else if (expression instanceof Expression.Varargs) {
      return new VariableNodes.Varargs();
    } else if (expression instanceof Expression.Single single) {
      return single(expression(single.inner()));
    } else if (expression instanceof Expression.Concat concat) {
      return new ConcatNode(expressions(concat.operands()), concat.line());
    } else if (expression instanceof Expression.Table table) {
      TableNode.Field[] fields =
          table.fields().stream()
              .map(
                  each ->
                      new TableNode.Field(
                          each.key() == null ? null : expression(each.key()),
                          expression(each.value())))
              .toArray(TableNode.Field[]::new);
      return new TableNode(fields, table.items(), table.named(), table.line());
    } else if (expression instanceof Expression.Unary unary) {
      return unary(unary);
    } else if (expression instanceof Expression.Binary binary) {
      return folded(binary(binary));
    }
    return NIL;
  }

  private Expr unary(Expression.Unary unary) {
    Expr operand = expression(unary.operand());
    return switch (unary.operator()) {
      case NOT ->
          isAlways(operand, true) || isAlways(operand, false)
              ? new VariableNodes.Constant(isAlways(operand, false))
              : new LogicNodes.Not(operand);
      case LENGTH -> new LogicNodes.Length(operand, unary.line());
      case MINUS ->
          operand.constant() instanceof Double number
              ? new VariableNodes.Constant(-number)
              : new ArithmeticNodes.Minus(operand, unary.line());
    };
  }

  private Expr binary(Expression.Binary binary) {
    Expr left = expression(binary.left());
    Expr right = expression(binary.right());
    int line = binary.line();
    return switch (binary.operator()) {
      case ADD -> new ArithmeticNodes.Add(left, right, line);
      case SUBTRACT -> new ArithmeticNodes.Subtract(left, right, line);
      case MULTIPLY -> new ArithmeticNodes.Multiply(left, right, line);
      case DIVIDE -> new ArithmeticNodes.Divide(left, right, line);
      case MODULO -> new ArithmeticNodes.Modulo(left, right, line);
      case POWER -> new ArithmeticNodes.Power(left, right, line);
      case EQUAL -> new LogicNodes.Equal(left, right, line);
      case NOT_EQUAL -> new LogicNodes.Not(new LogicNodes.Equal(left, right, line));
      case LESS -> new LogicNodes.Less(left, right, false, line);
      case GREATER -> new LogicNodes.Less(left, right, true, line);
      case LESS_EQUAL -> new LogicNodes.LessOrEqual(left, right, false, line);
      case GREATER_EQUAL -> new LogicNodes.LessOrEqual(left, right, true, line);
      case AND -> joined(left, right, true);
      case OR -> joined(left, right, false);
    };
  }

  /** What counts is the right one if the left is {@code goesOn}, else the left. */
  private static Expr joined(Expr left, Expr right, boolean goesOn) {
    if (isAlwaysByFirst(left, goesOn)) {
      return single(right);
    }
    if (isAlwaysByLast(left, goesOn)) {
      return new LogicNodes.Then(left, single(right));
    }
    return goesOn ? new LogicNodes.And(left, right) : new LogicNodes.Or(left, right);
  }

  /**
   * Whether an expression is always true, or always false, by its first operand: 1, (1 or a), (nil
   * and a). Nothing of it is evaluated, and messages know the name of what follows.
   */
  private static boolean isAlwaysByFirst(Expr expression, boolean truth) {
    return isAlways(expression, truth)
        || (expression instanceof LogicNodes.Joined joined
            && joined.goesOn != truth
            && isAlwaysByFirst(joined.left, truth));
  }

  /**
   * The same by its last operand: (a or 1), (a and nil). What follows needs no jump then, and
   * messages know its name.
   */
  private static boolean isAlwaysByLast(Expr expression, boolean truth) {
    return isAlways(expression, truth)
        || (expression instanceof LogicNodes.Joined joined
            && joined.goesOn != truth
            && isAlwaysByLast(joined.right, truth));
  }

  private static boolean isAlways(Expr expression, boolean truth) {
    return expression instanceof VariableNodes.Constant
        && Operations.truth(expression.constant()) == truth;
  }

  private static Expr single(Expr expression) {
    return expression.isMultiple() ? new VariableNodes.Single(expression) : expression;
  }

  /** What is calculated from numbers alone is calculated once, unless it is no number. */
  private static Expr folded(Expr node) {
    if (node instanceof ArithmeticNodes.Binary binary
        && binary.left.constant() instanceof Double left
        && binary.right.constant() instanceof Double right) {
      double value = binary.apply(left, right);
      if (!Double.isNaN(value)) {
        return new VariableNodes.Constant(value);
      }
    }
    return node;
  }
}
