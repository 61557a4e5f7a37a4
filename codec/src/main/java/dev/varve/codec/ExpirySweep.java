package dev.varve.codec;

import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.store.StoreCursor;
import dev.varve.codec.store.StoreView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the keys that are due, from the front of the expiry keyspace, with all that their deletion
 * takes.
 *
 * <p>Pure functions: a worker looks for due keys in a view, the writer deletes them ({@link
 * DueKeys#deletion}) but for those that were written meanwhile ({@link KeysWrittenSince}), so that
 * it need not read them again.
 */
public final class ExpirySweep {

  /** The moment from which to look if nothing is known of earlier sweeps. */
  public static final long FROM_START = Long.MIN_VALUE;

  /** Keys found by one look take no more room than this, by and large. */
  static final int KEY_BYTES_MAX = 1 << 20;

  /** What is to be written for those of one look takes no more than this, and one key beyond. */
  static final int WRITTEN_BYTES_MAX = 4 << 20;

  private ExpirySweep() {}

  /**
   * The keys that are due.
   *
   * @param databases a mapping not older than what is told to {@link DueKeys#deletion} later
   * @param from {@link DueKeys#from} a moment before which all were swept, so that their tombstones
   *     are not walked over again, or {@link DueKeys#more} of the look before
   * @param keysMax how many at most
   */
  public static DueKeys look(
      StoreView view, Databases databases, byte[] from, long nowMillis, int keysMax) {
    List<Found> due = new ArrayList<>();
    byte[] more = null;
    long deadlineMillis = Meta.NO_EXPIRY;
    try (StoreCursor cursor = view.cursor(KeyFormat.endOf(KeyFormat.EXPIRY))) {
      long bytes = 0;
      boolean found = cursor.seek(from);
      for (; found && cursor.key()[0] == KeyFormat.EXPIRY; found = cursor.next()) {
        byte[] key = cursor.key();
        long moment = KeyFormat.expiryMillis(key);
        if (moment > nowMillis) {
          deadlineMillis = moment;
          break;
        }
        if (due.size() == keysMax || bytes >= KEY_BYTES_MAX) {
          more = key;
          break;
        }
        due.add(Found.of(key, cursor.value()));
        bytes += key.length;
      }
    }
    List<Found> wanted = due;
    List<DueKey> keys = read(view, databases, wanted, nowMillis);
    while (keys.size() < wanted.size()) {
      // In another order than theirs nobody knows before which moment all are read: fewer, then.
      int fewer = isOneMoment(wanted) ? keys.size() : Math.max(1, keys.size() / 2);
      more = due.get(fewer).expiryKey;
      deadlineMillis = Meta.NO_EXPIRY;
      if (isOneMoment(wanted)) {
        break;
      }
      wanted = due.subList(0, fewer);
      keys = read(view, databases, wanted, nowMillis);
    }
    return new DueKeys(keys, more, deadlineMillis);
  }

  /** Whether all are due at once; they are in the order of their moments. */
  private static boolean isOneMoment(List<Found> due) {
    return due.isEmpty()
        || KeyFormat.expiryMillis(due.get(0).expiryKey)
            == KeyFormat.expiryMillis(due.get(due.size() - 1).expiryKey);
  }

  /**
   * Deletes those of {@code keys} that have expired, and notes the time, so that by no clock any
   * key comes back that has expired as well.
   */
  public static void delete(Transaction transaction, List<ExpiredKey> keys) {
    keys.forEach(its -> transaction.findForWrite(its.database(), its.key()));
    long behindMillis = transaction.nowMillis() - transaction.counter(CounterIds.CLOCK_MARK);
    if (behindMillis > 0 && transaction.lookups().expiredDeleted() > 0) {
      transaction.count(CounterIds.CLOCK_MARK, behindMillis);
    }
  }

  private record Found(byte[] expiryKey, byte[] place, byte[] metaKey) {
    static Found of(byte[] expiryKey, byte[] place) {
      byte[] key = KeyFormat.userKey(expiryKey);
      return new Found(expiryKey, place, KeyFormat.meta(KeyFormat.databaseId(expiryKey), key));
    }
  }

  /**
   * In the order of the metas, which the expiry keys of one moment have already; as many of them as
   * there is room for.
   */
  private static List<DueKey> read(
      StoreView view, Databases databases, List<Found> found, long nowMillis) {
    List<Found> due = found;
    if (!isOneMoment(found)) {
      due = new ArrayList<>(found);
      due.sort((a, b) -> Arrays.compareUnsigned(a.metaKey, b.metaKey));
    }
    List<DueKey> keys = new ArrayList<>();
    long writtenBytes = 0;
    if (due.isEmpty()) {
      return keys;
    }
    try (AscendingReader metas = new AscendingReader(view, KeyFormat.endOf(KeyFormat.META))) {
      int databaseId = 0;
      int database = Integer.MIN_VALUE;
      for (Found next : due) {
        if (writtenBytes >= WRITTEN_BYTES_MAX) {
          break;
        }
        int itsDatabaseId = KeyFormat.databaseId(next.expiryKey);
        if (database == Integer.MIN_VALUE || itsDatabaseId != databaseId) {
          databaseId = itsDatabaseId;
          database = databases.number(databaseId);
        }
        byte @Nullable [] meta = database < 0 ? null : metas.get(next.metaKey);
        DueKey key =
            DueKey.of(view, next.expiryKey, next.place, next.metaKey, database, meta, nowMillis);
        keys.add(key);
        writtenBytes += key.writtenBytes();
      }
    }
    return keys;
  }
}
