package dev.varve.server.net.connection;

import java.util.concurrent.atomic.LongAdder;

/**
 * Counts transfers and their bytes at the price of one of the two.
 *
 * <p>Any thread. Something has to look at it now and then: see {@link #BYTES_BITS}.
 */
final class TransferCount {
  /*
   * Sockets are read and written for each request of a client that sends one at a time, and an addition
   * that other threads may see costs as much as some commands do. So both figures are in one sum: bytes
   * in its low bits, transfers above. Each look takes what has come since the last one, which is right
   * although the sum overflows, as long as neither part of that does.
   */

  /** Between two looks there may be 256 GiB and 67 million transfers; there is one each second. */
  private static final int BYTES_BITS = 38;

  private static final long BYTES_MASK = (1L << BYTES_BITS) - 1;

  private final LongAdder sum = new LongAdder();
  private long sumSeen;
  private long transfers;
  private long bytes;

  /** Counts a transfer of so many bytes. */
  void add(long itsBytes) {
    sum.add((1L << BYTES_BITS) + itsBytes);
  }

  synchronized long transfers() {
    look();
    return transfers;
  }

  synchronized long bytes() {
    look();
    return bytes;
  }

  /** Counts both again from zero. */
  synchronized void reset() {
    look();
    transfers = 0;
    bytes = 0;
  }

  private void look() {
    long now = sum.sum();
    long since = now - sumSeen;
    sumSeen = now;
    transfers += since >>> BYTES_BITS;
    bytes += since & BYTES_MASK;
  }
}
