package dev.varve.codec.store;

/** A key, a value, or all that is written at once is more than a store takes: nothing of it is. */
public final class WriteTooLargeException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private WriteTooLargeException(String message) {
    super(message);
  }

  /** Of a stored key: that of a member, field or consumer has the user's key in it. */
  static WriteTooLargeException key(int bytesMax) {
    return new WriteTooLargeException(
        "a key with its member or field takes more than " + bytesMax + " bytes");
  }

  static WriteTooLargeException value(int bytesMax) {
    return new WriteTooLargeException("a value takes more than " + bytesMax + " bytes");
  }

  /** Of what one command or transaction writes, which is on the heap until then. */
  static WriteTooLargeException batch(long bytesMax) {
    return new WriteTooLargeException(
        "what is written at once takes more than " + bytesMax + " bytes: a third of the heap");
  }

  /** Of what happens to keys meanwhile, which others are told of in the end. */
  public static WriteTooLargeException events(long bytesMax) {
    return new WriteTooLargeException(
        "what is to be told of what is written at once takes more than "
            + bytesMax
            + " bytes: a quarter of the heap");
  }

  /** Of what replicas are to be told of it. */
  public static WriteTooLargeException effects(long bytesMax) {
    return new WriteTooLargeException(
        "what replicas are to be told of what is written at once takes more than "
            + bytesMax
            + " bytes: a third of the heap");
  }

  /** Of the key that a user gives. */
  public static WriteTooLargeException userKey(int bytesMax) {
    return new WriteTooLargeException("a key has more than " + bytesMax + " bytes");
  }
}
