package dev.varve.server.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Stretches beside a TreeMap of where they begin. */
class SortedStretchesTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());
  private static final int STEPS = 60_000;
  private static final int OFFSET = 3;

  private final SplittableRandom random = new SplittableRandom(SEED);
  private final SortedStretches stretches = new SortedStretches();
  private final TreeMap<byte[], Stretch> model = new TreeMap<>(Arrays::compareUnsigned);
  private final WalkedKeyspace keyspace = new WalkedKeyspace(new byte[OFFSET]);

  /** A suffix; many share their first words, and some are the beginning of others. */
  private byte[] suffix() {
    byte[] suffix = new byte[random.nextInt(12)];
    for (int i = 0; i < suffix.length; i++) {
      suffix[i] = (byte) (i < 8 ? random.nextInt(3) * 100 : random.nextInt());
    }
    return suffix;
  }

  private static @Nullable Stretch value(Map.@Nullable Entry<byte[], Stretch> entry) {
    return entry == null ? null : entry.getValue();
  }

  private void assertSameAround(byte[] suffix, String where) {
    byte[] key = new byte[OFFSET + suffix.length];
    System.arraycopy(suffix, 0, key, OFFSET, suffix.length);
    assertSame(value(model.floorEntry(suffix)), stretches.lastFrom(key, OFFSET, true), where);
    assertSame(value(model.lowerEntry(suffix)), stretches.lastFrom(key, OFFSET, false), where);
    assertSame(value(model.higherEntry(suffix)), stretches.firstAfter(key, OFFSET), where);
    assertEquals(model.isEmpty(), stretches.isEmpty(), where);
    if (!model.isEmpty()) {
      assertSame(model.lastEntry().getValue(), stretches.last(), where);
    }
  }

  private void add(byte[] from) {
    if (!model.containsKey(from)) {
      Stretch stretch = new Stretch(keyspace, from, null);
      model.put(from, stretch);
      stretches.add(stretch);
    }
  }

  /** The one at or after a place goes, or moves its start to that place. */
  private void change(byte[] place, boolean moves) {
    Map.Entry<byte[], Stretch> its = model.ceilingEntry(place);
    if (its == null) {
      return;
    }
    model.remove(its.getKey());
    if (moves) {
      stretches.moveStart(its.getValue(), place);
      model.put(place, its.getValue());
    } else {
      stretches.remove(its.getValue());
      assertThrows(AssertionError.class, () -> stretches.remove(its.getValue()));
    }
  }

  @Test
  void areFoundByWhereTheyBeginWhateverComesAndGoes() {
    System.out.println("SortedStretchesTest -Dvarve.seed=" + SEED);
    int most = 0;
    for (int step = 0; step < STEPS; step++) {
      // They grow to many pages, and shrink to none.
      boolean grows = step % (STEPS / 3) < STEPS / 6;
      int kind = random.nextInt(10);
      if (kind < (grows ? 7 : 2)) {
        add(suffix());
      } else if (kind < 9) {
        change(suffix(), false);
      } else {
        change(suffix(), true);
      }
      most = Math.max(most, model.size());
      assertSameAround(suffix(), "seed " + SEED + ", step " + step);
    }
    while (!model.isEmpty()) {
      change(new byte[0], false);
      assertSameAround(suffix(), "seed " + SEED + ", at the end");
    }
    assertTrue(most > 1_000, "so few make no pages: " + most);
  }
}
