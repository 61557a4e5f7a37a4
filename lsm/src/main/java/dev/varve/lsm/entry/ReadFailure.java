package dev.varve.lsm.entry;

import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * A read met an I/O error or a damaged block; its cause names file and offset. Unchecked, because
 * cursors and data structures between the tree and the command cannot do anything about it.
 */
public final class ReadFailure extends UncheckedIOException {
  private static final long serialVersionUID = 1L;

  public ReadFailure(IOException cause) {
    super(cause.getMessage(), cause);
  }
}
