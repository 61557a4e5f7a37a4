package dev.varve.server.engine;

import dev.varve.codec.format.KeyspaceOrder;
import dev.varve.lsm.entry.KeyComparator;

/** Codec's order of stored keys, as the tree wants it. Immutable. */
public final class StoredKeyOrder implements KeyComparator {
  public static final StoredKeyOrder INSTANCE = new StoredKeyOrder();

  private StoredKeyOrder() {}

  @Override
  public String name() {
    return KeyspaceOrder.NAME;
  }

  @Override
  public int compare(byte[] a, int aOffset, int aLength, byte[] b, int bOffset, int bLength) {
    return KeyspaceOrder.compare(a, aOffset, aLength, b, bOffset, bLength);
  }
}
