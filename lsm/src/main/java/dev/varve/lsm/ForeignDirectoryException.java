package dev.varve.lsm;

import java.io.IOException;

/** A directory holds files that no tree wrote: it is left as it is. */
public final class ForeignDirectoryException extends IOException {
  private static final long serialVersionUID = 1L;

  public ForeignDirectoryException(String path, String file) {
    super(
        "directory "
            + path
            + " was not written by Varve: it holds "
            + file
            + " but no CURRENT; choose an empty --dir");
  }
}
