package dev.varve.server.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.store.StoreBatch;
import dev.varve.codec.store.StoreView;
import dev.varve.lsm.TreeOptions;
import dev.varve.wal.CrashableStorageDirectory;
import dev.varve.wal.OffHeap;
import dev.varve.wal.StorageDirectory;
import dev.varve.wal.StorageFile;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A disk without any space left, at the start. */
class BallastTest {
  private static final long MUCH = 100 << 20;
  private static final byte[] KEY = {'m', 0, 0, 0, 0, 'k'};
  private static final byte[] VALUE = {'v'};

  private final TinyDisk disk = new TinyDisk();

  private TreeEngine open() throws IOException {
    return TreeEngine.openWithBallast(disk, TreeOptions.builder(), new OffHeap(), 1);
  }

  private void writeAndClose(TreeEngine engine) throws IOException {
    StoreBatch batch = new StoreBatch();
    batch.put(KEY, VALUE);
    engine.store().write(batch);
    engine.publish(engine.commit(true));
    engine.backgroundWork().get(0).runOnce();
    engine.close();
  }

  @Test
  void aFullDiskTakesTheBallastAndReadsGoOnUntilThereIsSpace() throws IOException {
    disk.free = MUCH;
    writeAndClose(open());
    assertTrue(disk.exists(Ballast.FILE));

    disk.free = 0;
    TreeEngine engine = open();
    assertFalse(disk.exists(Ballast.FILE));
    String refusal = engine.writeRefusal();
    assertNotNull(refusal);
    assertTrue(refusal.startsWith("MISCONF "), refusal);
    try (StoreView view = engine.blockingView()) {
      assertArrayEquals(VALUE, view.get(KEY));
    }

    disk.free = MUCH;
    engine.backgroundWork().get(0).runOnce();
    assertNull(engine.writeRefusal());
    assertTrue(disk.exists(Ballast.FILE));
    writeAndClose(engine);
  }

  @Test
  void aFullDiskWithoutBallastIsRefused() throws IOException {
    disk.free = 10 * TinyDisk.FILE_BYTES;
    writeAndClose(open());
    assertFalse(disk.exists(Ballast.FILE), "it needs space");
    disk.free = 0;
    IOException refused = assertThrows(IOException.class, this::open);
    assertEquals(TinyDisk.FULL, refused.getMessage());
  }

  /** Counts what files take when they are made. */
  private static final class TinyDisk implements StorageDirectory {
    static final String FULL = "No space left on device";
    static final long FILE_BYTES = 4096;

    private final StorageDirectory inner = new CrashableStorageDirectory();
    private long free;

    private static long bytes(String name) {
      return name.equals(Ballast.FILE) ? Ballast.BYTES : FILE_BYTES;
    }

    @Override
    public String path() {
      return inner.path();
    }

    @Override
    public StorageFile create(String name) throws IOException {
      if (free < bytes(name)) {
        throw new IOException(FULL);
      }
      free -= bytes(name);
      return inner.create(name);
    }

    @Override
    public StorageFile open(String name) throws IOException {
      return inner.open(name);
    }

    @Override
    public StorageFile openReadOnly(String name) throws IOException {
      return inner.openReadOnly(name);
    }

    @Override
    public List<String> list() throws IOException {
      return inner.list();
    }

    @Override
    public boolean exists(String name) throws IOException {
      return inner.exists(name);
    }

    @Override
    public void rename(String source, String target) throws IOException {
      inner.rename(source, target);
    }

    @Override
    public void delete(String name) throws IOException {
      if (name.equals(Ballast.FILE) && exists(name)) {
        free += Ballast.BYTES;
      }
      inner.delete(name);
    }

    @Override
    public void sync() throws IOException {
      inner.sync();
    }

    @Override
    public long usableBytes() {
      return free;
    }

    @Override
    public void lock() throws IOException {
      inner.lock();
    }

    @Override
    public void close() throws IOException {
      inner.close();
    }
  }
}
