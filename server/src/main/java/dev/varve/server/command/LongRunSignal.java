package dev.varve.server.command;

import dev.varve.server.script.ScriptRuns;
import org.jspecify.annotations.Nullable;

/**
 * A script, or another command that writes, has held its thread for long enough: it is unwound, and
 * runs again where it holds up nobody. No pcall catches this.
 */
public final class LongRunSignal extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** No script runs: the command itself takes long. */
  public static final LongRunSignal OF_WRITE = new LongRunSignal(null);

  private final transient ScriptRuns.@Nullable Run run;

  private LongRunSignal(ScriptRuns.@Nullable Run run) {
    super("the command takes long", null, false, false);
    this.run = run;
  }

  public static LongRunSignal of(ScriptRuns.Run run) {
    return new LongRunSignal(run);
  }

  /** The run of the script that was unwound; null if that was none. */
  public ScriptRuns.@Nullable Run run() {
    return run;
  }
}
