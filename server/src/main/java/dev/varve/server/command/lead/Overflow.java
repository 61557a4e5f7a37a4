package dev.varve.server.command.lead;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Takes blocks of the stream that have no room in memory. */
@FunctionalInterface
public interface Overflow {

  /** Gives one back. */
  @FunctionalInterface
  interface Place {
    /** Any thread that may wait for a disk. */
    byte[] read() throws IOException;
  }

  /**
   * Takes one.
   *
   * @param end the offset behind it
   * @return where it is, or null if there is no room for it
   */
  @Nullable Place put(byte[] block, long end) throws IOException;
}
