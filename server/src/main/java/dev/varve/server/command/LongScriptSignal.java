package dev.varve.server.command;

/**
 * A script has held its thread for long enough: it is unwound, and runs again where it holds up
 * nobody. No pcall catches this.
 */
final class LongScriptSignal extends RuntimeException {
  private final transient ScriptRuns.Run run;

  LongScriptSignal(ScriptRuns.Run run) {
    super("the script takes long", null, false, false);
    this.run = run;
  }

  /** The run that was unwound. */
  ScriptRuns.Run run() {
    return run;
  }
}
