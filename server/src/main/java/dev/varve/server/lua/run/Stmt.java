package dev.varve.server.lua.run;

import org.jspecify.annotations.Nullable;

/** A node that is executed for what it does. */
abstract class Stmt extends Node {
  /** What {@link #exec} returns when a loop is to be left. */
  static final Object BREAK = new Object();

  Stmt(int line) {
    super(line);
  }

  /**
   * Null to go on, {@link #BREAK}, or the result (never null) or {@link TailCall} that the function
   * returns.
   */
  abstract @Nullable Object exec(Frame frame);
}
