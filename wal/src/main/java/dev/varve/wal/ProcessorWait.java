package dev.varve.wal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How long a thread was ready to run and had no processor, as Linux counts it in the second number
 * of {@code /proc/PID/task/TID/schedstat}.
 *
 * <p>For that thread: a wait is counted when it is over. {@link #close} is for any thread.
 */
public final class ProcessorWait implements AutoCloseable {
  private static final Path THIS_THREAD = Path.of("/proc/thread-self");
  private static final String FILE = "schedstat";
  private static final int FILE_BYTES_MAX = 128;

  private final FileChannel file;
  private final LongSupplier nanos;
  private final ByteBuffer text = ByteBuffer.allocateDirect(FILE_BYTES_MAX);
  private long notedNanos;
  private long notedWaitNanos;

  /**
   * @param file as schedstat has it
   * @param nanos a clock that never goes back
   */
  public ProcessorWait(Path file, LongSupplier nanos) throws IOException {
    this.file = FileChannel.open(file);
    this.nanos = nanos;
    note();
  }

  /** Of the thread that asks; null where the system does not tell. */
  public static @Nullable ProcessorWait ofThisThread() {
    try {
      // The link is another one for each thread that follows it.
      Path thread = THIS_THREAD.resolveSibling(Files.readSymbolicLink(THIS_THREAD));
      return new ProcessorWait(thread.resolve(FILE), System::nanoTime);
    } catch (IOException | UnsupportedOperationException notTold) {
      return null;
    }
  }

  /** Notes how long it has waited until now, if it has not for {@code afterNanos}. */
  public void noteAfter(long afterNanos) {
    if (nanos.getAsLong() - notedNanos >= afterNanos) {
      note();
    }
  }

  private void note() {
    notedWaitNanos = waitedNanos();
    notedNanos = nanos.getAsLong();
  }

  /**
   * How long it has not waited for a processor since {@code beganNanos}: at most so long did it
   * run, or wait for something else. What it did between the last note and then counts too.
   */
  public long ownNanosSince(long beganNanos) {
    long now = nanos.getAsLong();
    long all = now - beganNanos;
    return notedNanos - beganNanos > 0
        ? all
        : Math.min(all, now - notedNanos - (waitedNanos() - notedWaitNanos));
  }

  /** Since the thread began; 0 where that is told no more. */
  private long waitedNanos() {
    text.clear();
    try {
      file.read(text, 0);
    } catch (IOException closed) {
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
