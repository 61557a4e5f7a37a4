package dev.varve.server.engine;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

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
    return misconf(getMessage());
  }

  /** What clients are told who would write. */
  static String misconf(@Nullable String why) {
    return "MISCONF Errors writing to the log: " + why;
  }
}
