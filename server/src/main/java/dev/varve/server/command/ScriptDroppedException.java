package dev.varve.server.command;

/** A script is given up because the server stops; no pcall catches this. */
final class ScriptDroppedException extends RuntimeException {
  ScriptDroppedException() {
    super("the server stops", null, false, false);
  }
}
