package dev.varve.server.lua.run;

import org.jspecify.annotations.Nullable;

/** A variable that lives longer than the frame it began in. */
final class Cell {
  /** About what one takes, with a number in it. */
  static final int BYTES = 40;

  @Nullable Object value;

  /** The last walk that met it. */
  int mark;

  Cell(@Nullable Object value) {
    this.value = value;
  }
}
