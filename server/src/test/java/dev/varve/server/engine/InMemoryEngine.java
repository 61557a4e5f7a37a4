package dev.varve.server.engine;

import dev.varve.codec.GarbageRecord;
import dev.varve.codec.store.InMemoryStore;
import dev.varve.codec.store.Store;
import dev.varve.codec.store.StoreBatch;
import dev.varve.codec.store.StoreChanges;
import dev.varve.codec.store.StoreCursor;
import dev.varve.codec.store.StoreView;
import dev.varve.lsm.entry.ColdBlockSignal;
import dev.varve.wal.StorageDirectory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An engine over the reference store: readers see what is published, and any part of the data can
 * be made cold, writes delayed, commits fail.
 *
 * <p>Threads as {@link Engine} says; what tests set may be set from any.
 */
public class InMemoryEngine implements Engine {
  private final InMemoryStore all = new InMemoryStore();
  private final PortStore store = new PortStore();
  private final Set<ByteBuffer> warm = ConcurrentHashMap.newKeySet();
  private volatile boolean cold;
  private volatile StoreView published = all.view();
  private volatile long publishedSequence;
  private volatile int writeDelayMillis;
  private volatile @Nullable String writeRefusal;
  private volatile boolean closed;
  private volatile boolean commitFails;
  private boolean isInDoubt;
  private volatile boolean publishedNext;
  private volatile List<GarbageRecord> retirable = List.of();
  private volatile Runnable beforeSync = () -> {};
  private volatile Runnable beforeWrite = () -> {};
  private volatile Runnable beforeCommit = () -> {};
  private volatile Runnable beforeBlockingView = () -> {};
  private volatile Consumer<byte[]> beforeBlockingRead = key -> {};
  private volatile Consumer<List<byte[]>> onForeseen = keys -> {};

  /** Commits that had something to commit, so far. */
  public final AtomicLong commits = new AtomicLong();

  /** Syncs so far. */
  public final AtomicLong syncs = new AtomicLong();

  /** Flushes so far. */
  public final AtomicLong flushes = new AtomicLong();

  /** Calls of {@link #upkeep} so far. */
  public final AtomicLong upkeeps = new AtomicLong();

  /** Views opened and not closed. */
  public final AtomicLong openViews = new AtomicLong();

  /** From now on, each key is in memory only after it was read through a blocking view. */
  public void makeCold() {
    warm.clear();
    cold = true;
  }

  public void writeDelayMillis(int millis) {
    writeDelayMillis = millis;
  }

  public void writeRefusal(@Nullable String error) {
    writeRefusal = error;
  }

  public void commitFails(boolean fails) {
    commitFails = fails;
  }

  /** What is done before each view is opened whose reads may block. */
  public void beforeBlockingView(Runnable task) {
    beforeBlockingView = task;
  }

  /** What each read that may block begins with, given its key. */
  public void beforeBlockingRead(Consumer<byte[]> task) {
    beforeBlockingRead = task;
  }

  /** Is told the keys of each look ahead. */
  public void onForeseen(Consumer<List<byte[]>> listener) {
    onForeseen = listener;
  }

  /** What each sync begins with. */
  public void beforeSync(Runnable task) {
    beforeSync = task;
  }

  /** What each write begins with. */
  public void beforeWrite(Runnable task) {
    beforeWrite = task;
  }

  /** What each commit begins with. */
  public void beforeCommit(Runnable task) {
    beforeCommit = task;
  }

  public boolean isClosed() {
    return closed;
  }

  @Override
  public Store store() {
    return store;
  }

  @Override
  public void foresee(byte[][] keys, int count, Use use) {
    onForeseen.accept(List.of(Arrays.copyOf(keys, count)));
  }

  @Override
  public byte @Nullable [] atHand(byte[] key) {
    if (cold && !warm.contains(ByteBuffer.wrap(key))) {
      return null;
    }
    try (StoreView view = all.writerView()) {
      return view.get(key);
    }
  }

  @Override
  public StoreView blockingView() {
    beforeBlockingView.run();
    return new PortView(published, false, true);
  }

