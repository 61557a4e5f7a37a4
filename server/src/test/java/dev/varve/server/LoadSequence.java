package dev.varve.server;

import dev.varve.server.net.RawClient;
import java.io.IOException;

/**
 * An endless sequence of requests, each with a known effect, so that the state of the data tells
 * how many of them were executed.
 *
 * <p>Single-threaded.
 */
interface LoadSequence {

  /** Writes of a name that tells sequences apart. */
  String name();

  /**
   * The lines of step {@code index}, from 0 on, as inline requests that end with "|". They take
   * effect together.
   */
  String step(long index);

  /** How many replies a step gets. */
  default int repliesPerStep() {
    return 1;
  }

  /**
   * How many steps, from the first one on, the data holds the effects of.
   *
   * @throws AssertionError when the data is in no state that the sequence ever goes through
   */
  long stepsFound(RawClient client) throws IOException;
}
