package dev.varve.codec.store;

/** More is to be written at once than memory is to be spent on: nothing of it is. */
public final class BatchTooLargeException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * @param bytesMax what the writes of one command or transaction may take on the heap
   */
  BatchTooLargeException(long bytesMax) {
    super("what is written at once takes more than " + bytesMax + " bytes: a third of the heap");
  }
}
