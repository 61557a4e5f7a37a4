package dev.varve.server.engine;

import dev.varve.codec.format.KeyspaceOrder;
import dev.varve.lsm.entry.KeyComparator;

/** Codec's order of stored keys, as the tree wants it. Immutable. */
final class StoredKeyOrder implements KeyComparator {
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

  /**
   * Whether the keys are of different keyspaces. Who pushes to a list writes elements and one meta:
   * in one table, they would have all between them merged.
   */
  @Override
  public boolean isApart(byte[] a, byte[] b, int bOffset, int bLength) {
    return a.length > 0 && bLength > 0 && a[0] != b[bOffset];
  }
}
