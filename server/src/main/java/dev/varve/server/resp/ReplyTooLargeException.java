package dev.varve.server.resp;

/** A reply does not fit into the memory a single reply may take. */
public final class ReplyTooLargeException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  ReplyTooLargeException(long bytes) {
    super("reply of more than " + bytes + " bytes is too large");
  }
}
