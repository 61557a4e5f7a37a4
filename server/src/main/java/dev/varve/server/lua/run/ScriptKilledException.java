package dev.varve.server.lua.run;

/** Somebody stopped the script; no pcall catches this. */
public final class ScriptKilledException extends RuntimeException {
  public ScriptKilledException(String message) {
    super(message, null, false, false);
  }
}
