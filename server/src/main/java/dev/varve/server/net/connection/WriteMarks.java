package dev.varve.server.net.connection;

import io.netty.channel.WriteBufferWaterMark;

/**
 * How much of what a socket has not taken yet lies outside the heap, ready for it. Beyond this it
 * counts as not taking any more, and the rest waits on the heap. The more clients there are, the
 * less it is: all of them together must not take the memory that everybody's replies go through, of
 * which there is as much as heap.
 */
final class WriteMarks {
  private static final int BYTES_MAX = 512 * 1024;
  private static final int BYTES_MIN = 4 * 1024;

  /** What each new client may take is an equal share of this part of the heap. */
  private static final int HEAP_PART = 32;

  /** A socket that took no more takes again below this part of it. */
  private static final int LOW_PART = 4;

  private WriteMarks() {}

  /** Those of a client that is the {@code number}th of those there are, from 1. */
  static WriteBufferWaterMark of(long heapBytesMax, int number) {
    long share = heapBytesMax / HEAP_PART / Math.max(1, number);
    int high = (int) Math.max(BYTES_MIN, Math.min(BYTES_MAX, share));
    return new WriteBufferWaterMark(high / LOW_PART, high);
  }
}
