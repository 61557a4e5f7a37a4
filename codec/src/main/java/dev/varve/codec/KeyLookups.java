package dev.varve.codec;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which keys commands have looked up to read them: each argument counts once, however often a
 * command looks it up.
 *
 * <p>Belongs to the thread of its transaction.
 */
public final class KeyLookups {
  /** Of more that have expired no note is taken: the sweep finds them too. */
  static final int EXPIRED_MAX = 64;

  /** None: what a transaction has that looked nothing up. Nothing is noted in it. */
  static final KeyLookups NONE = new KeyLookups();

  // Arguments are told apart by their arrays.
  private byte @Nullable [] lastFound;
  private byte @Nullable [] lastMissed;
  private long hits;
  private long misses;
  private @Nullable List<ExpiredKey> expired;
  private int expiredDeleted;

  void found(byte[] key) {
    if (key != lastFound) {
      lastFound = key;
      hits++;
    }
  }

  /** A key is not there; whether that is new. */
  boolean missed(byte[] key) {
    if (key == lastMissed) {
      return false;
    }
    lastMissed = key;
    misses++;
    return true;
  }

  /** A key is there that has expired. */
  void expired(int database, byte[] key) {
    List<ExpiredKey> its = expired;
    if (its == null) {
      its = new ArrayList<>(1);
      expired = its;
    }
    if (its.size() < EXPIRED_MAX) {
      its.add(new ExpiredKey(database, key));
    }
  }

  /** Keys that have expired and are there nevertheless: some, and some of them twice perhaps. */
  public List<ExpiredKey> expired() {
    return expired == null ? List.of() : expired;
  }

  void deletedExpired() {
    expiredDeleted++;
  }

  /** How many keys the transaction deletes because they have expired. */
  public int expiredDeleted() {
    return expiredDeleted;
  }

  /** From here on a command looks its keys up anew: each counts again. */
  void forgetLast() {
    lastFound = null;
    lastMissed = null;
  }

  /** Keys that were there. */
  public long hits() {
    return hits;
  }

  /** Keys that were not. */
  public long misses() {
    return misses;
  }
}
