package dev.varve.server.command;

/**
 * A script has held its thread for long enough: it is unwound, and runs again where it holds up
 * nobody. No pcall catches this.
 */
final class LongScriptSignal extends RuntimeException {
  /** For a script of a client. */
  static final LongScriptSignal SCRIPT = new LongScriptSignal(false);

  /** For a function of a library. */
  static final LongScriptSignal FUNCTION = new LongScriptSignal(true);

  private final boolean isFunction;

  private LongScriptSignal(boolean isFunction) {
    super("the script takes long", null, false, false);
    this.isFunction = isFunction;
  }

  boolean isFunction() {
    return isFunction;
  }
}
