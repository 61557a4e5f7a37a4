package dev.varve.codec.zset;

import dev.varve.codec.Glob;
import dev.varve.codec.Meta;
import dev.varve.codec.ScanPage;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.format.ValueType;
import dev.varve.codec.store.StoreCursor;
import org.jspecify.annotations.Nullable;

/**
 * Walks over the members of sorted sets in steps: ZSCAN.
 *
 * <p>Pure functions of a transaction; they write nothing.
 */
public final class ZScan {

  /** Where a walk starts, and what it returns at its end. */
  private static final long END = 0;

  /** The last position there is: positions are hashes of members. */
  private static final long HASH_MAX = 0xFFFF_FFFFL;

  private ZScan() {}

  /**
   * One step of a walk in the order of the members' hashes; a packed set is walked in one step. A
   * member that is there during the whole walk is handed out, even if its score changes; one that
   * comes or goes meanwhile may be handed out or not. Members are handed out once, unless the set
   * is made anew meanwhile. It ends where it has found {@link ScanPage#BYTES_MAX}, too.
   *
   * @param position what the step before returned, or 0 to start; any other value is allowed
   * @param countMin how many members to look at, if there are so many; those with the same hash as
   *     the last one are looked at as well
   * @param match what the members must match, or null
   * @return the position to go on from, or 0 when the walk is at its end
   */
  public static long scan(
      Transaction transaction,
      int database,
      byte[] key,
      long position,
      long countMin,
      @Nullable Glob match,
      ScoredMemberVisitor visitor) {
    Meta meta = transaction.find(database, key, ValueType.ZSET);
    if (meta == null || Long.compareUnsigned(position, HASH_MAX) > 0) {
      return END;
    }
    if (!meta.isSpread()) {
      ScoredMemberVisitor matching = match == null ? visitor : filter(match, visitor);
      new ZPackedMembers(meta).walkRanks(0, meta.count(), false, matching);
      return END;
    }
    CollectionKeys keys = meta.keys(transaction.databaseId(database), key);
    int offset = keys.memberOffset();
    int lastHash = 0;
    long foundBytes = 0;
    try (StoreCursor cursor = transaction.cursor(keys.end(KeyFormat.MEMBER))) {
      boolean found = cursor.seek(keys.hashStart((int) position));
      for (long looked = 0; found && keys.owns(KeyFormat.MEMBER, cursor.key()); looked++) {
        byte[] stored = cursor.key();
        int hash = keys.hashOf(stored);
        boolean isEnough = looked >= countMin || foundBytes >= ScanPage.BYTES_MAX;
        if (isEnough && hash != lastHash) {
          return Integer.toUnsignedLong(hash);
        }
        lastHash = hash;
        int length = stored.length - offset;
        if (match == null || match.matches(stored, offset, length)) {
          visitor.member(stored, offset, length, ZSpreadMembers.scoreIn(cursor.value()));
          foundBytes += ScanPage.ITEM_BYTES + length;
        }
        found = cursor.next();
      }
    }
    return END;
  }

  private static ScoredMemberVisitor filter(Glob match, ScoredMemberVisitor visitor) {
    return (array, offset, length, score) -> {
      if (match.matches(array, offset, length)) {
        visitor.member(array, offset, length, score);
      }
    };
  }
}
