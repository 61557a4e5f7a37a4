package dev.varve.server.engine;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The part of the heap that is there for what is long and is read by who may wait. So many read at
 * a time as keep a disk busy, but no more long values than fit: who finds no room waits for that of
 * others, in the order in which they came. One always goes on, whatever it needs.
 *
 * <p>Any thread.
 */
final class ReadRoom {
  /** What is shorter is not counted: all who read may have that. */
  static final int LONG_BYTES = 64 << 10;

  private static final int GROWTH = 2;

  /**
   * How long anybody waits. What others have may be on its way to clients that do not read, and to
   * wait for those is worse than a heap that may run out.
   */
  private static final int WAIT_SECONDS_MAX = 10;

  private final long bytesMax;
  private final long waitNanosMax;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Deque<Share> waiting = new ArrayDeque<>();
  private long bytes;

  /** Those who have a part of it and do not wait for more. */
  private int goingOn;

  /**
   * @param bytesMax what all may have together
   */
  ReadRoom(long bytesMax) {
    this(bytesMax, TimeUnit.SECONDS.toNanos(WAIT_SECONDS_MAX));
  }

  ReadRoom(long bytesMax, long waitNanosMax) {
    this.bytesMax = bytesMax;
    this.waitNanosMax = waitNanosMax;
  }

  /**
   * A share in it, of nothing yet.
   *
   * @param pause is told when it waits
   */
  Share share(ReadPause pause) {
    return new Share(pause);
  }

  /** What all have. */
  long bytes() {
    lock.lock();
    try {
      return bytes;
    } finally {
      lock.unlock();
    }
  }

  /** How many wait. */
  int waiting() {
    lock.lock();
    try {
      return waiting.size();
    } finally {
      lock.unlock();
    }
  }

  /** What one read has of it. For one thread at a time. */
  final class Share implements AutoCloseable {
    private final ReadPause pause;
    private long its;

    private Share(ReadPause pause) {
      this.pause = pause;
    }

    /** Has so many bytes from here on, if it has not; waits until there is room for them. */
    void need(long needed) {
      if (needed <= LONG_BYTES || needed <= its) {
        return;
      }
      // Whoever gathers little by little does not wait for each.
      long all = Math.max(needed, GROWTH * its);
      if (!growsAtOnce(this, all)) {
        pause.begin();
        try {
          grow(this, all);
        } finally {
          pause.end();
        }
      }
    }

    /** Gives back what it has. */
    @Override
    public void close() {
      if (its > 0) {
        giveBack(this);
      }
    }
  }

  private boolean growsAtOnce(Share share, long needed) {
    lock.lock();
    try {
      boolean isRoom = waiting.isEmpty() && bytes + needed - share.its <= bytesMax;
      if (isRoom) {
        if (share.its == 0) {
          goingOn++;
        }
        give(share, needed);
      }
      return isRoom;
    } finally {
      lock.unlock();
    }
  }

  private void grow(Share share, long needed) {
    lock.lock();
    try {
      if (share.its > 0) {
        goingOn--;
      }
      waiting.add(share);
      changed.signalAll();
      awaitRoom(share, needed - share.its);
      waiting.remove(share);
      goingOn++;
      give(share, needed);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void give(Share share, long needed) {
    bytes += needed - share.its;
    share.its = needed;
  }

  private void awaitRoom(Share share, long more) {
    long left = waitNanosMax;
    try {
      while (left > 0 && !(waiting.peek() == share && (goingOn == 0 || bytes + more <= bytesMax))) {
        left = changed.awaitNanos(left);
      }
    } catch (InterruptedException stopped) {
      // The server ends: what is read now is read by nobody.
      Thread.currentThread().interrupt();
    }
  }

  private void giveBack(Share share) {
    lock.lock();
    try {
      bytes -= share.its;
      share.its = 0;
      goingOn--;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
