package dev.varve.server.lua.syntax;

import dev.varve.server.lua.value.LuaString;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What has a value. The lines are those that an error is reported with. */
public sealed interface Expression {
  record Nil() implements Expression {}

  record Truth(boolean value) implements Expression {}

  record Numeral(double value) implements Expression {}

  record Text(LuaString value) implements Expression {}

  record Varargs() implements Expression {}

  record Function(FunctionBody body) implements Expression {}

  /** A call or varargs between parentheses: one value, whatever there were. */
  record Single(Expression inner) implements Expression {}

  record Unary(UnaryOperator operator, Expression operand, int line) implements Expression {}

  record Binary(BinaryOperator operator, Expression left, Expression right, int line)
      implements Expression {}

  /** Two or more operands, which are joined from the right. */
  record Concat(List<Expression> operands, int line) implements Expression {}

  /**
   * @param method null for a plain call
   */
  record Call(Expression function, @Nullable LuaString method, List<Expression> arguments, int line)
      implements Expression {}

  record Table(List<Field> fields, int items, int named, int line) implements Expression {}

  /**
   * @param key null for an item of the list
   */
  record Field(@Nullable Expression key, Expression value) {}

  /** What can be assigned to. */
  sealed interface Variable extends Expression {}

  record Local(LocalVariable variable) implements Variable {}

  record Upvalue(int index, String name) implements Variable {}

  record Global(LuaString name, int line) implements Variable {}

  record Index(Expression table, Expression key, int line) implements Variable {}

  /** Operators with one operand. */
  enum UnaryOperator {
    MINUS,
    NOT,
    LENGTH
  }

  /** Operators with two operands, without the one that joins strings. */
  enum BinaryOperator {
    ADD,
    SUBTRACT,
    MULTIPLY,
    DIVIDE,
    MODULO,
    POWER,
    EQUAL,
    NOT_EQUAL,
    LESS,
    LESS_EQUAL,
    GREATER,
    GREATER_EQUAL,
    AND,
    OR
  }
}
