package dev.varve.server.command.admin;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.TimeUnit;

/**
 * Processor time that a thread has used since it began. Immutable.
 *
 * @param userSeconds outside the kernel
 * @param systemSeconds in the kernel
 */
public record ThreadTime(double userSeconds, double systemSeconds) {
  private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

  /**
   * As it is now; zero where that is not told, and of a thread that has ended.
   *
   * @param threadId as {@link Thread#getId}
   */
  public static ThreadTime of(long threadId) {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    if (threadId <= 0 || !threads.isThreadCpuTimeSupported() || !threads.isThreadCpuTimeEnabled()) {
      return new ThreadTime(0, 0);
    }
    // The one is told in hundredths of a second, the other exactly.
    long userNanos = Math.max(0, threads.getThreadUserTime(threadId));
    long allNanos = Math.max(userNanos, threads.getThreadCpuTime(threadId));
    return new ThreadTime(userNanos / NANOS_PER_SECOND, (allNanos - userNanos) / NANOS_PER_SECOND);
  }
}