  /** What the latest commit was told. */
  public boolean isPublishedNext() {
    return publishedNext;
  }

  @Override
  public long commit(boolean isPublishedNext) throws java.io.IOException {
    beforeCommit.run();
    if (commitFails) {
      throw new java.io.IOException("no space left on device");
    }
    commits.incrementAndGet();
    publishedNext = isPublishedNext;
    isInDoubt = false;
    return all.nextSequence() - 1;
  }

  @Override
  public void doubtUnpublished() {
    isInDoubt = true;
  }

  @Override
  public boolean showsUnpublished() {
    return !isInDoubt;
  }

  @Override
  public long sync() {
    beforeSync.run();
    syncs.incrementAndGet();
    return all.nextSequence() - 1;
  }

  @Override
  public void publish(long sequence) {
    published = all.view();
    publishedSequence = all.nextSequence() - 1;
  }

  @Override
  public long publishedSequence() {
    return publishedSequence;
  }

  @Override
  public int writeDelayMillis() {
    return writeDelayMillis;
  }

  @Override
  public @Nullable String writeRefusal() {
    return writeRefusal;
  }

  @Override
  public void upkeep() {
    upkeeps.incrementAndGet();
    isInDoubt &= commitFails;
  }

  /** What {@link #takeRetirableGarbage} hands out next. */
  public void retirable(List<GarbageRecord> records) {
    retirable = records;
  }

  @Override
  public List<GarbageRecord> takeRetirableGarbage() {
    List<GarbageRecord> records = retirable;
    retirable = List.of();
    return records;
  }

  @Override
  public void flush() throws IOException {
    flushes.incrementAndGet();
  }

  /** Leaves a file that says that it is one. */
  @Override
  public void checkpoint(StorageDirectory target) throws IOException {
    target.create("CHECKPOINT").close();
  }

  @Override
  public List<BackgroundWork> backgroundWork() {
    return List.of();
  }

  @Override
  public void onBackgroundWork(Consumer<BackgroundWork> wake) {}

  @Override
  public Map<String, String> statistics() {
    return Map.of("engine", "in-memory");
  }

  @Override
  public Map<String, Long> memoryParts() {
    return Map.of();
  }

  @Override
  public void close() {
    closed = true;
  }

  private final class PortStore implements Store {
    @Override
    public StoreView view() {
      return new PortView(published, false, false);
    }

    @Override
    public StoreView writerView() {
      return new PortView(all.writerView(), true, false);
    }

    @Override
    public long nextSequence() {
      return all.nextSequence();
    }

    @Override
    public void write(StoreChanges changes) {
      beforeWrite.run();
      changes.accept(
          new StoreBatch.Visitor() {
            @Override
            public void put(byte[] key, byte[] value) {
              warm.add(ByteBuffer.wrap(key));
            }

            @Override
            public void delete(byte[] key) {
              warm.add(ByteBuffer.wrap(key));
            }

            @Override
            public void count(long counterId, long delta) {}
          });
      all.write(changes);
    }

    @Override
    public long counter(long id) {
      return all.counter(id);
    }
  }

  private final class PortView implements StoreView {
    private final StoreView view;
    private final boolean isOwner;
    private final boolean mayBlock;

    PortView(StoreView view, boolean isOwner, boolean mayBlock) {
      this.view = view;
      this.isOwner = isOwner;
      this.mayBlock = mayBlock;
      openViews.incrementAndGet();
    }

    @Override
    public byte @Nullable [] get(byte[] key) {
      touch(key);
      return view.get(key);
    }

    private void touch(byte[] key) {
      if (mayBlock) {
        beforeBlockingRead.accept(key);
        warm.add(ByteBuffer.wrap(key));
      } else if (cold && !warm.contains(ByteBuffer.wrap(key))) {
        throw ColdBlockSignal.INSTANCE;
      }
    }

    @Override
    public StoreCursor cursor(byte[] end) {
      return view.cursor(end);
    }

    @Override
    public void close() {
      openViews.decrementAndGet();
      if (isOwner) {
        view.close();
      }
    }
  }
}
