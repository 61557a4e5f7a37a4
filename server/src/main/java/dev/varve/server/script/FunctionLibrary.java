package dev.varve.server.script;

import dev.varve.server.lua.ScriptFlag;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A library of functions as everybody knows it; each interpreter loads its code for itself.
 *
 * <p>Immutable, for any thread. Its identity is what interpreters know it by.
 */
public final class FunctionLibrary {

  /** A function of a library. */
  public record Function(String name, @Nullable String description, Set<ScriptFlag> flags) {}

  private final String name;
  private final byte[] code;
  private final List<Function> functions;

  /**
   * @param code all of it, first line included
   */
  FunctionLibrary(String name, byte[] code, List<Function> functions) {
    this.name = name;
    this.code = code;
    this.functions = List.copyOf(functions);
  }

  public String name() {
    return name;
  }

  /** Not to be changed. */
  public byte[] code() {
    return code;
  }

  public List<Function> functions() {
    return functions;
  }
}
