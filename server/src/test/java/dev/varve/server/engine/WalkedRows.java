package dev.varve.server.engine;

import dev.varve.codec.store.InMemoryStore;
import dev.varve.codec.store.StepMeter;
import dev.varve.codec.store.StoreCursor;
import dev.varve.lsm.entry.ColdBlockSignal;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The rows of a tree, and walks over them with a {@link WalkCache} in front and without. */
final class WalkedRows {
  final TreeMap<byte[], byte[]> rows = new TreeMap<>(Arrays::compareUnsigned);

  /** The keys of rows that are not in memory. */
  final Set<byte[]> cold = new HashSet<>();

  /** How many steps walks with a cache have made in the tree. */
  int treeSteps;

  /** How many of these were searches. */
  int treeSearches;

  /** The keys that they have come to there. */
  final TreeSet<byte[]> met = new TreeSet<>(Arrays::compareUnsigned);

  /** Versions of one key follow each other, as they do when it is written anew. */
  static byte[] prefix(byte tag, int collection) {
    byte[] home = {'k', (byte) ('0' + collection / 2)};
    return ByteBuffer.allocate(1 + 4 + 4 + home.length + 8)
        .put(tag)
        .putInt(0)
        .putInt(home.length)
        .put(home)
        .putLong(7 + collection % 2)
        .array();
  }

  static byte[] place(byte[] prefix, int place) {
    return ByteBuffer.allocate(prefix.length + 1 + Short.BYTES)
        .put(prefix)
        .put((byte) 0)
        .putShort((short) place)
        .array();
  }

  void put(WalkCache cache, byte[] key, int value) {
    rows.put(key, new byte[] {(byte) value});
    cache.written(key, rows.get(key));
  }

  /** A walk over the tree alone. */
  StoreCursor plain() {
    return new MapCursor(false);
  }

  WriterCursor cursor(WalkCache cache) {
    return cursor(cache, new byte[0], InMemoryStore.END);
  }

  WriterCursor cursor(WalkCache cache, byte[] from, byte[] end) {
    return new WriterCursor(
        cache, (lower, before) -> new MapCursor(true), () -> {}, StepMeter.NONE, from, end);
  }

  /** A walk over a map; some rows are not in memory. */
  private final class MapCursor implements StoreCursor {
    private final boolean isNoted;
    private NavigableMap<byte[], byte[]> shown = rows;
    private Map.@Nullable Entry<byte[], byte[]> at;

    MapCursor(boolean isNoted) {
      this.isNoted = isNoted;
    }

    @Override
    public void within(byte[] from, byte[] end) {
      at = null;
      boolean isAny = Arrays.compareUnsigned(from, end) < 0;
      shown = isAny ? rows.subMap(from, true, end, false) : new TreeMap<>(rows.comparator());
    }

    private boolean to(Map.@Nullable Entry<byte[], byte[]> entry) {
      treeSteps += isNoted ? 1 : 0;
      if (entry != null && cold.contains(entry.getKey())) {
        throw ColdBlockSignal.INSTANCE;
      }
      if (entry != null && isNoted) {
        met.add(entry.getKey());
      }
      at = entry;
      return entry != null;
    }

    @Override
    public boolean seek(byte[] key) {
      treeSearches += isNoted ? 1 : 0;
      return to(shown.ceilingEntry(key));
    }

    @Override
    public boolean seekBefore(byte[] key) {
      treeSearches += isNoted ? 1 : 0;
      return to(shown.lowerEntry(key));
    }

    @Override
    public boolean next() {
      return at != null && to(shown.higherEntry(at.getKey()));
    }

    @Override
    public boolean previous() {
      return at != null && to(shown.lowerEntry(at.getKey()));
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
}
