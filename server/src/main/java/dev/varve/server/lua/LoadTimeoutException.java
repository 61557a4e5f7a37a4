package dev.varve.server.lua;

/** A library took too long to register its functions; no pcall catches this. */
final class LoadTimeoutException extends RuntimeException {
  LoadTimeoutException() {
    super("FUNCTION LOAD timeout", null, false, false);
  }
}
