package dev.varve.server.resp;

/** Takes what a decoder finds, in the order it came. Called on the decoder's thread. */
public interface RequestSink {

  /** A whole request, of at least one part. */
  void request(Args args);

  /**
   * The client does not speak the protocol: {@code what} says how, as in Redis's error reply after
   * "Protocol error: ". Called once; nothing follows, and the connection is to be closed.
   */
  void protocolError(String what);
}
