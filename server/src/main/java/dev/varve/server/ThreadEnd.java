package dev.varve.server;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What becomes of the process when a thread ends by a failure: it goes on, except where memory has
 * run out. An event loop that is gone leaves its clients without an answer, and whoever watches the
 * process without a reason to start it anew; what is acknowledged is safe, as after {@code kill
 * -9}.
 */
final class ThreadEnd implements Thread.UncaughtExceptionHandler {
  /** As the runtime itself ends with {@code -XX:+ExitOnOutOfMemoryError}. */
  static final int EXIT_NO_MEMORY = 3;

  private static final Logger LOG = LoggerFactory.getLogger(ThreadEnd.class);

  // Made beforehand, as nothing can be made any more then.
  private static final FileOutputStream ERRORS = new FileOutputStream(FileDescriptor.err);
  private static final byte[] NO_MEMORY =
      "varve: out of memory, and a thread has ended by it: exit\n"
          .getBytes(StandardCharsets.US_ASCII);

  private final IntConsumer halt;

  /**
   * @param halt ends the process with a status, at once
   */
  ThreadEnd(IntConsumer halt) {
    this.halt = halt;
  }

  @Override
  public void uncaughtException(Thread thread, Throwable failure) {
    if (failure instanceof OutOfMemoryError) {
      try {
        ERRORS.write(NO_MEMORY);
      } catch (IOException | OutOfMemoryError notTold) {
        // It ends all the same.
      } finally {
        halt.accept(EXIT_NO_MEMORY);
      }
      return;
    }
    LOG.error("thread {} has ended", thread.getName(), failure);
  }
}
