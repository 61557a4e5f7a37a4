package dev.varve.server.lua;

/** A library could not be loaded; the message is Redis's, without a code. */
public final class LoadFailedException extends Exception {
  LoadFailedException(String message) {
    super(message, null, false, false);
  }
}
