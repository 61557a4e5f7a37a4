package dev.varve.server;

import dev.varve.server.net.RawClient;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Sees when a server no longer runs the GETs of clients that do not read their replies. */
final class QuietGets {
  /**
   * Who runs nothing for so long has been told to wait: that is seen only by looking for a while.
   */
  private static final long QUIET_MILLIS = 500;

  private static final long SECONDS_MAX = 60;

  private QuietGets() {}

  static void await(RawClient client) throws IOException {
    String[] before = {""};
    Await.until(
        () -> {
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(QUIET_MILLIS));
          String now = client.ask("info commandstats").replaceFirst("(?s).*cmdstat_get:", "");
          now = now.substring(0, now.indexOf(','));
          boolean isQuiet = now.equals(before[0]);
          before[0] = now;
          return isQuiet;
        },
        SECONDS_MAX,
        () -> "who does not read is served for ever");
  }
}
