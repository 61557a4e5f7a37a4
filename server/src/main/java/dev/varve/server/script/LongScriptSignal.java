package dev.varve.server.script;

/**
 * A script has held its thread for long enough: it is unwound, and runs again where it holds up
 * nobody. No pcall catches this.
 */
public final class LongScriptSignal extends RuntimeException {
  private final transient ScriptRuns.Run run;

  public LongScriptSignal(ScriptRuns.Run run) {
    super("the script takes long", null, false, false);
    this.run = run;
  }

  /** The run that was unwound. */
  public ScriptRuns.Run run() {
    return run;
  }
}
