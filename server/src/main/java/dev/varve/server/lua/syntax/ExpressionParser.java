package dev.varve.server.lua.syntax;

import dev.varve.server.lua.syntax.Expression.BinaryOperator;
import dev.varve.server.lua.syntax.Expression.Field;
import dev.varve.server.lua.syntax.Expression.UnaryOperator;
import dev.varve.server.lua.value.LuaString;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The expressions of a chunk.
 *
 * <p>Single-threaded.
 */
final class ExpressionParser {
  private static final int UNARY_PRIORITY = 8;
  private static final int CONCAT_LEFT = 5;
  private static final int CONCAT_RIGHT = 4;

  private final Parser parser;
  private final Lexer lexer;

  ExpressionParser(Parser parser, Lexer lexer) {
    this.parser = parser;
    this.lexer = lexer;
  }

  /** One or more, with commas between them. */
  List<Expression> list() throws SyntaxException {
    List<Expression> all = new ArrayList<>();
    all.add(expression());
    while (parser.accept(',')) {
      all.add(expression());
    }
    return all;
  }

  Expression expression() throws SyntaxException {
    return expression(0);
  }

  /** As far as operators bind tighter than the limit. */
  private Expression expression(int limit) throws SyntaxException {
    parser.enterLevel();
    UnaryOperator unary = unaryOperator();
    Expression left;
    if (unary != null) {
      lexer.next();
      Expression operand = expression(UNARY_PRIORITY);
      left = new Expression.Unary(unary, operand, lexer.lastLine());
    } else {
      left = simple();
    }
    int chain = 0;
    while (true) {
      parser.scope().noteDepth(parser.levels() + ++chain);
      if (lexer.token() == Token.CONCAT) {
        if (CONCAT_LEFT <= limit) {
          break;
        }
        lexer.next();
        left = concat(left, expression(CONCAT_RIGHT));
        continue;
      }
      BinaryOperator operator = binaryOperator();
      if (operator == null || leftPriority(operator) <= limit) {
        break;
      }
      lexer.next();
      Expression right = expression(rightPriority(operator));
      left = new Expression.Binary(operator, left, right, lexer.lastLine());
    }
    parser.leaveLevel();
    return left;
  }

  private Expression concat(Expression left, Expression right) {
    List<Expression> operands = new ArrayList<>();
    operands.add(left);
    if (right instanceof Expression.Concat rest) {
      operands.addAll(rest.operands());
    } else {
      operands.add(right);
    }
    return new Expression.Concat(operands, lexer.lastLine());
  }

  private @Nullable UnaryOperator unaryOperator() {
    if (lexer.token() == Token.NOT) {
      return UnaryOperator.NOT;
    }
    return switch (lexer.tokenByte()) {
      case '-' -> UnaryOperator.MINUS;
      case '#' -> UnaryOperator.LENGTH;
      default -> null;
    };
  }

  private @Nullable BinaryOperator binaryOperator() {
    return switch (lexer.token()) {
      case EQ -> BinaryOperator.EQUAL;
      case NE -> BinaryOperator.NOT_EQUAL;
      case LE -> BinaryOperator.LESS_EQUAL;
      case GE -> BinaryOperator.GREATER_EQUAL;
      case AND -> BinaryOperator.AND;
      case OR -> BinaryOperator.OR;
      default ->
          switch (lexer.tokenByte()) {
            case '+' -> BinaryOperator.ADD;
            case '-' -> BinaryOperator.SUBTRACT;
            case '*' -> BinaryOperator.MULTIPLY;
            case '/' -> BinaryOperator.DIVIDE;
            case '%' -> BinaryOperator.MODULO;
            case '^' -> BinaryOperator.POWER;
            case '<' -> BinaryOperator.LESS;
            case '>' -> BinaryOperator.GREATER;
            default -> null;
          };
    };
  }

  private static int leftPriority(BinaryOperator operator) {
    return switch (operator) {
      case ADD, SUBTRACT -> 6;
      case MULTIPLY, DIVIDE, MODULO -> 7;
      case POWER -> 10;
      case EQUAL, NOT_EQUAL, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL -> 3;
      case AND -> 2;
      case OR -> 1;
    };
  }

