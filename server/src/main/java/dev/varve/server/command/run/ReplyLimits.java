package dev.varve.server.command.run;

/** How long a reply may grow that is made whole; a longer one leaves in pieces. */
final class ReplyLimits {
  /** So much takes some milliseconds. */
  private static final int BYTES_MAX = 4 << 20;

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

  static int bytesMax(Role role) {
    return role == Role.WORKER ? WORKER_BYTES_MAX : BYTES_MAX;
  }
}
