package dev.varve.codec.store;

/** A key or a value is longer than a store takes: nothing of what was to be written with it is. */
public final class EntryTooLargeException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private EntryTooLargeException(String message) {
    super(message);
  }

  /** Of a stored key: that of a member, field or consumer has the user's key in it. */
  static EntryTooLargeException key(int bytesMax) {
    return new EntryTooLargeException(
        "a key with its member or field takes more than " + bytesMax + " bytes");
  }

  static EntryTooLargeException value(int bytesMax) {
    return new EntryTooLargeException("a value takes more than " + bytesMax + " bytes");
  }

  /** Of the key that a user gives. */
  public static EntryTooLargeException userKey(int bytesMax) {
    return new EntryTooLargeException("a key has more than " + bytesMax + " bytes");
  }
}
