package dev.varve.lsm;

import dev.varve.lsm.memtable.Memtable;

/**
 * What is in memory and in no table yet.
 *
 * @param bytes off heap
 * @param entries versions of keys, tombstones included
 * @param tombstones how many of the entries say that a key is deleted
 */
public record MemtableFigures(long bytes, long entries, long tombstones) {

  static MemtableFigures of(Memtable table) {
    return new MemtableFigures(table.bytes(), table.entries(), table.tombstones());
  }

  MemtableFigures plus(MemtableFigures other) {
    return new MemtableFigures(
        bytes + other.bytes, entries + other.entries, tombstones + other.tombstones);
  }
}
