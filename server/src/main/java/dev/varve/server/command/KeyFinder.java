package dev.varve.server.command;

import dev.varve.server.resp.Args;

/** Finds the keys in a request whose shape decides where they are. */
@FunctionalInterface
public interface KeyFinder {

  /**
   * The indexes of the parts that are keys, in order; empty if the request is malformed. Keys that
   * a request names twice are listed twice.
   */
  int[] find(Args args);
}
