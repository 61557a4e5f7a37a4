package dev.varve.compaction;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where each level's last pick ended, so that picks of equal worth go round the key space.
 * Immutable; not stored: after a restart the round begins anew.
 *
 * @param lastKeys the largest key of the last pick, by level
 */
record LevelCursors(Map<Integer, byte[]> lastKeys) {

  /** No level was picked from yet. */
  public static final LevelCursors START = new LevelCursors(Map.of());

  public LevelCursors {
    lastKeys = Map.copyOf(lastKeys);
  }

  /** The largest key of the level's last pick, or null. */
  byte @Nullable [] lastKey(int level) {
    return lastKeys.get(level);
  }

  /** The cursors after a pick from {@code level} whose largest key is {@code key}. */
  LevelCursors with(int level, byte[] key) {
    Map<Integer, byte[]> next = new HashMap<>(lastKeys);
    next.put(level, key);
    return new LevelCursors(next);
  }
}
