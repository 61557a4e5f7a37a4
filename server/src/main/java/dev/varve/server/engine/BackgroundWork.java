package dev.varve.server.engine;

import java.io.IOException;

/** One kind of work that goes on beside the commands: flushing, compacting. */
public interface BackgroundWork {

  /** Its name, for threads and logs. */
  String name();

  /**
   * Does one bounded piece of it; false if there was nothing to do. Called by one worker at a time.
   *
   * @throws IOException when the device fails; it is tried again after a pause
   */
  boolean runOnce() throws IOException;
}
