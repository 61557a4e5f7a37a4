package dev.varve.server.command.run;

/**
 * Ends a run that only reads, and that takes too long to be made here, or whose reply has become
 * too long. Nothing was written.
 */
final class LongReadSignal extends RuntimeException {
  private static final long serialVersionUID = 1;

  static final LongReadSignal INSTANCE = new LongReadSignal();

  private LongReadSignal() {
    super("the read is too long to be made here", null, false, false);
  }
}
