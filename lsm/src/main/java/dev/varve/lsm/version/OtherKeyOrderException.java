package dev.varve.lsm.version;

import java.io.IOException;

/** The tree on disk sorts its keys by another order than the one it is opened with. */
public final class OtherKeyOrderException extends IOException {
  private static final long serialVersionUID = 1L;

  public OtherKeyOrderException(String path, String stored, String expected) {
    super("the tree in " + path + " sorts its keys by " + stored + ", this program by " + expected);
  }
}
