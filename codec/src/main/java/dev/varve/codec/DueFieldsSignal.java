package dev.varve.codec;

/**
 * Ends a run that has met a hash of which more fields are due than may be deleted at once. Nothing
 * was written. Who catches it deletes some of them, as {@link Transaction#deleteDueFields} does,
 * and lets the command run again.
 */
public final class DueFieldsSignal extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final int database;
  private final transient byte[] key;

  DueFieldsSignal(int database, byte[] key) {
    super("too many fields are due to be deleted at once", null, false, false);
    this.database = database;
    this.key = key;
  }

  /** The database that the hash is in. */
  public int database() {
    return database;
  }

  /** The key of the hash. */
  public byte[] key() {
    return key;
  }
}
