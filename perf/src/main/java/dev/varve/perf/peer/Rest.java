package dev.varve.perf.peer;

import dev.varve.perf.server.ServerUnderTest;
import java.io.IOException;

/**
 * Waits until a server has done what its run has left it to do: flushes and merges, and what a
 * compiler is at. Whoever runs next would share the processors with that, and nobody would be
 * charged for it. Stateless.
 */
final class Rest {
  private static final int SAMPLE_MILLIS = 200;

  /** A sixth of a processor, as it is while something is at work that has not ended yet. */
  private static final double QUIET_CPU_SECONDS = 0.03;

  private static final int PATIENCE_MILLIS = 20_000;

  /** Returns at once where nobody tells what the server does, and after 20 s whatever it does. */
  static void await(Peer peer) throws IOException {
    double before = peer.process().cpuSeconds();
    for (int waited = 0;
        !Double.isNaN(before) && waited < PATIENCE_MILLIS;
        waited += SAMPLE_MILLIS) {
      ServerUnderTest.sleepMillis(SAMPLE_MILLIS);
      double now = peer.process().cpuSeconds();
      if (now - before <= QUIET_CPU_SECONDS) {
        return;
      }
      before = now;
    }
  }

  private Rest() {}
}
