package dev.varve.codec;

import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.store.StoreBatch;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Keys that somebody reads while the writer goes on: is shown every batch, and notes which of the
 * keys are written, be it a member of theirs alone or what no client is told of.
 *
 * <p>Belongs to the writer thread.
 */
public final class GuardedKeys implements StoreBatch.Visitor {
  private final Map<ByteBuffer, GuardedKey> metas = new HashMap<>();
  private final Map<ByteBuffer, GuardedKey> members = new HashMap<>();

  /** Guards {@code key} from now on; null if there is no such key. */
  public @Nullable GuardedKey find(Transaction transaction, int database, byte[] key) {
    Meta meta = transaction.find(database, key);
    if (meta == null) {
      return null;
    }
    int databaseId = transaction.databaseId(database);
    ByteBuffer metaKey = ByteBuffer.wrap(KeyFormat.meta(databaseId, key));
    GuardedKey its = metas.get(metaKey);
    if (its == null) {
      its = new GuardedKey(database, databaseId, key, meta);
      metas.put(metaKey, its);
      if (meta.isSpread()) {
        byte[] prefix = meta.keys(databaseId, key).prefix(KeyFormat.MEMBER);
        members.put(withoutTag(prefix, prefix.length), its);
      }
    }
    return its;
  }

  private static ByteBuffer withoutTag(byte[] stored, int prefixBytes) {
    return ByteBuffer.wrap(stored, 1, prefixBytes - 1);
  }

  /** From now on all of them have been written. */
  public void touchAll() {
    metas.values().forEach(GuardedKey::touch);
  }

  @Override
  public void put(byte[] stored, byte[] value) {
    written(stored);
  }

  @Override
  public void put(byte[] stored, byte[] start, byte[] rest) {
    written(stored);
  }

  @Override
  public void delete(byte[] stored) {
    written(stored);
  }

  @Override
  public void count(long counterId, long delta) {}

  private void written(byte[] stored) {
    GuardedKey its = null;
    if (stored[0] == KeyFormat.META) {
      its = metas.get(ByteBuffer.wrap(stored));
    } else if (KeyFormat.isOfCollection(stored)) {
      int prefixBytes = KeyFormat.collectionPrefixBytes(stored);
      its = prefixBytes < 0 ? null : members.get(withoutTag(stored, prefixBytes));
    }
    if (its != null) {
      its.touch();
    }
  }
}
