package dev.varve.server.lua.run;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The part of the heap that is there for what scripts make and libraries keep, in all interpreters
 * together. Each may have a little without asking; what is more, it takes from here and gives back
 * when its script has ended.
 *
 * <p>Any thread.
 */
public final class ScriptRoom {
  private static final int HEAP_PART = 4;

  /** What each interpreter has without asking; with those of all workers about a twelfth. */
  private static final int OWN_HEAP_PART = 1024;

  /**
   * Who asks for more than it needs now is given that if it is no more than this part of the rest.
   */
  private static final int REST_PART = 4;

  /** How long a script waits for what others have. */
  private static final long WAIT_NANOS_MAX = TimeUnit.SECONDS.toNanos(10);

  /** How often who waits looks whether it is to go on. */
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final long bytesMax;
  private final long ownBytes;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private long taken;

  /**
   * @param bytesMax what all may have together
   * @param ownBytes what each has without asking
   */
  public ScriptRoom(long bytesMax, long ownBytes) {
    this.bytesMax = bytesMax;
    this.ownBytes = ownBytes;
  }

  /** The room of a server. */
  public static ScriptRoom standard() {
    long heap = Runtime.getRuntime().maxMemory();
    return new ScriptRoom(heap / HEAP_PART, heap / OWN_HEAP_PART);
  }

  /** The room of one interpreter that is alone. */
  static ScriptRoom alone(LuaLimits limits) {
    return new ScriptRoom(limits.memoryBytesMax(), limits.memoryBytesMax() / OWN_HEAP_PART);
  }

  long ownBytes() {
    return ownBytes;
  }

  /** What has been taken and not been given back. */
  public long taken() {
    lock.lock();
    try {
      return taken;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Takes so many bytes, or at least those that are needed. Returns what it took: 0 where there is
   * not enough.
   */
  long take(long wanted, long needed) {
    lock.lock();
    try {
      long rest = bytesMax - taken;
      long given = wanted <= rest / REST_PART ? wanted : needed <= rest ? needed : 0;
      taken += given;
      return given;
    } finally {
      lock.unlock();
    }
  }

  /**
   * The same of what is needed, where others may give something back meanwhile.
   *
   * @param watch is asked every so often, and throws to end the wait
   */
  long await(long needed, Runnable watch) {
    long until = System.nanoTime() + WAIT_NANOS_MAX;
    while (needed <= bytesMax) {
      long given = take(needed, needed);
      long left = until - System.nanoTime();
      if (given > 0 || left <= 0 || !awaitChange(Math.min(left, LOOK_NANOS))) {
        return given;
      }
      watch.run();
    }
    return 0;
  }

  /** Returns whether it is to go on waiting. */
  private boolean awaitChange(long nanos) {
    lock.lock();
    try {
      long ignored = changed.awaitNanos(nanos);
      return true;
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      return false;
    } finally {
      lock.unlock();
    }
  }

  void give(long bytes) {
    lock.lock();
    try {
      taken -= bytes;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
