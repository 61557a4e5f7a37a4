package dev.varve.lsm.memtable;

/**
 * Where in a memtable an entry stands, as one number: the reference of its leaf above that of the
 * entry. A hint, for entries move to other leaves. Stateless.
 */
final class Place {
  private Place() {}

  static long of(int leaf, int entry) {
    return (long) leaf << Integer.SIZE | entry & 0xFFFFFFFFL;
  }

  static int leaf(long place) {
    return (int) (place >>> Integer.SIZE);
  }

  static int entry(long place) {
    return (int) place;
  }
}
