package dev.varve.server.engine;

import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * What was to be written was not, since the log cannot be written. Unchecked, as a {@link
 * dev.varve.lsm.entry.ReadFailure}.
 */
public final class WriteFailure extends UncheckedIOException {
  private static final long serialVersionUID = 1L;

  public WriteFailure(IOException cause) {
    super(cause.getMessage(), cause);
  }

  /** The reply to a client, without the leading '-'. */
  public String error() {
    return TreeEngine.misconf(getMessage());
  }
}
