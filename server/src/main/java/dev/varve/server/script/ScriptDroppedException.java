package dev.varve.server.script;

/** A script is given up because the server stops; no pcall catches this. */
public final class ScriptDroppedException extends RuntimeException {
  public ScriptDroppedException() {
    super("the server stops", null, false, false);
  }
}
