package dev.varve.server.command.data;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
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
   */
  static final int COUNT_MAX = 100_000;
  static final long BYTES_MAX = 16L * 1024 * 1024;

  /** Numbers stay exact in clients that keep them in a double. */
  private static final long FIRST_BOUND = 1L << 52;

  private final Map<Long, byte[]> places = new HashMap<>();
  private final Deque<Long> oldestFirst = new ArrayDeque<>();
  private final int countMax;
  private final long bytesMax;
  private final long first;
  private long next;
  private long bytes;

  ScanCursors(RandomGenerator random, int countMax, long bytesMax) {
    this.first = random.nextLong(1, FIRST_BOUND);
    this.next = first;
    this.countMax = countMax;
    this.bytesMax = bytesMax;
  }

  /** Remembers a place; returns its number, never zero. */
  synchronized long add(byte[] place) {
    long cursor = next++;
    places.put(cursor, place);
    oldestFirst.add(cursor);
    bytes += place.length;
    // The newest one stays, however long it is.
    while (places.size() > countMax || (bytes > bytesMax && places.size() > 1)) {
      byte[] forgotten = places.remove(oldestFirst.remove());
      bytes -= forgotten == null ? 0 : forgotten.length;
    }
    return cursor;
  }

  /** Whether the server has given this number to anybody since it started. */
  synchronized boolean isGiven(long cursor) {
    return first <= cursor && cursor < next;
  }

  /** The place with this number, or null if it is not known any more. */
  synchronized byte @Nullable [] place(long cursor) {
    return places.get(cursor);
  }
}
