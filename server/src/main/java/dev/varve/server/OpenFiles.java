package dev.varve.server;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Locale;
import java.util.Optional;

/** Whether the process may open as many files as its clients need. Pure but for {@link #limit}. */
final class OpenFiles {

  /** For the log, the manifest, listening sockets, jars and the like; Redis keeps 32. */
  private static final int OWN = 64;

  private OpenFiles() {}

  /** How many files and sockets the process may open; many where the system does not tell. */
  static long limit() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        ? unix.getMaxFileDescriptorCount()
        : Long.MAX_VALUE;
  }

  /**
   * What to say where the limit is below what may be needed.
   *
   * @param tables files of data that are open now; there will be more
   */
  static Optional<String> warning(long limit, long clientsMax, long tables) {
    long needed = clientsMax + tables + OWN;
    return limit >= needed
        ? Optional.empty()
        : Optional.of(
            String.format(
                Locale.ROOT,
                "the process may open %d files and sockets, and maxclients %d with its data needs"
                    + " %d: raise the limit (ulimit -n, LimitNOFILE), or lower maxclients",
                limit,
                clientsMax,
                needed));
  }
}
