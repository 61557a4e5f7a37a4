package dev.varve.perf.engine;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Locale;
import java.util.Map;
import org.h2.mvstore.Cursor;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.type.ByteArrayDataType;
import org.jspecify.annotations.Nullable;

/** H2's MVStore: a B+tree in Java, appended to a file in chunks by a thread of its own. */
final class MvStoreUnderTest implements EngineUnderTest {
  private static final int COMPACT_MILLIS_MAX = 60_000;

  private final Path directory;
  private final MVStore store;
  private final MVMap<byte[], byte[]> pairs;
  private final long cacheBytes;

  MvStoreUnderTest(Path directory, EngineOptions options) {
    this.directory = directory;
    this.cacheBytes = options.cacheBytes();
    this.store =
        new MVStore.Builder()
            .fileName(directory.resolve("pairs.mv").toString())
            .cacheSize((int) (cacheBytes >> 20))
            .compress()
            .open();
    this.pairs =
        store.openMap(
            "pairs",
            new MVMap.Builder<byte[], byte[]>()
                .keyType(ByteArrayDataType.INSTANCE)
                .valueType(ByteArrayDataType.INSTANCE));
  }

  @Override
  public String name() {
    return EngineKind.MVSTORE.label();
  }

  @Override
  public String settings() {
    return String.format(
        Locale.ROOT,
        "LZF, commits by its own thread each second (what is younger does not survive a kill),"
            + " cache %d MiB on the heap",
        cacheBytes >> 20);
  }

  @Override
  public void put(byte[] key, byte[] value) {
    pairs.put(key.clone(), value.clone());
  }

  @Override
  public void putSynced(byte[] key, byte[] value) {
    put(key, value);
    store.commit();
    store.sync();
  }

  @Override
  public void delete(byte[] key) {
    pairs.remove(key);
  }

  @Override
  public void deleteRange(byte[] from, byte[] toExclusive) {
    Iterator<byte[]> keys = pairs.keyIterator(from);
    while (keys.hasNext()) {
      byte[] key = keys.next();
      if (ByteArrayDataType.INSTANCE.compare(key, toExclusive) >= 0) {
        return;
      }
      pairs.remove(key);
    }
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    return pairs.get(key);
  }

  @Override
  public Walk walk() {
    return new MvWalk();
  }

  @Override
  public void settle() {
    store.commit();
  }

  @Override
  public boolean compactFully() {
    store.commit();
    store.compactFile(COMPACT_MILLIS_MAX);
    return true;
  }

  @Override
  public boolean recoversFromLog() {
    return false;
  }

  @Override
  public long diskBytes() throws IOException {
    return DiskUse.of(directory);
  }

  @Override
  public Map<String, Long> offHeapBytes() {
    return Map.of();
  }

  @Override
  public void close() {
    store.close();
  }

  /** One direction at a time: MVStore's cursors do not turn round. */
  private final class MvWalk implements Walk {
    private @Nullable Cursor<byte[], byte[]> cursor;
    private boolean forward;
    private byte[] key = new byte[0];
    private byte[] value = new byte[0];

    private boolean start(byte @Nullable [] from, boolean goesForward) {
      forward = goesForward;
      cursor = pairs.cursor(from, null, !goesForward);
      return step();
    }

    private boolean step() {
      Cursor<byte[], byte[]> open = cursor;
      if (open == null || !open.hasNext()) {
        return false;
      }
      key = open.next();
      value = open.getValue();
      return true;
    }

    @Override
    public boolean seekToFirst() {
      return start(null, true);
    }

    @Override
    public boolean seekToLast() {
      return start(null, false);
    }

    @Override
    public boolean seek(byte[] wanted) {
      return start(wanted, true);
    }

    @Override
    public boolean next() {
      return forward ? step() : start(key, true) && step();
    }

    @Override
    public boolean previous() {
      return forward ? start(key, false) && step() : step();
    }

    @Override
    public int read(Pair into) {
      System.arraycopy(key, 0, into.key, 0, key.length);
      System.arraycopy(value, 0, into.value, 0, value.length);
      return key.length + value.length;
    }

    @Override
    public void close() {
      cursor = null;
    }
  }
}
