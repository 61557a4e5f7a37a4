package dev.varve.server.net.follow;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * All data of a master on its way from the event loop, which never waits, to a worker, which does.
 *
 * <p>One thread adds, another one reads.
 */
final class DumpPipe extends InputStream {
  private final long heldBytesMax;
  private final Runnable onRoom;
  private final Deque<byte[]> pieces = new ArrayDeque<>();
  private long heldBytes;
  private int at;
  private boolean isFull;
  private boolean isEnded;
  private @Nullable IOException failure;

  /**
   * @param heldBytesMax from which on nothing is to be added
   * @param onRoom called by who reads, when something may be added again
   */
  DumpPipe(long heldBytesMax, Runnable onRoom) {
    this.heldBytesMax = heldBytesMax;
    this.onRoom = onRoom;
  }

  /** Adds what comes next. */
  synchronized void add(byte[] piece) {
    pieces.add(piece);
    heldBytes += piece.length;
    isFull = heldBytes >= heldBytesMax;
    notifyAll();
  }

  /** Whether nothing more is to be added now. */
  synchronized boolean isFull() {
    return isFull;
  }

  /** That was all. */
  synchronized void end() {
    isEnded = true;
    notifyAll();
  }

  /** There will be no more: who reads is told so at once. */
  synchronized void fail(IOException why) {
    if (failure == null) {
      failure = why;
      pieces.clear();
      notifyAll();
    }
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
  }

  @Override
  public int read(byte[] target, int offset, int count) throws IOException {
    if (count == 0) {
      return 0;
    }
    boolean hasRoom;
    int taken;
    synchronized (this) {
      awaitBytes();
      byte[] first = pieces.peek();
      if (first == null) {
        return -1;
      }
      taken = Math.min(count, first.length - at);
      System.arraycopy(first, at, target, offset, taken);
      at += taken;
      if (at == first.length) {
        pieces.remove();
        at = 0;
      }
      heldBytes -= taken;
      hasRoom = isFull && heldBytes < heldBytesMax / 2;
      isFull &= !hasRoom;
    }
    if (hasRoom) {
      onRoom.run();
    }
    return taken;
  }

  private void awaitBytes() throws IOException {
    while (pieces.isEmpty() && !isEnded && failure == null) {
      try {
        wait();
      } catch (InterruptedException stopping) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("interrupted");
      }
    }
    if (failure != null) {
      throw new IOException(failure.getMessage(), failure);
    }
  }
}
