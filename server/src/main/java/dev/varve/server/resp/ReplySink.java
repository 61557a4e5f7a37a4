package dev.varve.server.resp;

/** Takes a long reply piece by piece, on the thread that makes it. */
public interface ReplySink {

  /**
   * Takes the next piece, {@code bytes[from, to)}; the array is its own from then on. Waits until
   * there is room.
   *
   * @throws ReplyCutShortException when nobody reads any more
   */
  void piece(byte[] bytes, int from, int to);

  /**
   * A value of so many bytes comes next, in pieces.
   *
   * @throws ReplyCutShortException when the client may not be sent as much at once
   */
  default void announce(int bytes) {}

  /** Who makes the reply waits for others, and not for its client. */
  default void pauses() {}

  /** It does no longer. */
  default void goesOn() {}

  /**
   * Looks, now and then, whether the reply is still wanted while nothing of it can be sent.
   *
   * @throws ReplyCutShortException when it is not
   */
  void check();
}
