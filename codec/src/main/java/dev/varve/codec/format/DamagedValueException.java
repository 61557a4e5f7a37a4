package dev.varve.codec.format;

/** A stored key or value is not in any layout that this release writes: says what is wrong. */
public final class DamagedValueException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public DamagedValueException(String what) {
    super("damaged value in the store: " + what);
  }
}
