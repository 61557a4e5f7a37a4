package dev.varve.lsm.memtable;

import dev.varve.lsm.entry.EntryCursor;
import dev.varve.lsm.entry.Lookup;
import dev.varve.lsm.entry.ValueCopy;
import dev.varve.wal.OffHeap;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.TreeMap;
import org.jetbrains.kotlinx.lincheck.annotations.Operation;
import org.jetbrains.kotlinx.lincheck.annotations.Param;
import org.jetbrains.kotlinx.lincheck.annotations.Validate;
import org.jetbrains.kotlinx.lincheck.paramgen.IntGen;

/**
 * A memtable as Lincheck runs it: one writer, which publishes each entry, and readers at what is
 * published.
 */
@Param(name = "key", gen = IntGen.class, conf = "0:5")
@Param(name = "value", gen = IntGen.class, conf = "1:9")
public class PublishedMemtable {
  private final OffHeap offHeap = new OffHeap();
  private final Memtable memtable = new Memtable(offHeap, 8 << 10);
  private volatile long published;

  public PublishedMemtable() {
    for (int i = 0; i < neighbours(); i++) {
      add(neighbour(i), false, 0);
    }
  }

  /** So few that little has to be made for each interleaving. */
  int neighbours() {
    return 2;
  }

  /** A leaf that is full after two more. */
  @Param(name = "key", gen = IntGen.class, conf = "0:5")
  @Param(name = "value", gen = IntGen.class, conf = "1:9")
  public static class FullLeaf extends PublishedMemtable {
    @Override
    int neighbours() {
      return LeafFormat.SLOTS - 2;
    }
  }

  /** Three bytes between two neighbours each. */
  private static byte[] key(int key) {
    return new byte[] {'k', (byte) (key * 8), 1};
  }

  private static byte[] neighbour(int i) {
    return new byte[] {'k', (byte) i, 0};
  }

  private void add(byte[] key, boolean tombstone, int value) {
    long sequence = published + 1;
    byte[] bytes = tombstone ? new byte[0] : ByteBuffer.allocate(4).putInt(value).array();
    memtable.add(key, 0, key.length, sequence, tombstone, bytes, 0, bytes.length);
    published = sequence;
  }

  @Operation(nonParallelGroup = "writer")
  public void put(@Param(name = "key") int key, @Param(name = "value") int value) {
    add(key(key), false, value);
  }

  @Operation(nonParallelGroup = "writer")
  public void remove(@Param(name = "key") int key) {
    add(key(key), true, 0);
  }

  @Operation
  public int get(@Param(name = "key") int key) {
    byte[] name = key(key);
    byte[] value = memtable.get(name, published, ValueCopy.WHOLE);
    return value == null || value == Lookup.TOMBSTONE ? 0 : ByteBuffer.wrap(value).getInt();
  }

  @Operation
  public String walk() {
    return walk(true);
  }

  @Operation
  public String walkBack() {
    return walk(false);
  }

  /** The newest of each key up to what was published at the beginning. */
  private String walk(boolean forward) {
    long sequence = published;
    Map<Integer, Integer> found = new TreeMap<>();
    Map<Integer, Long> sequences = new TreeMap<>();
    try (EntryCursor cursor = memtable.cursor()) {
      for (boolean on = forward ? cursor.seekToFirst() : cursor.seekToLast();
          on;
          on = forward ? cursor.next() : cursor.previous()) {
        byte[] key = cursor.keyBuffer();
        if (key[2] == 1 && cursor.sequence() <= sequence) {
          int number = key[1] / 8;
          long seen = sequences.getOrDefault(number, 0L);
          if (cursor.sequence() > seen) {
            sequences.put(number, cursor.sequence());
            found.put(
                number,
                cursor.isTombstone() ? 0 : cursor.valueBuffer().getInt(cursor.valueOffset()));
          }
        }
      }
    }
    found.values().removeIf(value -> value == 0);
    return found.toString();
  }

  /** Called at the end of each run. */
  @Validate
  public void nothingIsLeft() {
    memtable.release();
    if (offHeap.heldBytes() != 0) {
      throw new IllegalStateException(offHeap.heldBytes() + " bytes left");
    }
  }

  /** What it must look like. */
  public static class SortedMapModel {
    private final Map<Integer, Integer> map = new TreeMap<>();

    public void put(int key, int value) {
      map.put(key, value);
    }

    public void remove(int key) {
      map.remove(key);
    }

    public int get(int key) {
      return map.getOrDefault(key, 0);
    }

    public String walk() {
      return map.toString();
    }

    public String walkBack() {
      return map.toString();
    }
  }
}
