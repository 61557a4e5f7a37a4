package dev.varve.compaction;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Keeps the tables of a failed pass out of the next picks for a while, longer with each failure, so
 * that a damaged table or a full disk does not keep a worker busy. Guarded by its owner's lock.
 */
final class FailedTables {
  private static final long FIRST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long PAUSE_NANOS_MAX = TimeUnit.MINUTES.toNanos(5);

  private record Pause(long untilNanos, long lengthNanos) {}

  private final Map<Long, Pause> pauses = new HashMap<>();

  void failed(Plan plan, long nowNanos) {
    for (PlacedTable placed : plan.inputs()) {
      Pause last = pauses.get(placed.table().number());
      long length =
          last == null ? FIRST_PAUSE_NANOS : Math.min(PAUSE_NANOS_MAX, 2 * last.lengthNanos());
      pauses.put(placed.table().number(), new Pause(nowNanos + length, length));
    }
  }

  void succeeded(Plan plan) {
    if (!pauses.isEmpty()) {
      for (PlacedTable placed : plan.inputs()) {
        pauses.remove(placed.table().number());
      }
    }
  }

  /** Tables to leave alone now. */
  Set<Long> avoided(long nowNanos) {
    Set<Long> avoided = new HashSet<>();
    pauses.forEach(
        (table, pause) -> {
          if (pause.untilNanos() - nowNanos > 0) {
            avoided.add(table);
          }
        });
    return avoided;
  }
}
