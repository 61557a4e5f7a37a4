package dev.varve.codec;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.rank.RankFormat;
import dev.varve.codec.store.InMemoryStore;
import dev.varve.codec.store.StoreCursor;
import dev.varve.codec.zset.ZPlace;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;

/**
 * Asserts that the counted buckets of one collection tell the truth and have the sizes they should.
 *
 * <p>Single-threaded.
 */
public final class RankCheck {
  private final CollectionKeys keys;
  private final RankFormat.Sizes sizes;

  private RankCheck(CollectionKeys keys, RankFormat.Sizes sizes) {
    this.keys = keys;
    this.sizes = sizes;
  }

  public static void assertConsistent(
      Transaction transaction, CollectionKeys keys, Meta meta, RankFormat.Sizes sizes) {
    RankCheck check = new RankCheck(keys, sizes);
    try (StoreCursor cursor = transaction.cursor(InMemoryStore.END)) {
      TreeMap<byte[], Long> children = new TreeMap<>(Arrays::compareUnsigned);
      boolean found = cursor.seek(keys.prefix(KeyFormat.INDEX));
      for (; found && keys.owns(KeyFormat.INDEX, cursor.key()); found = cursor.next()) {
        byte[] place = keys.suffixOf(cursor.key());
        children.put(place, 1L);
        assertArrayEquals(place, meta.edges().start(place), "before the front");
        byte[] end = meta.edges().end(ZPlace.justAfter(place));
        assertArrayEquals(ZPlace.justAfter(place), end, "after the back");
      }
      assertEquals(meta.count(), children.size());
      List<TreeMap<byte[], byte[]>> levels = new ArrayList<>();
      found = cursor.seek(keys.prefix(KeyFormat.RANK));
      for (; found && keys.owns(KeyFormat.RANK, cursor.key()); found = cursor.next()) {
        int level = keys.rankLevelOf(cursor.key());
        if (level == levels.size()) {
          levels.add(new TreeMap<>(Arrays::compareUnsigned));
        }
        assertEquals(level, levels.size() - 1);
        levels.get(level).put(keys.rankFirstOf(cursor.key()), cursor.value());
      }
      assertEquals(meta.rankLevels(), levels.size(), "levels");
      for (int level = 0; level < levels.size(); level++) {
        children = check.checkLevel(level, levels.get(level), children);
      }
      int top = levels.isEmpty() ? sizes.entriesMax() : sizes.childrenMax();
      assertTrue(children.size() <= top, () -> "too much without a level above");
      assertTrue(levels.isEmpty() || children.size() > 1, () -> "a level without use");
    }
  }

  /** Returns the buckets of this level with how many entries they have. */
  private TreeMap<byte[], Long> checkLevel(
      int level, TreeMap<byte[], byte[]> buckets, TreeMap<byte[], Long> children) {
    TreeMap<byte[], Long> counts = new TreeMap<>(Arrays::compareUnsigned);
    assertEquals(0, buckets.firstKey().length, "where the first bucket starts");
    for (byte[] first : buckets.keySet()) {
      byte[] next = buckets.higherKey(first);
      var its = next == null ? children.tailMap(first, true) : children.subMap(first, next);
      byte[] value = buckets.get(first);
      assertEquals(its.size(), RankFormat.children(level, value), "children");
      long entries = its.values().stream().mapToLong(Long::longValue).sum();
      assertEquals(entries, RankFormat.entries(value), "entries");
      // Merging an empty child with the only neighbour it can have may exceed the maximum by one.
      int childrenMax = level == 0 ? sizes.entriesMax() : sizes.childrenMax() + 1;
      assertTrue(its.size() <= childrenMax, () -> "too many children: " + its.size());
      assertTrue(!its.isEmpty(), () -> "an empty bucket");
      if (level > 0) {
        assertTrue(children.containsKey(first), () -> "no child where the bucket starts");
      }
      counts.put(first, entries);
    }
    return counts;
  }
}
