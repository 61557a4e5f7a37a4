package dev.varve.codec.format;

/** A stored key or value is not in any layout that this release writes: says what is wrong. */
public final class DamagedValueException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String what;

  public DamagedValueException(String what) {
    super("damaged value in the store: " + what);
    this.what = what;
  }

  /** What is wrong, for who has said where. */
  public String what() {
    return what;
  }
}
