package dev.varve.codec.zset;

import dev.varve.codec.DataException;
import dev.varve.codec.Meta;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.format.ValueType;
import dev.varve.codec.store.StoreCursor;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a union, intersection or difference reads: a sorted set, or a set whose members all have the
 * score 1, or nothing.
 *
 * <p>Used by the thread of its transaction, which changes neither meanwhile.
 */
final class ZSource {
  private static final double SET_SCORE = 1;

  private final Transaction transaction;
  private final @Nullable Meta meta;
  private final @Nullable CollectionKeys keys;
  private final @Nullable ZMembers sorted;

  /**
   * @throws DataException WRONG_TYPE when {@code key} holds another type
   */
  ZSource(Transaction transaction, int database, byte[] key) {
    this.transaction = transaction;
    meta = transaction.find(database, key);
    if (meta != null && meta.type() != ValueType.ZSET && meta.type() != ValueType.SET) {
      throw DataException.WRONG_TYPE;
    }
    sorted =
        meta != null && meta.type() == ValueType.ZSET
            ? ZMembers.of(transaction, database, key, meta)
            : null;
    keys =
        meta != null && meta.isSpread() ? meta.keys(transaction.databaseId(database), key) : null;
  }

  long size() {
    return meta == null ? 0 : meta.count();
  }

  /** The score of a member, or {@link ZMembers#NONE}. */
  double score(byte[] member) {
    if (sorted != null) {
      return sorted.score(member);
    }
    if (meta == null) {
      return ZMembers.NONE;
    }
    boolean has =
        keys == null
            ? meta.packed().find(member) >= 0
            : transaction.get(keys.member(member)) != null;
    return has ? SET_SCORE : ZMembers.NONE;
  }

  /** A walk over all members, in no order that matters. The caller closes it. */
  Walk walk() {
    return new Walk();
  }

  /** A position in the members, before the first one. */
  final class Walk implements AutoCloseable {
    private final @Nullable StoreCursor cursor;
    private int place = -1;
    private boolean started;
    private byte[] member = new byte[0];
    private double score;

    private Walk() {
      cursor = keys == null ? null : transaction.cursor(keys.end(KeyFormat.MEMBER));
    }

    /** Goes to the next member; false if there is none. */
    boolean next() {
      return cursor == null ? nextPacked() : nextSpread(cursor);
    }

    private boolean nextPacked() {
      if (meta == null) {
        return false;
      }
      place = place < 0 ? meta.packed().first() : meta.packed().next(place);
      if (place >= meta.packed().end()) {
        return false;
      }
      member = meta.packed().itemBytes(place, 0);
      score = sorted == null ? SET_SCORE : ZPackedMembers.scoreAt(meta.packed(), place);
      return true;
    }

    private boolean nextSpread(StoreCursor at) {
      CollectionKeys its = Objects.requireNonNull(keys);
      boolean found = started ? at.next() : at.seek(its.prefix(KeyFormat.MEMBER));
      started = true;
      if (!found || !its.owns(KeyFormat.MEMBER, at.key())) {
        return false;
      }
      member = its.memberOf(at.key());
      score = sorted == null ? SET_SCORE : ZSpreadMembers.scoreIn(at.value());
      return true;
    }

    byte[] member() {
      return member;
    }

    double score() {
      return score;
    }

    @Override
    public void close() {
      if (cursor != null) {
        cursor.close();
      }
    }
  }
}
