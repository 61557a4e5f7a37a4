package dev.varve.codec;

import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.format.ValueType;

/** Spread hashes made by hand, for the tests of what is below the structures. */
public final class SpreadHash {

  private SpreadHash() {}

  /** Puts a hash with that many fields in the place of whatever {@code key} holds. */
  public static void create(Transaction transaction, int database, byte[] key, int fields) {
    Meta old = transaction.findForWrite(database, key);
    Meta meta = Meta.ofSpread(ValueType.HASH, transaction.newVersion());
    CollectionKeys keys = meta.keys(transaction.databaseId(database), key);
    for (int i = 0; i < fields; i++) {
      byte[] field = Keyspace.bytes("f" + i);
      byte[] value = Keyspace.bytes("v" + i);
      transaction.put(keys.member(field), value);
      meta.add(1, field.length + value.length);
    }
    transaction.replace(database, key, old, meta);
  }
}
