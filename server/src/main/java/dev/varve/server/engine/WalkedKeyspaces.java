package dev.varve.server.engine;

import dev.varve.codec.format.KeyFormat;
import dev.varve.lsm.table.KeyHash;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The keyspaces of collections that something is known of, by what their keys begin with.
 *
 * <p>Keyspace loop only.
 */
final class WalkedKeyspaces {
  private static final byte[] NO_KEY = {};

  /** What all keys of a keyspace of a collection begin with. */
  private static final class Prefix {
    byte[] bytes;
    int length;
    int hash;

    Prefix(byte[] bytes, int length) {
      set(bytes, length);
    }

    final Prefix set(byte[] itsBytes, int itsLength) {
      bytes = itsBytes;
      length = itsLength;
      hash = (int) KeyHash.hash(itsBytes, 0, itsLength);
      return this;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Prefix that
          && Arrays.equals(bytes, 0, length, that.bytes, 0, that.length);
    }

    @Override
    public int hashCode() {
      return hash;
    }
  }

  /**
   * The answer to the latest search among keys with one tag: commands come back to a collection.
   */
  private static final class Found {
    byte[] key = NO_KEY;

    /** How many bytes of {@link #key} are the prefix that was sought; none were if it is 0. */
    int length;

    @Nullable WalkedKeyspace keyspace;

    void set(byte[] itsKey, int itsLength, @Nullable WalkedKeyspace itsKeyspace) {
      key = itsKey;
      length = itsLength;
      keyspace = itsKeyspace;
    }

    void forget() {
      set(NO_KEY, 0, null);
    }

    boolean isOf(byte[] other) {
      return length != 0
          && other.length >= length
          && Arrays.equals(key, 0, length, other, 0, length);
    }
  }

  private final Map<Prefix, WalkedKeyspace> byPrefix = new HashMap<>();
  private final Prefix sought = new Prefix(NO_KEY, 0);
  private final Found ofRanks = new Found();
  private final Found ofIndexes = new Found();
  private final Found ofLists = new Found();
  private final Found ofMembers = new Found();

  /** Whether walks over the keyspace of {@code key} are kept. */
  static boolean areKept(byte[] key) {
    if (key.length == 0) {
      return false;
    }
    byte tag = key[0];
    return tag == KeyFormat.RANK
        || tag == KeyFormat.INDEX
        || tag == KeyFormat.LIST
        || tag == KeyFormat.MEMBER;
  }

  /** The one that {@code key} is in, or null if nothing is known of it. */
  @Nullable WalkedKeyspace find(byte[] key) {
    if (byPrefix.isEmpty() || !areKept(key)) {
      return null;
    }
    Found last = foundLast(key);
    if (last.isOf(key)) {
      return last.keyspace;
    }
    int length = KeyFormat.collectionPrefixBytes(key);
    if (length < 0) {
      return null;
    }
    WalkedKeyspace found = byPrefix.get(sought.set(key, length));
    last.set(key, length, found);
    return found;
  }

  /** The same, but for one that is new and empty if nothing is known. */
  WalkedKeyspace findOrCreate(byte[] key) {
    WalkedKeyspace found = find(key);
    if (found == null) {
      byte[] prefix = Arrays.copyOf(key, KeyFormat.collectionPrefixBytes(key));
      found = new WalkedKeyspace(prefix);
      byPrefix.put(new Prefix(prefix, prefix.length), found);
      foundLast(prefix).set(prefix, prefix.length, found);
    }
    return found;
  }

  /** Nothing is known of that one any more. */
  void remove(WalkedKeyspace keyspace) {
    byte[] prefix = keyspace.prefix();
    byPrefix.remove(sought.set(prefix, prefix.length), keyspace);
    foundLast(prefix).forget();
  }

  /** Forgets all. */
  void clear() {
    byPrefix.clear();
    ofRanks.forget();
    ofIndexes.forget();
    ofLists.forget();
    ofMembers.forget();
  }

  /** What was found last among keys with the tag of {@code key}, of which walks are kept. */
  private Found foundLast(byte[] key) {
    return switch (key[0]) {
      case KeyFormat.RANK -> ofRanks;
      case KeyFormat.INDEX -> ofIndexes;
      case KeyFormat.LIST -> ofLists;
      default -> ofMembers;
    };
  }
}
