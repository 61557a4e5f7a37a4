package dev.varve.wal;

import java.io.IOException;

/** A file was written by a later release, in a format that this one does not know. */
public final class FormatTooNewException extends IOException {
  private static final long serialVersionUID = 1L;

  public FormatTooNewException(String file, int got, int newestKnown) {
    super(
        "file "
            + file
            + " has format version "
            + got
            + "; this release reads up to "
            + newestKnown
            + ": use a newer Varve");
  }
}
