package dev.varve.server.lua.syntax;

import dev.varve.server.lua.syntax.Expression.Variable;
import dev.varve.server.lua.syntax.FunctionBody.Block;
import dev.varve.server.lua.value.Allocation;
import dev.varve.server.lua.value.LuaString;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The statements of a chunk; expressions are left to {@link ExpressionParser}.
 *
 * <p>Single-threaded; one parser per chunk.
 */
public final class Parser {
  private static final LuaString SELF = LuaString.of("self");
  private static final LuaString ARG = LuaString.of("arg");

  /** So deep may blocks, functions and expressions be nested in one another. */
  static final int LEVELS_MAX = 200;

  private final Lexer lexer;
  private final ExpressionParser expressions;
  private FunctionScope scope;
  private int levels;

  private Parser(byte[] source, String chunkName, Allocation allocation) {
    this.lexer = new Lexer(source, chunkName, allocation);
    this.expressions = new ExpressionParser(this, lexer);
    this.scope = new FunctionScope(null, lexer, 0);
  }

  /**
   * The function that a chunk is. Throws with Lua's message when it is not Lua.
   *
   * @param allocation is told what the tree takes, before it is made
   */
  public static FunctionBody parse(byte[] source, String chunkName, Allocation allocation)
      throws SyntaxException {
    Parser parser = new Parser(source, chunkName, allocation);
    parser.scope.variadic = true;
    parser.lexer.next();
    Block block = parser.block();
    if (parser.lexer.token() != Token.EOS) {
      throw parser.expected(Token.EOS.text);
    }
    return parser.scope.body(block);
  }

  FunctionScope scope() {
    return scope;
  }

  // ---- Tokens

  void enterLevel() throws SyntaxException {
    if (++levels > LEVELS_MAX) {
      throw lexer.plain("chunk has too many syntax levels");
    }
    scope.noteDepth(levels);
  }

  void leaveLevel() {
    levels--;
  }

  int levels() {
    return levels;
  }

  SyntaxException expected(String what) {
    return lexer.near("'" + what + "' expected");
  }

  boolean accept(Token token) throws SyntaxException {
    if (lexer.token() == token) {
      lexer.next();
      return true;
    }
    return false;
  }

  boolean accept(char single) throws SyntaxException {
    if (lexer.isByte(single)) {
      lexer.next();
      return true;
    }
    return false;
  }

  void require(Token token) throws SyntaxException {
    if (!accept(token)) {
      throw expected(token.text);
    }
  }

  void require(char single) throws SyntaxException {
    if (!accept(single)) {
      throw expected(String.valueOf(single));
    }
  }

  void requireClosing(String closing, boolean found, String opening, int line)
      throws SyntaxException {
    if (found) {
      lexer.next();
    } else if (line == lexer.line()) {
      throw expected(closing);
    } else {
      throw lexer.near(
          "'" + closing + "' expected (to close '" + opening + "' at line " + line + ")");
    }
  }

  private void requireEnd(Token opening, int line) throws SyntaxException {
    requireClosing(Token.END.text, lexer.token() == Token.END, opening.text, line);
  }

  LuaString name() throws SyntaxException {
    if (lexer.token() != Token.NAME) {
      throw expected(Token.NAME.text);
    }
    LuaString name = lexer.text();
    lexer.next();
    return name;
  }

  // ---- Blocks

  private boolean blockEnds() {
    return switch (lexer.token()) {
      case ELSE, ELSEIF, END, EOS, UNTIL -> true;
      default -> false;
    };
  }

  /** The statements of a block whose scope the caller enters and leaves. */
  private Block block() throws SyntaxException {
    List<Statement> statements = new ArrayList<>();
    enterLevel();
    boolean last = false;
    while (!last && !blockEnds()) {
      Statement statement = statement();
      statements.add(statement);
      last = statement instanceof Statement.Return || statement instanceof Statement.Break;
      accept(';');
    }
    leaveLevel();
    return new Block(List.copyOf(statements));
  }

  private Block scopedBlock() throws SyntaxException {
    int[] entered = scope.enter();
    Block block = block();
    scope.leave(entered);
    return block;
  }

  private Block loopBlock() throws SyntaxException {
    scope.enterLoop();
    Block block = scopedBlock();
    scope.leaveLoop();
    return block;
  }

  private Statement statement() throws SyntaxException {
    int line = lexer.line();
    return switch (lexer.token()) {
      case IF -> ifStatement(line);
      case WHILE -> whileStatement(line);
      case DO -> {
        lexer.next();
        Block block = scopedBlock();
        requireEnd(Token.DO, line);
        yield new Statement.Do(block);
      }
      case FOR -> forStatement(line);
      case REPEAT -> repeatStatement(line);
      case FUNCTION -> functionStatement(line);
      case LOCAL -> {
        lexer.next();
        yield accept(Token.FUNCTION) ? localFunction() : locals();
      }
      case RETURN -> returnStatement();
      case BREAK -> {
        lexer.next();
        if (!scope.isInLoop()) {
          throw lexer.near("no loop to break");
        }
        yield new Statement.Break();
      }
      default -> expressionStatement();
    };
  }

  private Statement ifStatement(int line) throws SyntaxException {
    List<Statement.Branch> branches = new ArrayList<>();
    Block otherwise = null;
    do {
      lexer.next();
      Expression condition = expressions.expression();
      require(Token.THEN);
      branches.add(new Statement.Branch(condition, scopedBlock()));
    } while (lexer.token() == Token.ELSEIF);
    if (accept(Token.ELSE)) {
      otherwise = scopedBlock();
    }
    requireEnd(Token.IF, line);
    return new Statement.If(List.copyOf(branches), otherwise);
  }

