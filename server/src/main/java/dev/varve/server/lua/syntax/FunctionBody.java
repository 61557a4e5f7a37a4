package dev.varve.server.lua.syntax;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A function as it is written.
 *
 * @param line where it begins; 0 for a chunk
 * @param legacyArg the variable {@code arg} of a function that takes any number of arguments and
 *     never says {@code ...}; null otherwise
 * @param slots how many slots its frame needs
 * @param depth about how many levels deep its tree is, without the functions within
 * @param depthInAll the same of the deepest function within
 */
public record FunctionBody(
    int line,
    List<LocalVariable> parameters,
    boolean variadic,
    @Nullable LocalVariable legacyArg,
    List<Capture> captures,
    int slots,
    int depth,
    int depthInAll,
    Block block) {

  /**
   * Where an upvalue comes from when the function is made: a local variable of the function around
   * it, or an upvalue of that one.
   */
  public record Capture(@Nullable LocalVariable local, int outerUpvalue) {}

  /** Statements in their order. */
  public record Block(List<Statement> statements) {}
}
