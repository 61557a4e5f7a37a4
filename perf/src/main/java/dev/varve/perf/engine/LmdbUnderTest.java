package dev.varve.perf.engine;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Cursor;
import org.lmdbjava.CursorIterable;
import org.lmdbjava.Dbi;
import org.lmdbjava.DbiFlags;
import org.lmdbjava.Env;
import org.lmdbjava.EnvFlags;
import org.lmdbjava.GetOp;
import org.lmdbjava.KeyRange;
import org.lmdbjava.SeekOp;
import org.lmdbjava.Txn;

/** LMDB through lmdbjava: a B+tree in a memory map, copied on write. */
final class LmdbUnderTest implements EngineUnderTest {
  /** Address space only: the file grows as it is filled. */
  private static final long MAP_BYTES_MAX = 64L << 30;

  private final Path directory;
  private final Env<ByteBuffer> env;
  private final Dbi<ByteBuffer> pairs;
  private final Slot writing = new Slot();
  private final ThreadLocal<Slot> reading = ThreadLocal.withInitial(Slot::new);

  /** Where a key and a value cross into native code. */
  private static final class Slot {
    final ByteBuffer key = ByteBuffer.allocateDirect(512);
    final ByteBuffer value = ByteBuffer.allocateDirect(1 << 20);

    ByteBuffer key(byte[] bytes) {
      return key.clear().put(bytes).flip();
    }

    ByteBuffer value(byte[] bytes) {
      return value.clear().put(bytes).flip();
    }
  }

  LmdbUnderTest(Path directory) {
    this.directory = directory;
    this.env =
        Env.create()
            .setMapSize(MAP_BYTES_MAX)
            .setMaxDbs(1)
            .open(directory.toFile(), EnvFlags.MDB_NOSYNC, EnvFlags.MDB_NORDAHEAD);
    this.pairs = env.openDbi("pairs", DbiFlags.MDB_CREATE);
  }

  @Override
  public String name() {
    return EngineKind.LMDB.label();
  }

  @Override
  public String settings() {
    return "no compression, no log (copy on write), a transaction per put, no sync; the page cache"
        + " is its cache";
  }

  @Override
  public void put(byte[] key, byte[] value) {
    pairs.put(writing.key(key), writing.value(value));
  }

  @Override
  public void putSynced(byte[] key, byte[] value) {
    put(key, value);
    env.sync(true);
  }

  @Override
  public void delete(byte[] key) {
    pairs.delete(writing.key(key));
  }

  @Override
  public void deleteRange(byte[] from, byte[] toExclusive) {
    ByteBuffer start = ByteBuffer.allocateDirect(from.length).put(from).flip();
    ByteBuffer end = ByteBuffer.allocateDirect(toExclusive.length).put(toExclusive).flip();
    try (Txn<ByteBuffer> txn = env.txnWrite()) {
      try (CursorIterable<ByteBuffer> range = pairs.iterate(txn, KeyRange.closedOpen(start, end))) {
        var entries = range.iterator();
        while (entries.hasNext()) {
          entries.next();
          entries.remove();
        }
      }
      txn.commit();
    }
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    try (Txn<ByteBuffer> txn = env.txnRead()) {
      ByteBuffer found = pairs.get(txn, reading.get().key(key));
      if (found == null) {
        return null;
      }
      byte[] value = new byte[found.remaining()];
      found.get(value);
      return value;
    }
  }

  @Override
  public Walk walk() {
    return new LmdbWalk(env.txnRead());
  }

  @Override
  public void settle() {
    // Nothing runs in the background.
  }

  @Override
  public boolean compactFully() {
    return false;
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
    long pages = env.info().lastPageNumber + 1;
    return Map.of("mapped_file", pages * env.stat().pageSize);
  }

  @Override
  public void close() {
    env.close();
  }

  private final class LmdbWalk implements Walk {
    private final Txn<ByteBuffer> txn;
    private final Cursor<ByteBuffer> cursor;

    LmdbWalk(Txn<ByteBuffer> txn) {
      this.txn = txn;
      this.cursor = pairs.openCursor(txn);
    }

    @Override
    public boolean seekToFirst() {
      return cursor.seek(SeekOp.MDB_FIRST);
    }

    @Override
    public boolean seekToLast() {
      return cursor.seek(SeekOp.MDB_LAST);
    }

    @Override
    public boolean seek(byte[] key) {
      return cursor.get(reading.get().key(key), GetOp.MDB_SET_RANGE);
    }

    @Override
    public boolean next() {
      return cursor.seek(SeekOp.MDB_NEXT);
    }

    @Override
    public boolean previous() {
      return cursor.seek(SeekOp.MDB_PREV);
    }

    @Override
    public int read(Pair into) {
      return into.copy(cursor.key(), cursor.val());
    }

    @Override
    public void close() {
      cursor.close();
      txn.close();
    }
  }
}
