package dev.varve.server.lua.syntax;

import dev.varve.server.lua.syntax.FunctionBody.Block;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is executed. */
public sealed interface Statement {
  record Assignment(List<Expression.Variable> targets, List<Expression> values, int line)
      implements Statement {}

  record Locals(List<LocalVariable> variables, List<Expression> values) implements Statement {}

  record LocalFunction(LocalVariable variable, Expression.Function function) implements Statement {}

  record CallStatement(Expression.Call call) implements Statement {}

  record Do(Block block) implements Statement {}

  record While(Expression condition, Block block) implements Statement {}

  record Repeat(Block block, Expression condition) implements Statement {}

  record If(List<Branch> branches, @Nullable Block otherwise) implements Statement {}

  record Branch(Expression condition, Block block) {}

  record NumericFor(
      LocalVariable variable,
      Expression first,
      Expression last,
      @Nullable Expression step,
      Block block,
      int line)
      implements Statement {}

  /**
   * @param hidden the first of three slots of the loop's own
   */
  record GenericFor(
      List<LocalVariable> variables, List<Expression> values, int hidden, Block block, int line)
      implements Statement {}

  record Return(List<Expression> values) implements Statement {}

  record Break() implements Statement {}
}
