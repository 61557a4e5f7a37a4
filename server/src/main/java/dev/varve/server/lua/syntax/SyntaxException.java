package dev.varve.server.lua.syntax;

/** A chunk that does not compile; the message is Lua's own, with chunk and line in front. */
public final class SyntaxException extends Exception {
  public SyntaxException(String message) {
    super(message, null, false, false);
  }

  /** Always there. */
  @Override
  public String getMessage() {
    return String.valueOf(super.getMessage());
  }
}
