package dev.varve.server.resp;

/**
 * A reply of which a part has left will not come to its end: nobody reads it, or the rest could not
 * be made. All that is left is to close the connection.
 */
public final class ReplyCutShortException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public ReplyCutShortException(String why) {
    super(why);
  }
}
