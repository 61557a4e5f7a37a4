package dev.varve.wal;

import java.io.IOException;

/** What to tell of work that failed, in one line. Holds no state. */
public final class FailureReason {

  /** What an IOException says; of anything else, whose message may be a word, the type too. */
  public static String of(Throwable failure) {
    String message = failure.getMessage();
    return failure instanceof IOException && message != null ? message : failure.toString();
  }

  private FailureReason() {}
}
