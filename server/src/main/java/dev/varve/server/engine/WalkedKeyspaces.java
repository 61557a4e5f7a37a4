package dev.varve.server.engine;

import dev.varve.codec.format.KeyFormat;
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

  /** Of a key over whose keyspace no walks are kept. */
  private static final int NO_KIND = -1;

  /** A longer key is not held for the sake of what was not found under it. */
  private static final int ABSENT_KEY_BYTES_MAX = 1024;

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

  private final Map<KeyPrefix, WalkedKeyspace> byPrefix = new HashMap<>();
  private final KeyPrefix sought = new KeyPrefix(NO_KEY, 0);

  /** By kind. */
  private final Found[] foundLast = {new Found(), new Found(), new Found(), new Found()};

  /** Whether walks over the keyspace of {@code key} are kept. */
  static boolean areKept(byte[] key) {
    return kind(key) != NO_KIND;
  }

  private static int kind(byte[] key) {
    if (key.length == 0) {
      return NO_KIND;
    }
    return switch (key[0]) {
      case KeyFormat.RANK -> 0;
      case KeyFormat.INDEX -> 1;
      case KeyFormat.LIST -> 2;
      case KeyFormat.MEMBER -> 3;
      default -> NO_KIND;
    };
  }

  /** The one that {@code key} is in, or null if nothing is known of it. */
  @Nullable WalkedKeyspace find(byte[] key) {
    int kind = kind(key);
    if (kind == NO_KIND || byPrefix.isEmpty()) {
      return null;
    }
    Found last = foundLast[kind];
    if (last.isOf(key)) {
      return last.keyspace;
    }
    int length = KeyFormat.collectionPrefixBytes(key);
    if (length < 0) {
      return null;
    }
    WalkedKeyspace found = byPrefix.get(sought.set(key, length));
    sought.forget();
    if (found != null) {
      last.set(found.prefix(), length, found);
    } else if (key.length <= ABSENT_KEY_BYTES_MAX) {
      last.set(key, length, null);
    }
    return found;
  }

  /** The same, but for one that is new and empty if nothing is known. */
  WalkedKeyspace findOrCreate(byte[] key) {
    WalkedKeyspace found = find(key);
    if (found == null) {
      byte[] prefix = Arrays.copyOf(key, KeyFormat.collectionPrefixBytes(key));
      found = new WalkedKeyspace(prefix);
      byPrefix.put(new KeyPrefix(prefix, prefix.length), found);
      foundLast[kind(prefix)].set(prefix, prefix.length, found);
    }
    return found;
  }

  /** Nothing is known of that one any more. */
  void remove(WalkedKeyspace keyspace) {
    byte[] prefix = keyspace.prefix();
    byPrefix.remove(sought.set(prefix, prefix.length), keyspace);
    sought.forget();
    foundLast[kind(prefix)].forget();
  }

  /** Forgets all. */
  void clear() {
    byPrefix.clear();
    for (Found last : foundLast) {
      last.forget();
    }
  }
}
