package dev.varve.lsm.entry;

/** What a point read of one source can say besides a value. */
public final class Lookup {

  /**
   * The key's newest visible entry is a tombstone: look no further. Compared by identity, never
   * handed to users.
   */
  public static final byte[] TOMBSTONE = new byte[0];

  private Lookup() {}
}
