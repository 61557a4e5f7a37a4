package dev.varve.server.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.store.StoreCursor;
import dev.varve.lsm.entry.ColdBlockSignal;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A {@link WriterCursor} beside one that knows only the tree. */
class BucketCacheTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());
  private static final int COLLECTIONS = 3;
  private static final int LEVELS = 2;
  private static final int PLACES = 400;

  /** A walk over a map; some rows are not in memory. */
  private static final class MapCursor implements StoreCursor {
    final TreeMap<byte[], byte[]> rows;
    final Set<byte[]> cold;
    final int[] steps;
    Map.@Nullable Entry<byte[], byte[]> at;

    MapCursor(TreeMap<byte[], byte[]> rows, Set<byte[]> cold, int[] steps) {
      this.rows = rows;
      this.cold = cold;
      this.steps = steps;
    }

    private boolean to(Map.@Nullable Entry<byte[], byte[]> entry) {
      steps[0]++;
      if (entry != null && cold.contains(entry.getKey())) {
        throw ColdBlockSignal.INSTANCE;
      }
      at = entry;
      return entry != null;
    }

    @Override
    public boolean seek(byte[] key) {
      return to(rows.ceilingEntry(key));
    }

    @Override
    public boolean seekBefore(byte[] key) {
      return to(rows.lowerEntry(key));
    }

    @Override
    public boolean next() {
      return at != null && to(rows.higherEntry(at.getKey()));
    }

    @Override
    public boolean previous() {
      return at != null && to(rows.lowerEntry(at.getKey()));
    }

    @Override
    public boolean isValid() {
      return at != null;
    }

    @Override
    public byte[] key() {
      return entry().getKey();
    }

    @Override
    public byte[] value() {
      return entry().getValue();
    }

    private Map.Entry<byte[], byte[]> entry() {
      if (at == null) {
        throw new IllegalStateException("the cursor is on no entry");
      }
      return at;
    }

    @Override
    public void close() {}
  }

  private interface Move {
    boolean by(StoreCursor cursor);
  }

  private final Random random = new Random(SEED);
  private final TreeMap<byte[], byte[]> rows = new TreeMap<>(Arrays::compareUnsigned);
  private final Set<byte[]> cold = new HashSet<>();
  private final int[] treeSteps = new int[1];
  private final BucketCache buckets = new BucketCache();

  private byte[] randomKey() {
    int collection = random.nextInt(COLLECTIONS);
    if (random.nextInt(20) == 0) {
      // Neighbours of the keyspace.
      int beside = random.nextBoolean() ? 1 : -1;
      return new byte[] {(byte) (KeyFormat.RANK + beside), (byte) collection};
    }
    byte[] home = {'k', (byte) ('0' + collection)};
    int place = random.nextInt(PLACES);
    ByteBuffer key = ByteBuffer.allocate(1 + 4 + 4 + home.length + 8 + 1 + (place == 0 ? 0 : 2));
    key.put(KeyFormat.RANK).putInt(0).putInt(home.length).put(home).putLong(collection);
    key.put((byte) random.nextInt(LEVELS));
    if (place > 0) {
      key.putShort((short) place);
    }
    return key.array();
  }

  private void write() {
    byte[] key = randomKey();
    byte[] before = rows.ceilingKey(key);
    if (random.nextInt(3) == 0) {
      // What is near rather than what is random, so that something goes.
      if (before != null) {
        rows.remove(before);
        cold.remove(before);
        buckets.written(before, null);
      }
    } else {
      byte[] value = {(byte) random.nextInt()};
      rows.remove(key);
      rows.put(key, value);
      buckets.written(key, value);
    }
  }

  private static @Nullable Boolean result(Move move, StoreCursor cursor) {
    try {
      return move.by(cursor);
    } catch (ColdBlockSignal signal) {
      return null;
    }
  }

  private Move randomMove() {
    byte[] target = randomKey();
    return switch (random.nextInt(8)) {
      case 0 -> cursor -> cursor.seek(target);
      case 1 -> cursor -> cursor.seekBefore(target);
      case 2, 3, 4 -> StoreCursor::next;
      default -> StoreCursor::previous;
    };
  }

  /** Moves both alike, for as long as the plain one meets nothing cold. */
  private void walk() {
    StoreCursor plain = new MapCursor(rows, cold, new int[1]);
    StoreCursor cached = new WriterCursor(buckets, () -> new MapCursor(rows, cold, treeSteps));
    for (int i = 0; i < 40; i++) {
      Move move = randomMove();
      Boolean expected = result(move, plain);
      if (expected == null) {
        return;
      }
      assertEquals(expected, result(move, cached), "move " + i);
      assertEquals(plain.isValid() && expected, cached.isValid() && expected);
      if (expected) {
        assertArrayEquals(plain.key(), cached.key());
        assertArrayEquals(plain.value(), cached.value());
      } else {
        return;
      }
    }
  }

  @Test
  void walksAsTheTreeDoes() {
    System.out.println("BucketCacheTest -Dvarve.seed=" + SEED);
    for (int i = 0; i < 20_000; i++) {
      if (random.nextInt(3) > 0) {
        write();
      } else {
        walk();
      }
    }
  }

  @Test
  void meetsNothingColdThatThePlainWalkDoesNotMeet() {
    System.out.println("BucketCacheTest cold -Dvarve.seed=" + SEED);
    for (int i = 0; i < 20_000; i++) {
      switch (random.nextInt(4)) {
        case 0 -> walk();
        case 1 -> {
          byte[] key = rows.ceilingKey(randomKey());
          if (key != null && random.nextInt(10) == 0 && !cold.remove(key)) {
            cold.add(key);
          }
        }
        default -> write();
      }
    }
  }

  @Test
  void whatIsKnownIsNotAskedAgain() {
    for (int i = 0; i < 3_000; i++) {
      write();
    }
    byte[] first = new byte[] {KeyFormat.RANK};
    for (int round = 0; round < 3; round++) {
      treeSteps[0] = 0;
      StoreCursor cursor = new WriterCursor(buckets, () -> new MapCursor(rows, cold, treeSteps));
      int seen = 0;
      for (boolean found = cursor.seek(first); found; found = cursor.next()) {
        seen += BucketCache.isBucket(cursor.key()) ? 1 : 0;
      }
      assertTrue(seen > 200, seen + " buckets");
    }
    int rowsOutside = rows.headMap(first).size() + rows.tailMap(new byte[] {'s'}).size();
    // The first seek, where nothing is before, and what is behind the buckets.
    assertTrue(treeSteps[0] <= rowsOutside + 10, treeSteps[0] + " steps in the tree");
  }
}
