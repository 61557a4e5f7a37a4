package dev.varve.server.net.loop;

/**
 * What becomes of a task that ends for want of memory, where nobody runs it again: clients may wait
 * for it, or what goes on by itself may have ended with it. Event loops and workers would take no
 * notice, so the thread is said to have ended by it: the process does then.
 *
 * <p>Any thread.
 */
final class LostTask {
  private LostTask() {}

  /** Runs {@code task} to its end, or to that of the thread. */
  static void run(Runnable task) {
    try {
      task.run();
    } catch (OutOfMemoryError noMemory) {
      throw endedBy(noMemory);
    }
  }

  /** The same for who has run it; returns if the process goes on. */
  static OutOfMemoryError endedBy(OutOfMemoryError noMemory) {
    Thread its = Thread.currentThread();
    its.getUncaughtExceptionHandler().uncaughtException(its, noMemory);
    return noMemory;
  }
}
