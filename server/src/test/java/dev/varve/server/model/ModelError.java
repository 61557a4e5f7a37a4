package dev.varve.server.model;

/** A command of the model ends with an error reply. */
final class ModelError extends RuntimeException {
  private static final long serialVersionUID = 1L;

  static final String WRONG_TYPE =
      "WRONGTYPE Operation against a key holding the wrong kind of value";
  static final String NO_SUCH_KEY = "ERR no such key";
  static final String NOT_INTEGER = "ERR value is not an integer or out of range";

  private final String reply;

  ModelError(String reply) {
    super(reply, null, false, false);
    this.reply = reply;
  }

  String reply() {
    return reply;
  }
}
