package dev.varve.lsm;

import dev.varve.lsm.table.CorruptionListener;
import dev.varve.wal.CorruptionException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Which damaged blocks reads have met: each counts once, however often it is read. Any thread. */
final class DamageMet implements CorruptionListener {
  /** A disk that has lost so many will have lost more: the rest is not told apart. */
  private static final int BLOCKS_MAX = 10_000;

  private record DamagedBlock(String file, long offset) {}

  private final Set<DamagedBlock> blocks = ConcurrentHashMap.newKeySet();

  @Override
  public void onCorruption(CorruptionException damage) {
    if (blocks.size() < BLOCKS_MAX) {
      blocks.add(new DamagedBlock(damage.file(), damage.offset()));
    }
  }

  long count() {
    return blocks.size();
  }
}
