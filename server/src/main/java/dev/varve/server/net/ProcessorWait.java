package dev.varve.server.net;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How long one thread was ready to run and had no processor, as Linux counts it in the second
 * number of {@code /proc/PID/task/TID/schedstat}.
 *
 * <p>Any thread, but a wait is counted when it is over: who asks for himself has all of his.
 */
final class ProcessorWait implements Closeable {
  private static final Path THIS_THREAD = Path.of("/proc/thread-self");
  private static final String FILE = "schedstat";
  private static final int FILE_BYTES_MAX = 128;
  private static final int SAMPLES = 64;

  private final FileChannel file;
  private final LongSupplier nanos;
  private final ByteBuffer text = ByteBuffer.allocateDirect(FILE_BYTES_MAX);

  // The last samples, in a ring: when, and how long it had waited by then.
  private final long[] sampledNanos = new long[SAMPLES];
  private final long[] sampledWaitNanos = new long[SAMPLES];
  private int samples;

  /**
   * @param file as schedstat has it
   * @param nanos a clock that never goes back
   */
  ProcessorWait(Path file, LongSupplier nanos) throws IOException {
    this.file = FileChannel.open(file);
    this.nanos = nanos;
  }

  /** Of the thread that asks; null where the system does not tell. */
  static @Nullable ProcessorWait ofThisThread() {
    try {
      // The link is another one for each thread that follows it.
      Path thread = THIS_THREAD.resolveSibling(Files.readSymbolicLink(THIS_THREAD));
      return new ProcessorWait(thread.resolve(FILE), System::nanoTime);
    } catch (IOException | UnsupportedOperationException notTold) {
      return null;
    }
  }

  /** Notes how long it has waited until now. */
  synchronized void sample() {
    int at = samples % SAMPLES;
    sampledWaitNanos[at] = waitedNanos();
    sampledNanos[at] = nanos.getAsLong();
    samples++;
  }

  /**
   * How long it has not waited for a processor since {@code beganNanos}: at most so long did it
   * run, or wait for something else. What it did between the last sample before then and then
   * counts too.
   */
  synchronized long ownNanosSince(long beganNanos) {
    long now = nanos.getAsLong();
    long all = now - beganNanos;
    for (int sample = samples - 1; sample >= Math.max(0, samples - SAMPLES); sample--) {
      int at = sample % SAMPLES;
      if (sampledNanos[at] - beganNanos <= 0) {
        return Math.min(all, now - sampledNanos[at] - (waitedNanos() - sampledWaitNanos[at]));
      }
    }
    return all;
  }

  /** Since the thread began; 0 once it has ended. */
  private long waitedNanos() {
    text.clear();
    try {
      file.read(text, 0);
    } catch (IOException ended) {
      return 0;
    }
    text.flip();
    long number = 0;
    boolean isSecond = false;
    while (text.hasRemaining()) {
      byte next = text.get();
      if (isSecond && next == ' ') {
        return number;
      } else if (isSecond) {
        number = 10 * number + next - '0';
      }
      isSecond |= next == ' ';
    }
    return 0;
  }

  @Override
  public void close() {
    try {
      file.close();
    } catch (IOException nothingToLose) {
      // It was read, and never written.
      return;
    }
  }
}
