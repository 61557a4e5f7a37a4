package dev.varve.server.engine;

import dev.varve.codec.Databases;
import dev.varve.codec.MasterPosition;
import dev.varve.codec.PackedLimits;
import dev.varve.codec.Transaction;
import dev.varve.codec.store.Store;
import dev.varve.codec.store.StoreChanges;
import dev.varve.codec.store.StoreView;
import dev.varve.lsm.TreeCheck;
import dev.varve.lsm.TreeImage;
import dev.varve.lsm.TreeOptions;
import dev.varve.wal.OffHeap;
import dev.varve.wal.StorageDirectory;
import java.io.Closeable;
import java.io.IOException;
import java.util.SplittableRandom;

/**
 * What a directory holds that no server uses, for who only looks: nothing in it changes.
 *
 * <p>For one thread, which waits for the disk.
 */
public final class StoredData implements Closeable {
  private final TreeImage image;
  private final StoreView view;
  private final Databases databases;
  private final long nowMillis;
  private final SplittableRandom random = new SplittableRandom();
  private final Store store = new Unwritten();

  private StoredData(TreeImage image, long nowMillis) {
    this.image = image;
    this.view = new TreeView(image.snapshot());
    this.databases = Databases.load(view, Databases.COUNT_MAX);
    this.nowMillis = nowMillis;
  }

  /**
   * Opens it.
   *
   * @param directory stays the caller's
   * @param nowMillis what the time is, in ms since 1970
   * @throws IOException when there is no data of Varve, or a server uses it
   */
  public static StoredData open(StorageDirectory directory, OffHeap memory, long nowMillis)
      throws IOException {
    TreeCheck.requireTree(directory);
    directory.lockToRead();
    return new StoredData(image(directory, memory), nowMillis);
  }

  static TreeImage image(StorageDirectory directory, OffHeap memory) throws IOException {
    TreeOptions options =
        TreeOptions.builder().keyOrder(StoredKeyOrder.INSTANCE).offHeap(memory).build();
    return TreeImage.open(directory, options);
  }

  /** Whether it is a part of what another server has, whose data was being loaded (REPLICAOF). */
  public boolean isPartOfMaster() {
    return MasterPosition.isPart(store);
  }

  /** All of it. */
  public StoreView view() {
    return view;
  }

  /** A transaction on all of it, whose writes go nowhere. */
  public Transaction transaction() {
    return new Transaction(store, view, databases, PackedLimits.DEFAULT, nowMillis, random, false);
  }

  @Override
  public void close() throws IOException {
    view.close();
    image.close();
  }

  private final class Unwritten implements Store {
    @Override
    public StoreView view() {
      return view;
    }

    @Override
    public StoreView writerView() {
      return view;
    }

    /** Later than all that is stored. */
    @Override
    public long nextSequence() {
      return Long.MAX_VALUE;
    }

    @Override
    public void write(StoreChanges changes) {
      throw new UnsupportedOperationException("nobody writes here");
    }

    @Override
    public long counter(long id) {
      return image.counter(id);
    }
  }
}
