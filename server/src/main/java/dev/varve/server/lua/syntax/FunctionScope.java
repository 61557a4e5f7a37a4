package dev.varve.server.lua.syntax;

import dev.varve.server.lua.syntax.FunctionBody.Block;
import dev.varve.server.lua.syntax.FunctionBody.Capture;
import dev.varve.server.lua.value.LuaString;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The function that is being parsed: its variables in scope, and what it captures of the functions
 * around it.
 *
 * <p>Single-threaded.
 */
final class FunctionScope {
  private static final int LOCALS_MAX = 200;
  private static final int UPVALUES_MAX = 60;

  final @Nullable FunctionScope outer;
  final int line;
  final List<LocalVariable> parameters = new ArrayList<>();
  boolean variadic;
  @Nullable LocalVariable legacyArg;

  private final Lexer lexer;
  private final List<LocalVariable> visible = new ArrayList<>();
  private final List<Capture> captures = new ArrayList<>();
  private int slotNext;
  private int slotsMax;
  private int depthMax;
  private int depthOfInner;
  private int loops;

  FunctionScope(@Nullable FunctionScope outer, Lexer lexer, int line) {
    this.outer = outer;
    this.lexer = lexer;
    this.line = line;
  }

  /** A variable with a slot, not visible before {@link #show}. */
  LocalVariable declare(LuaString name) throws SyntaxException {
    return new LocalVariable(name, reserve(1));
  }

  /** Slots nobody can name. */
  int reserve(int count) throws SyntaxException {
    int first = slotNext;
    slotNext += count;
    if (slotNext > LOCALS_MAX) {
      throw tooMany(LOCALS_MAX, "local variables");
    }
    slotsMax = Math.max(slotsMax, slotNext);
    return first;
  }

  void show(LocalVariable variable) {
    visible.add(variable);
  }

  /** What {@link #leave} needs to end a scope that begins here. */
  int[] enter() {
    return new int[] {visible.size(), slotNext};
  }

  void leave(int[] entered) {
    visible.subList(entered[0], visible.size()).clear();
    slotNext = entered[1];
  }

  void enterLoop() {
    loops++;
  }

  void leaveLoop() {
    loops--;
  }

  boolean isInLoop() {
    return loops > 0;
  }

  void noteDepth(int depth) {
    depthMax = Math.max(depthMax, depth);
  }

  /** A function within is done. */
  void noteInner(FunctionBody inner) {
    depthOfInner = Math.max(depthOfInner, inner.depthInAll());
  }

  Expression.Variable resolve(LuaString name, int nameLine) throws SyntaxException {
    LocalVariable local = find(name);
    if (local != null) {
      return new Expression.Local(local);
    }
    int upvalue = findUpvalue(name);
    return upvalue >= 0
        ? new Expression.Upvalue(upvalue, name.toString())
        : new Expression.Global(name, nameLine);
  }

  private @Nullable LocalVariable find(LuaString name) {
    for (int i = visible.size() - 1; i >= 0; i--) {
      if (visible.get(i).nameText().equals(name)) {
        return visible.get(i);
      }
    }
    return null;
  }

  private int findUpvalue(LuaString name) throws SyntaxException {
    if (outer == null) {
      return -1;
    }
    LocalVariable local = outer.find(name);
    int upvalue = -1;
    if (local != null) {
      local.capture();
    } else {
      upvalue = outer.findUpvalue(name);
      if (upvalue < 0) {
        return -1;
      }
    }
    for (int i = 0; i < captures.size(); i++) {
      if (captures.get(i).local() == local && captures.get(i).outerUpvalue() == upvalue) {
        return i;
      }
    }
    if (captures.size() == UPVALUES_MAX) {
      throw tooMany(UPVALUES_MAX, "upvalues");
    }
    captures.add(new Capture(local, upvalue));
    return captures.size() - 1;
  }

  SyntaxException tooMany(int max, String what) {
    String where = line == 0 ? "main function" : "function at line " + line;
    return lexer.plain(where + " has more than " + max + " " + what);
  }

  FunctionBody body(Block block) {
    return new FunctionBody(
        line,
        List.copyOf(parameters),
        variadic,
        legacyArg,
        List.copyOf(captures),
        slotsMax,
        depthMax,
        Math.max(depthMax, depthOfInner),
        block);
  }
}