  private Statement whileStatement(int line) throws SyntaxException {
    lexer.next();
    Expression condition = expressions.expression();
    require(Token.DO);
    Block block = loopBlock();
    requireEnd(Token.WHILE, line);
    return new Statement.While(condition, block);
  }

  private Statement repeatStatement(int line) throws SyntaxException {
    lexer.next();
    scope.enterLoop();
    int[] entered = scope.enter();
    Block block = block();
    requireClosing("until", lexer.token() == Token.UNTIL, "repeat", line);
    Expression condition = expressions.expression();
    scope.leave(entered);
    scope.leaveLoop();
    return new Statement.Repeat(block, condition);
  }

  private Statement forStatement(int line) throws SyntaxException {
    lexer.next();
    LuaString first = name();
    int[] entered = scope.enter();
    Statement loop;
    if (lexer.isByte('=')) {
      loop = numericFor(first);
    } else if (lexer.isByte(',') || lexer.token() == Token.IN) {
      loop = genericFor(first, line);
    } else {
      throw lexer.near("'=' or 'in' expected");
    }
    scope.leave(entered);
    requireEnd(Token.FOR, line);
    return loop;
  }

  private Statement numericFor(LuaString name) throws SyntaxException {
    lexer.next();
    Expression first = expressions.expression();
    require(',');
    Expression last = expressions.expression();
    Expression step = accept(',') ? expressions.expression() : null;
    scope.reserve(3);
    require(Token.DO);
    int line = lexer.lastLine();
    LocalVariable variable = scope.declare(name);
    scope.show(variable);
    return new Statement.NumericFor(variable, first, last, step, loopBlock(), line);
  }

  private Statement genericFor(LuaString first, int line) throws SyntaxException {
    List<LuaString> names = new ArrayList<>();
    names.add(first);
    while (accept(',')) {
      names.add(name());
    }
    require(Token.IN);
    List<Expression> values = expressions.list();
    int hidden = scope.reserve(3);
    require(Token.DO);
    List<LocalVariable> variables = new ArrayList<>();
    for (LuaString each : names) {
      variables.add(scope.declare(each));
    }
    variables.forEach(scope::show);
    return new Statement.GenericFor(
        List.copyOf(variables), List.copyOf(values), hidden, loopBlock(), line);
  }

  private Statement functionStatement(int line) throws SyntaxException {
    lexer.next();
    LuaString name = name();
    Variable target = scope.resolve(name, lexer.lastLine());
    boolean method = false;
    while (lexer.isByte('.') || lexer.isByte(':')) {
      method = lexer.isByte(':');
      lexer.next();
      Expression key = new Expression.Text(name());
      target = new Expression.Index(target, key, lexer.lastLine());
      if (method) {
        break;
      }
    }
    Expression function = functionBody(method, line);
    return new Statement.Assignment(List.of(target), List.of(function), line);
  }

  private Statement localFunction() throws SyntaxException {
    LocalVariable variable = scope.declare(name());
    scope.show(variable);
    return new Statement.LocalFunction(variable, functionBody(false, lexer.line()));
  }

  private Statement locals() throws SyntaxException {
    List<LuaString> names = new ArrayList<>();
    do {
      names.add(name());
    } while (accept(','));
    List<Expression> values = accept('=') ? expressions.list() : List.of();
    List<LocalVariable> variables = new ArrayList<>();
    for (LuaString each : names) {
      variables.add(scope.declare(each));
    }
    variables.forEach(scope::show);
    return new Statement.Locals(List.copyOf(variables), List.copyOf(values));
  }

  private Statement returnStatement() throws SyntaxException {
    lexer.next();
    List<Expression> values =
        blockEnds() || lexer.isByte(';') ? List.of() : List.copyOf(expressions.list());
    return new Statement.Return(values);
  }

  private Statement expressionStatement() throws SyntaxException {
    Expression first = expressions.suffixed();
    if (first instanceof Expression.Call call) {
      return new Statement.CallStatement(call);
    }
    List<Variable> targets = new ArrayList<>();
    targets.add(variable(first));
    while (accept(',')) {
      targets.add(variable(expressions.suffixed()));
      if (targets.size() > LEVELS_MAX - levels) {
        throw scope.tooMany(LEVELS_MAX - levels, "variables in assignment");
      }
    }
    require('=');
    List<Expression> values = expressions.list();
    return new Statement.Assignment(List.copyOf(targets), List.copyOf(values), lexer.lastLine());
  }

  private Variable variable(Expression expression) throws SyntaxException {
    if (expression instanceof Variable variable) {
      return variable;
    }
    throw lexer.near("syntax error");
  }

  /** From the parameters on. */
  Expression.Function functionBody(boolean method, int line) throws SyntaxException {
    FunctionScope inner = new FunctionScope(scope, lexer, line);
    scope = inner;
    require('(');
    if (method) {
      addParameter(SELF);
    }
    if (!lexer.isByte(')')) {
      do {
        if (lexer.token() == Token.NAME) {
          addParameter(name());
        } else if (accept(Token.DOTS)) {
          inner.variadic = true;
          LocalVariable arg = inner.declare(ARG);
          inner.show(arg);
          inner.legacyArg = arg;
        } else {
          throw lexer.near("<name> or '...' expected");
        }
      } while (!inner.variadic && accept(','));
    }
    require(')');
    Block block = block();
    requireEnd(Token.FUNCTION, line);
    @Nullable FunctionScope outer = inner.outer;
    if (outer == null) {
      throw new IllegalStateException("a function without one around it");
    }
    scope = outer;
    FunctionBody body = inner.body(block);
    outer.noteInner(body);
    return new Expression.Function(body);
  }

  private void addParameter(LuaString name) throws SyntaxException {
    LocalVariable parameter = scope.declare(name);
    scope.parameters.add(parameter);
    scope.show(parameter);
  }
}
