package dev.varve.server.command.run;

/** Ends a run whose reply has become too long to be made here, whole. Nothing was written. */
final class LongReplySignal extends RuntimeException {
  private static final long serialVersionUID = 1;

  static final LongReplySignal INSTANCE = new LongReplySignal();

  private LongReplySignal() {
    super("the reply is too long to be made here", null, false, false);
  }
}
