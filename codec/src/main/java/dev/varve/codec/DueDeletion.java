package dev.varve.codec;

import dev.varve.codec.store.StoreBatch;
import dev.varve.codec.store.StoreChanges;
import java.util.List;

/**
 * The deletion of keys that are due: written as it is when nobody asks for events, or by way of a
 * {@link Transaction} when somebody does.
 *
 * <p>Belongs to the writer thread.
 */
public final class DueDeletion implements StoreChanges {
  private final List<DueKey> keys;
  private final int skipped;
  private final StoreBatch more = new StoreBatch();
  private int deleted;
  private long nextMillis = Meta.NO_EXPIRY;

  DueDeletion(List<DueKey> keys, int skipped) {
    this.keys = keys;
    this.skipped = skipped;
    for (DueKey key : keys) {
      deleted += key.kind == DueKey.Kind.EXPIRED ? 1 : 0;
      nextMillis = Math.min(nextMillis, key.nextMillis);
    }
  }

  /** How many keys it deletes. */
  public int deleted() {
    return deleted;
  }

  /** Whether anything is gone by it that was let expire: a key, or fields of one. */
  public boolean hasExpired() {
    for (DueKey key : keys) {
      if (key.kind == DueKey.Kind.EXPIRED || key.kind == DueKey.Kind.FIELDS) {
        return true;
      }
    }
    return false;
  }

  /** How many are not as they were found, and stay for another look. */
  public int skipped() {
    return skipped;
  }

  /**
   * The earliest moment that it files keys under, which whoever looked meanwhile may not have seen,
   * or {@link Meta#NO_EXPIRY}.
   */
  public long nextMillis() {
    return nextMillis;
  }

  /** Whether there is nothing to write. */
  public boolean isEmpty() {
    return keys.isEmpty();
  }

  /** Adds to a counter along with it. */
  public void count(long id, long delta) {
    more.count(id, delta);
  }

  /** Takes note of the keys that it changes and does not delete as a whole. */
  public void noteChanged(KeysWrittenSince touched) {
    for (DueKey key : keys) {
      if (key.kind == DueKey.Kind.FIELDS || key.kind == DueKey.Kind.LATER) {
        touched.note(key.metaKey);
      }
    }
  }

  /** The same in a transaction, which gathers the events. */
  public void into(Transaction transaction) {
    for (DueKey key : keys) {
      if (key.kind == DueKey.Kind.EXPIRED) {
        transaction.expireFound(key);
      } else {
        transaction.delete(key.expiryKey);
      }
      if (key.more != null) {
        key.more.accept(new Into(transaction));
      }
      if (key.kind == DueKey.Kind.FIELDS) {
        transaction.effects().fieldsDeleted(key.database, key.userKey(), key.fields);
        transaction.event(EventClass.HASH, "hexpired", key.database, key.userKey());
        if (key.isGone()) {
          transaction.event(EventClass.GENERIC, "del", key.database, key.userKey());
        }
      }
    }
    more.accept(new Into(transaction));
  }

  /** In the order of the keys, which is the cheapest for whoever inserts them. */
  @Override
  public void accept(StoreBatch.Visitor visitor) {
    StoreBatch counts = new StoreBatch();
    for (DueKey key : keys) {
      if (key.garbage != null) {
        visitor.put(key.garbage.storedKey(), key.garbage.value());
        counts.count(CounterIds.GARBAGE_ENTRIES, key.garbage.entries());
        counts.count(CounterIds.GARBAGE_BYTES, key.garbage.bytes());
      }
    }
    for (DueKey key : keys) {
      if (key.kind == DueKey.Kind.EXPIRED) {
        visitor.delete(key.metaKey);
        counts.count(CounterIds.keys(key.databaseId), -1);
        counts.count(CounterIds.expires(key.databaseId), -1);
      }
    }
    for (DueKey key : keys) {
      visitor.delete(key.expiryKey);
      if (key.more != null) {
        key.more.accept(new Entries(visitor, counts));
      }
    }
    counts.accept(visitor);
    more.accept(visitor);
  }

  /** Hands entries on, and keeps counters for later. */
  private record Entries(StoreBatch.Visitor visitor, StoreBatch counts)
      implements StoreBatch.Visitor {
    @Override
    public void put(byte[] key, byte[] value) {
      visitor.put(key, value);
    }

    @Override
    public void delete(byte[] key) {
      visitor.delete(key);
    }

    @Override
    public void count(long counterId, long delta) {
      counts.count(counterId, delta);
    }
  }

  private record Into(Transaction transaction) implements StoreBatch.Visitor {
    @Override
    public void put(byte[] key, byte[] value) {
      transaction.put(key, value);
    }

    @Override
    public void delete(byte[] key) {
      transaction.delete(key);
    }

    @Override
    public void count(long counterId, long delta) {
      transaction.count(counterId, delta);
    }
  }
}
