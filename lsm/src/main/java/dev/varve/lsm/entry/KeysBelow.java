package dev.varve.lsm.entry;

/**
 * What a pass knows of the sources that are older than its input: deeper levels, and older tables
 * of the same level. For one thread.
 */
@FunctionalInterface
public interface KeysBelow {

  /** There is nothing below: every tombstone has done its work. */
  KeysBelow NONE = (key, keyLength) -> false;

  /** Anything may be below: every tombstone is still needed. */
  KeysBelow ANY = (key, keyLength) -> true;

  /**
   * Whether an older source may hold an entry of {@code key[0, keyLength)}. True when in doubt.
   * Asked for tombstones only; must not read the disk.
   */
  boolean mayHold(byte[] key, int keyLength);
}
