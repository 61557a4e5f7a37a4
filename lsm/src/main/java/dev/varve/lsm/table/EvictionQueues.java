package dev.varve.lsm.table;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Decides what leaves a cache. Whoever calls it holds the cache's lock. */
final class EvictionQueues {
  /*
   * S3-FIFO (Yang and others, "FIFO queues are all you need for cache eviction", SOSP 2023): what is
   * new goes into a small queue, and comes into the main one only if it was used meanwhile, or comes
   * back soon after it has left. So one long scan passes through the small queue and leaves the rest
   * alone. The main queue is a clock: what was used goes round again. A hit is a plain store, and
   * nothing is kept in order but when something comes or goes.
   */

  /** The small queue's share of the limit is one in so many. */
  private static final int SMALL_SHARE = 10;

  private final Queue small = new Queue();
  private final Queue main = new Queue();
  private final GhostKeys ghosts;
  private final Consumer<Evictable> onEviction;
  private long bytesMax;

  /** A queue in order of arrival, linked through its members. */
  static final class Queue {
    private @Nullable Evictable oldest;
    private @Nullable Evictable newest;
    private long bytes;

    private void add(Evictable member) {
      member.queue = this;
      member.older = newest;
      member.newer = null;
      if (newest == null) {
        oldest = member;
      } else {
        newest.newer = member;
      }
      newest = member;
      bytes += member.weight();
    }

    private void remove(Evictable member) {
      Evictable older = member.older;
      Evictable newer = member.newer;
      if (older == null) {
        oldest = newer;
      } else {
        older.newer = newer;
      }
      if (newer == null) {
        newest = older;
      } else {
        newer.older = older;
      }
      member.queue = null;
      member.older = null;
      member.newer = null;
      bytes -= member.weight();
    }
  }

  /**
   * @param bytesMax what all members together may weigh
   * @param onEviction is given what leaves for want of room, in the call that made it leave
   */
  EvictionQueues(long bytesMax, Consumer<Evictable> onEviction) {
    this.bytesMax = bytesMax;
    this.ghosts = GhostKeys.forBytes(bytesMax);
    this.onEviction = onEviction;
  }

  /** Takes a member in; it may be the first to leave, and leaves alone what cannot stay at all. */
  void add(Evictable member) {
    member.setUses(0);
    if (member.weight() > bytesMax) {
      onEviction.accept(member);
      return;
    }
    (ghosts.remove(member.key) ? main : small).add(member);
    evict();
  }

  /** Takes in a member that is known to be in use: it need not prove itself in the small queue. */
  void addProven(Evictable member) {
    member.setUses(0);
    if (member.weight() > bytesMax) {
      onEviction.accept(member);
      return;
    }
    main.add(member);
    evict();
  }

  /** Takes a member out without a word to anybody; nothing if it is not in. */
  void remove(Evictable member) {
    Queue queue = member.queue;
    if (queue != null) {
      queue.remove(member);
    }
  }

  long bytes() {
    return small.bytes + main.bytes;
  }

  long bytesMax() {
    return bytesMax;
  }

  void setBytesMax(long bytes) {
    bytesMax = bytes;
    evict();
  }

  private void evict() {
    while (bytes() > bytesMax) {
      Evictable candidate = small.oldest;
      if (candidate != null && (small.bytes > bytesMax / SMALL_SHARE || main.oldest == null)) {
        judgeSmall(candidate);
      } else if (main.oldest != null) {
        judgeMain(main.oldest);
      } else {
        return;
      }
    }
  }

  private void judgeSmall(Evictable candidate) {
    small.remove(candidate);
    if (candidate.uses() > 0) {
      candidate.setUses(0);
      main.add(candidate);
    } else {
      ghosts.add(candidate.key);
      onEviction.accept(candidate);
    }
  }

  private void judgeMain(Evictable candidate) {
    main.remove(candidate);
    int uses = candidate.uses();
    if (uses > 0) {
      candidate.setUses(uses - 1);
      main.add(candidate);
    } else {
      onEviction.accept(candidate);
    }
  }
}
