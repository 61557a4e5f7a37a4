package dev.varve.server.command.data;

import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The places where SCANs of the keyspace may go on, under the numbers that clients were given.
 *
 * <p>Any thread.
 */
final class ScanCursors {
  /*
   * A cursor of Redis is a number, and a place in an ordered keyspace is a key, so the server must
   * remember which is which. It keeps the latest ones, and as many bytes of them as fit: a client
   * that goes on with an older one is told, rather than shown only part of the keys. The first number is
   * random, so that one from before a restart is not taken for another's: such a scan begins anew,
   * which shows keys twice and leaves none out.
   *
   * Places lie one behind the other in a ring of bytes, and where each of them ends in a ring of numbers.
   * As objects in a queue they would live just long enough to be copied by the next collection, each a
   * hundred thousand of them once there are as many SCANs in a second.
   */
  static final int COUNT_MAX = 100_000;
  static final long BYTES_MAX = 16L * 1024 * 1024;

  /** Numbers stay exact in clients that keep them in a double. */
  private static final long FIRST_BOUND = 1L << 52;

  private static final int RING_BYTES_MIN = 1024;

  private final int countMax;
  private final long bytesMax;
  private final long first;
  private long oldest;
  private long next;

  /** Positions count all bytes that were ever added; of these the ring has the latest. */
  private long start;

  private long end;
  private byte[] ring = new byte[RING_BYTES_MIN];

  /**
   * The position behind the place of each number. Made with the first of them: most servers stay
   * without.
   */
  private long @Nullable [] ends;

  ScanCursors(RandomGenerator random, int countMax, long bytesMax) {
    this.first = random.nextLong(1, FIRST_BOUND);
    this.oldest = first;
    this.next = first;
    this.countMax = countMax;
    this.bytesMax = bytesMax;
  }

  /** Remembers a place; returns its number, never zero. */
  synchronized long add(byte[] place) {
    long[] its = ends();
    // The newest one stays, however long it is.
    while (next - oldest == countMax || (end - start + place.length > bytesMax && oldest < next)) {
      start = its[index(oldest++)];
    }
    fit(end - start + place.length);
    write(place);
    its[index(next)] = end;
    return next++;
  }

  /** Whether the server has given this number to anybody since it started. */
  synchronized boolean isGiven(long cursor) {
    return first <= cursor && cursor < next;
  }

  /** The place with this number, or null if it is not known any more. */
  synchronized byte @Nullable [] place(long cursor) {
    if (cursor < oldest || cursor >= next) {
      return null;
    }
    long from = cursor == oldest ? start : ends()[index(cursor - 1)];
    return read(from, ends()[index(cursor)]);
  }

  private long[] ends() {
    long[] its = ends;
    if (its == null) {
      its = new long[powerOfTwo(countMax)];
      ends = its;
    }
    return its;
  }

  private int index(long cursor) {
    return (int) cursor & (ends().length - 1);
  }

  /**
   * Makes the ring as large as what it has to hold, and small again behind a place that was long.
   */
  private void fit(long bytes) {
    if (bytes > ring.length || (ring.length > ringBytes(bytesMax) && bytes <= bytesMax)) {
      byte[] held = read(start, end);
      ring = new byte[ringBytes(bytes)];
      end = start;
      write(held);
    }
  }

  private static int ringBytes(long bytes) {
    return Math.max(RING_BYTES_MIN, powerOfTwo(bytes));
  }

  /** The next one from {@code least} on, so that a position says where in a ring it is. */
  private static int powerOfTwo(long least) {
    return 1 << (Long.SIZE - Long.numberOfLeadingZeros(Math.max(1, least) - 1));
  }

  private void write(byte[] place) {
    int at = (int) (end & (ring.length - 1));
    int untilItsEnd = Math.min(place.length, ring.length - at);
    System.arraycopy(place, 0, ring, at, untilItsEnd);
    System.arraycopy(place, untilItsEnd, ring, 0, place.length - untilItsEnd);
    end += place.length;
  }

  private byte[] read(long from, long to) {
    byte[] place = new byte[(int) (to - from)];
    int at = (int) (from & (ring.length - 1));
    int untilItsEnd = Math.min(place.length, ring.length - at);
    System.arraycopy(ring, at, place, 0, untilItsEnd);
    System.arraycopy(ring, 0, place, untilItsEnd, place.length - untilItsEnd);
    return place;
  }
}
