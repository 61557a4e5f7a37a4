package dev.varve.compaction;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.lsm.LsmTree;
import dev.varve.lsm.Snapshot;
import dev.varve.lsm.WriteBatch;
import dev.varve.lsm.entry.VisibleCursor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What a tree must hold after each batch that it was ever given, and which of these are safe. */
final class CrashModel {
  /** The counter that is to say how many keys there are. */
  static final long KEYS = 7;

  /** Every batch writes its number here, so that a tree says which was its last. */
  private static final byte[] LAST = "last".getBytes();

  private static final int KEY_COUNT = 60;
  private static final int ENTRIES_MAX = 4;
  private static final int VALUE_BYTES_MAX = 400;

  /** A batch: what each key became, null for deleted. */
  private record Step(long sequence, Map<byte[], byte @Nullable []> changes) {}

  private final TreeMap<byte[], byte[]> base = newMap();
  private final List<Step> steps = new ArrayList<>();
  private final TreeMap<byte[], byte[]> latest = newMap();

  /** The newest batch that survives a kill, and the newest that survives power loss. */
  private long written;

  private long synced;

  private long recovered;

  private static TreeMap<byte[], byte[]> newMap() {
    return new TreeMap<>(Arrays::compareUnsigned);
  }

  static byte[] key(int number) {
    // Some share a long prefix, some are short.
    return (number % 3 == 0 ? "k" + number : "a-rather-long-prefix/" + number).getBytes();
  }

  /** A random batch that is to get this sequence number. */
  WriteBatch batch(Random random, long sequence) {
    WriteBatch batch = new WriteBatch();
    Map<byte[], byte @Nullable []> changes = newMap();
    byte[] last = ByteBuffer.allocate(Long.BYTES).putLong(sequence).array();
    batch.put(LAST, last);
    changes.put(LAST, last);
    long before = latest.size();
    for (int i = random.nextInt(ENTRIES_MAX); i >= 0; i--) {
      byte[] key = key(random.nextInt(KEY_COUNT));
      if (changes.containsKey(key)) {
        continue;
      }
      if (random.nextInt(3) == 0) {
        batch.delete(key);
        changes.put(key, null);
      } else {
        byte[] value = new byte[8 + random.nextInt(random.nextInt(VALUE_BYTES_MAX) + 1)];
        random.nextBytes(value);
        ByteBuffer.wrap(value).putLong(sequence);
        batch.put(key, value);
        changes.put(key, value);
      }
    }
    apply(changes, latest);
    steps.add(new Step(sequence, changes));
    return batch.addToCounter(KEYS, latest.size() - before);
  }

  /** The newest batch was refused: it never was. */
  void withdraw() {
    steps.remove(steps.size() - 1);
    latest.clear();
    latest.putAll(base);
    for (Step step : steps) {
      apply(step.changes(), latest);
    }
  }

  private static void apply(
      Map<byte[], byte @Nullable []> changes, TreeMap<byte[], byte[]> content) {
    changes.forEach(
        (key, value) -> {
          if (value == null) {
            content.remove(key);
          } else {
            content.put(key, value);
          }
        });
  }

  void written(long sequence) {
    // What power loss took leaves a gap in the numbers, which no batch has.
    long newest = steps.isEmpty() ? written : steps.get(steps.size() - 1).sequence();
    written = Math.max(written, Math.min(sequence, newest));
  }

  void synced(long sequence) {
    written(sequence);
    synced = Math.max(synced, Math.min(sequence, written));
  }

  /** After a kill all that was written must be found, after power loss all that was synced. */
  void losePower() {
    written = synced;
  }

  /** Checks what one key has become, as its reader sees it now. */
  void checkKey(Snapshot now, Random random) {
    byte[] key = key(random.nextInt(KEY_COUNT));
    assertArrayEquals(latest.get(key), now.get(key), () -> "value of " + new String(key));
  }

  private static long last(LsmTree tree) {
    try (Snapshot now = tree.snapshot()) {
      byte[] last = now.get(LAST);
      return last == null ? 0 : ByteBuffer.wrap(last).getLong();
    }
  }

  /**
   * Checks a tree that was just opened: its content is that after some batch, and not an earlier
   * one than what was safe.
   *
   * @return that batch's sequence number
   */
  long check(LsmTree tree, long atLeast) {
    long found = last(tree);
    assertTrue(found >= atLeast, () -> "batches up to " + found + ", but " + atLeast + " was safe");
    TreeMap<byte[], byte[]> expected = newMap();
    expected.putAll(base);
    for (Step step : steps) {
      if (step.sequence() <= found) {
        apply(step.changes(), expected);
      }
    }
    try (Snapshot now = tree.snapshot()) {
      try (VisibleCursor cursor = now.cursor()) {
        boolean more = cursor.seekToFirst();
        for (Map.Entry<byte[], byte[]> entry : expected.entrySet()) {
          assertTrue(more, () -> "keys are missing after batch " + found);
          assertArrayEquals(entry.getKey(), cursor.copyKey(), () -> "key after batch " + found);
          assertArrayEquals(
              entry.getValue(), cursor.copyValue(), () -> "value after batch " + found);
          more = cursor.next();
        }
        assertTrue(!more, () -> "more keys than after batch " + found);
      }
      for (int i = 0; i < KEY_COUNT; i++) {
        byte[] key = key(i);
        assertArrayEquals(
            expected.get(key), now.get(key), () -> new String(key) + " after batch " + found);
      }
    }
    assertEquals(expected.size(), tree.counter(KEYS), () -> "counter after batch " + found);
    return found;
  }

  /** The newest batch that must be found now. */
  long safe() {
    return written;
  }

  /** The batch that the tree was at when it was opened. */
  long recovered() {
    return recovered;
  }

  /** Goes on from what was found: that is durable, and what was lost will not come back. */
  void goOnFrom(long found) {
    for (Step step : steps) {
      if (step.sequence() <= found) {
        apply(step.changes(), base);
      }
    }
    steps.clear();
    latest.clear();
    latest.putAll(base);
    recovered = found;
    written = found;
    synced = found;
  }
}
