package dev.varve.server.lua.run;

import org.jspecify.annotations.Nullable;

/** A node with a value. */
abstract class Expr extends Node {
  Expr(int line) {
    super(line);
  }

  /** Exactly one value. */
  abstract @Nullable Object eval(Frame frame);

  /** All values: a result, as {@link Results} has it. */
  @Nullable Object evalAll(Frame frame) {
    return eval(frame);
  }

  boolean test(Frame frame) {
    Object value = eval(frame);
    return value != null && value != Boolean.FALSE;
  }

  /** Whether there may be more or less than one value. */
  boolean isMultiple() {
    return false;
  }

  /** The kind of variable as messages say it ("local", "field"…), or null. */
  @Nullable String kind() {
    return null;
  }

  /** The name of the variable where there is a kind. */
  String name() {
    return "?";
  }

  /** The value of a constant, null otherwise. */
  @Nullable Object constant() {
    return null;
  }
}
