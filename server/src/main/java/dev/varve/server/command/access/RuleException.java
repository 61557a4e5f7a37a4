package dev.varve.server.command.access;

/** A modifier that cannot be: says why, with Redis's words. */
public final class RuleException extends Exception {
  private static final long serialVersionUID = 1L;

  public RuleException(String what) {
    super(what);
  }

  /** Why. */
  public String what() {
    return String.valueOf(getMessage());
  }
}