  private static int rightPriority(BinaryOperator operator) {
    return operator == BinaryOperator.POWER ? 9 : leftPriority(operator);
  }

  private Expression simple() throws SyntaxException {
    Expression simple;
    switch (lexer.token()) {
      case NUMBER -> simple = new Expression.Numeral(lexer.number());
      case STRING -> simple = new Expression.Text(lexer.text());
      case NIL -> simple = new Expression.Nil();
      case TRUE -> simple = new Expression.Truth(true);
      case FALSE -> simple = new Expression.Truth(false);
      case DOTS -> {
        if (!parser.scope().variadic) {
          throw lexer.near("cannot use '...' outside a vararg function");
        }
        parser.scope().legacyArg = null;
        simple = new Expression.Varargs();
      }
      case FUNCTION -> {
        lexer.next();
        return parser.functionBody(false, lexer.line());
      }
      default -> {
        return lexer.isByte('{') ? table() : suffixed();
      }
    }
    lexer.next();
    return simple;
  }

  /** A name or parentheses, and all indexes and calls behind it. */
  Expression suffixed() throws SyntaxException {
    Expression expression = prefix();
    int chain = 0;
    while (true) {
      parser.scope().noteDepth(parser.levels() + ++chain);
      switch (lexer.token()) {
        case STRING -> expression = call(expression, null);
        case BYTE -> {
          switch (lexer.tokenByte()) {
            case '.' -> {
              lexer.next();
              Expression key = new Expression.Text(parser.name());
              expression = new Expression.Index(expression, key, lexer.lastLine());
            }
            case '[' -> {
              lexer.next();
              Expression key = expression();
              parser.require(']');
              expression = new Expression.Index(expression, key, lexer.lastLine());
            }
            case ':' -> {
              lexer.next();
              expression = call(expression, parser.name());
            }
            case '(', '{' -> expression = call(expression, null);
            default -> {
              return expression;
            }
          }
        }
        default -> {
          return expression;
        }
      }
    }
  }

  private Expression prefix() throws SyntaxException {
    if (lexer.token() == Token.NAME) {
      LuaString name = parser.name();
      return parser.scope().resolve(name, lexer.lastLine());
    }
    if (lexer.isByte('(')) {
      int line = lexer.line();
      lexer.next();
      Expression inner = expression();
      parser.requireClosing(")", lexer.isByte(')'), "(", line);
      return new Expression.Single(inner);
    }
    throw lexer.near("unexpected symbol");
  }

  private Expression call(Expression function, @Nullable LuaString method) throws SyntaxException {
    int line = lexer.line();
    List<Expression> arguments;
    if (lexer.token() == Token.STRING) {
      arguments = List.of(new Expression.Text(lexer.text()));
      lexer.next();
    } else if (lexer.isByte('{')) {
      arguments = List.of(table());
    } else if (lexer.isByte('(')) {
      if (line != lexer.lastLine()) {
        throw lexer.near("ambiguous syntax (function call x new statement)");
      }
      lexer.next();
      arguments = lexer.isByte(')') ? List.of() : List.copyOf(list());
      parser.requireClosing(")", lexer.isByte(')'), "(", line);
    } else {
      throw lexer.near("function arguments expected");
    }
    return new Expression.Call(function, method, arguments, line);
  }

  private Expression table() throws SyntaxException {
    int line = lexer.line();
    List<Field> fields = new ArrayList<>();
    int items = 0;
    parser.require('{');
    while (!lexer.isByte('}')) {
      if (lexer.isByte('[')) {
        lexer.next();
        Expression key = expression();
        parser.require(']');
        parser.require('=');
        fields.add(new Field(key, expression()));
      } else if (lexer.token() == Token.NAME && lexer.aheadIsByte('=')) {
        Expression key = new Expression.Text(parser.name());
        lexer.next();
        fields.add(new Field(key, expression()));
      } else {
        fields.add(new Field(null, expression()));
        items++;
      }
      if (!parser.accept(',') && !parser.accept(';')) {
        break;
      }
    }
    parser.requireClosing("}", lexer.isByte('}'), "{", line);
    int named = fields.size() - items;
    return new Expression.Table(List.copyOf(fields), items, named, lexer.lastLine());
  }
}
