package dev.varve.server.command.run;

/**
 * How long a reply may grow that is made whole; a longer one leaves in pieces, as its client reads.
 */
final class ReplyLimits {
  /** So much takes some milliseconds. */
  private static final int BYTES_MAX = 4 << 20;

  /** So much takes less than to hand it to another thread does. */
  private static final int BYTES_MIN = 64 << 10;

  /**
   * Of what is left for all replies. With its array, which doubles as it grows, one takes a quarter
   * at most, so that those that nobody has read yet never fill it.
   */
  private static final int ROOM_PART = 8;

  /** An array of bytes that grows is there beside the one that is twice as long. */
  private static final int GROWTH = 3;

  private static final int WORKERS_HEAP_PART = 4;

  /** What all workers make together takes a quarter of the heap at most. */
  private static final int WORKER_BYTES_MAX =
      (int)
          Math.min(
              BYTES_MAX,
              Runtime.getRuntime().maxMemory() / WORKERS_HEAP_PART / GROWTH / Role.WORKERS_MAX);

  private ReplyLimits() {}

  /**
   * In bytes.
   *
   * @param room bytes that are left for what all clients leave unread
   */
  static int bytesMax(Role role, long room) {
    int most = role == Role.WORKER ? WORKER_BYTES_MAX : BYTES_MAX;
    return (int) Math.min(most, Math.max(BYTES_MIN, room / ROOM_PART));
  }
}
