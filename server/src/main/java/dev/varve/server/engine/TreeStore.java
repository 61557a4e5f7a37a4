package dev.varve.server.engine;

import dev.varve.codec.store.ResidentRows;
import dev.varve.codec.store.Store;
import dev.varve.codec.store.StoreBatch;
import dev.varve.codec.store.StoreChanges;
import dev.varve.codec.store.StoreView;
import dev.varve.lsm.LsmTree;
import dev.varve.lsm.MultiGet;
import dev.varve.lsm.Snapshot;
import dev.varve.lsm.entry.ReadMode;
import dev.varve.lsm.entry.ValueBuffer;
import dev.varve.lsm.table.BlockPins;
import dev.varve.lsm.table.KeyHash;
import dev.varve.lsm.table.ReadContext;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The tree as codec's store, read without waiting for a disk. Threads as {@link Store} says. */
final class TreeStore implements Store {
  /** Changes that are larger are a batch of their own. */
  private static final long GROUP_BYTES_MAX = 1 << 20;

  private final LsmTree tree;
  private final WriterCaches caches = new WriterCaches(Runtime.getRuntime().maxMemory());
  private final ElementReadAhead elements = new ElementReadAhead();
  private final ValueBuffer buffer = new ValueBuffer();
  private final PlacedBatch batch = new PlacedBatch(caches.rows());
  private final StoreBatch.Visitor intoBatch = new IntoBatch();
  private final WriteGroup group = new WriteGroup();
  private final StoreBatch.Visitor intoGroup = new IntoGroup();
  private final MultiGet ahead = new MultiGet(Engine.FORESEEN_MAX);
  private final long[] foreseen = new long[Engine.FORESEEN_MAX];

  /** Keeps the compiler from leaving out what is read for no other reason. */
  @SuppressWarnings("unused")
  private int touched;

  /** Who wrote what is in {@link #group}, and what is applied and not published. */
  private volatile @Nullable Thread writer;

  /** Why what was written did not reach the tree, until who commits is told. */
  private @Nullable IOException lost;

  private ReadContext writerContext = ReadContext.MEMORY_ONLY;
  private boolean isBrought;

  /** Whether the writer's views show what is written and not published. Set by the writer. */
  private volatile boolean showsUnpublished = true;

  /** Held while somebody writes beside the keyspace loop. */
  private final Object lending = new Object();

  private boolean isLendingOver;

  private ReadContext lentContext = ReadContext.MEMORY_ONLY;

  /** Whether another thread is the writer: set by the keyspace loop, which only reads meanwhile. */
  private volatile boolean isLent;

  TreeStore(LsmTree tree) {
    this.tree = tree;
  }

  @Override
  public StoreView view() {
    return new TreeView(tree.snapshot(ReadContext.MEMORY_ONLY));
  }

  @Override
  public StoreView writerView() {
    return showsUnpublished && !isLent
        ? writerView(writerContext, isBrought || writerContext.pins() != null)
        : new TreeView(tree.snapshot(writerContext));
  }

  private WriterView writerView(ReadContext context, boolean isRepeated) {
    return new WriterView(this, context, isRepeated, caches, elements, buffer);
  }

  /** What the writer sees, for whoever has it lent. */
  StoreView lentView() {
    return writerView(lentContext, lentContext.pins() != null);
  }

  /** All that the tree has: everything that was written, but for what {@link #grouped} says. */
  Snapshot writerSnapshot(ReadContext context) {
    return tree.writerSnapshot(context);
  }

  /** As {@link Engine#lend}, but for whether all is published. */
  void lend(@Nullable BlockPins brought) {
    if (!isAnyToCommit()) {
      ahead.clear();
      // Others had better not wait while it waits for the disk, but for the little that has become
      // cold since.
      lentContext =
          brought == null ? ReadContext.MEMORY_ONLY : new ReadContext(ReadMode.MAY_BLOCK, brought);
      isLent = true;
    }
  }

  /** As {@link Engine#writeLent}. */
  void writeLent(StoreChanges changes) {
    synchronized (lending) {
      if (!isLent || isLendingOver) {
        throw new IllegalStateException("the keyspace loop alone writes");
      }
      writeAlone(changes);
      tree.writeAhead();
    }
  }

  /** As {@link Engine#takeBack}. */
  void takeBack() {
    if (isLent) {
      // Who had it lent may have written, as one who counts what is not published.
      writer = Thread.currentThread();
      isLent = false;
    }
  }

  /** Whether another thread is the writer. */
  boolean isLent() {
    return isLent;
  }

  /** As {@link Engine#endLending}. */
  void endLending() {
    synchronized (lending) {
      isLendingOver = true;
    }
  }

  /** Says whether the writer's views show what is written and not published; they do at first. */
  void setShowsUnpublished(boolean shows) {
    showsUnpublished = shows;
  }

  /**
   * Whether they do now. Any thread. While they do not, nothing may be written by what they show.
   */
  boolean showsUnpublished() {
    return showsUnpublished;
  }

  /** Lets the writer's views find what {@code pins} hold, until called with null. */
  void useBrought(@Nullable BlockPins pins) {
    writerContext =
        pins == null ? ReadContext.MEMORY_ONLY : new ReadContext(ReadMode.MEMORY_ONLY, pins);
  }

  /** Says whether what the writer's views find has just come from the disk. */
  void markReadsBrought(boolean areBrought) {
    isBrought = areBrought;
  }

  @Override
  public long nextSequence() {
    return tree.nextSequence() + group.sequences();
  }

  /**
   * What has been written under {@code key} and the tree does not have yet, or {@link
   * StoreBatch#DELETED}; null if nothing has.
   */
  byte @Nullable [] grouped(byte[] key) {
    return groupedStart(key, Integer.MAX_VALUE);
  }

  /** The same, but perhaps no more than the first {@code bytesMax} bytes. */
  byte @Nullable [] groupedStart(byte[] key, int bytesMax) {
    return group.isEmpty() ? null : group.getStart(key, KeyHash.hash(key, 0, key.length), bytesMax);
  }

  /** Whether there is anything that the tree does not have yet. */
  boolean isAnyGrouped() {
    return !group.isEmpty();
  }

  /** Whether any of it is a value put into one kind of keyspace. */
  boolean isAnyPutGrouped(byte tag) {
    return group.hasPuts(tag);
  }

  /** Whether a key, the first bytes of an array, was deleted, and the tree does not know it yet. */
  boolean isDeletedInGroup(byte[] key, int length) {
    return group.isDeleted(key, length, KeyHash.hash(key, 0, length));
  }

  /** Whether there is anything that who wrote it has yet to commit, or to hear is lost. */
  boolean isAnyToCommit() {
    return isAnyGrouped() || lost != null;
  }

  @Override
  public void write(StoreChanges changes) {
    long bytesMax = changes.bytesMax();
    if (bytesMax > GROUP_BYTES_MAX) {
      writeAlone(changes);
      return;
    }
    beginWrite();
    if (group.bytes() + bytesMax > GROUP_BYTES_MAX) {
      settle();
    }
    try {
      changes.accept(intoGroup);
    } catch (RuntimeException | OutOfMemoryError failure) {
      // A half of it is among what others wrote.
      lose(failure);
      caches.clear();
      throw failure;
    }
    group.take(sequences(changes));
  }

  /** As a batch of its own. */
  private void writeAlone(StoreChanges changes) {
    beginWrite();
    settle();
    apply(
        () -> {
          if (changes.writeCount() > 0) {
            batch.prepare(changes.writeCount(), changes.bytesMax());
          }
          changes.accept(intoBatch);
          caches.residents().settle(this::residentIntoBatch);
        },
        sequences(changes),
        false);
  }

  private void beginWrite() {
    requireNoneLost();
    if (writer != Thread.currentThread()) {
      writer = Thread.currentThread();
    }
  }

  private static int sequences(StoreChanges changes) {
    return Math.max(1, changes.sequencesReserved());
  }

  private void lose(Throwable failure) {
    boolean isTold = failure instanceof WriteFailure;
    lost = new IOException(isTold ? failure.getMessage() : failure.toString(), failure);
    group.clear();
  }

  /**
   * Gives the tree what commands have written and it does not have yet.
   *
   * @throws WriteFailure when the log cannot be written: all of that is lost, and who commits is
   *     told of it
   */
  void settle() {
    settle(false);
  }

  /** The same; also commits it where that is said, and returns what {@link #apply} does. */
  private long settle(boolean isPublishedNext) {
    requireNoneLost();
    if (group.isEmpty()) {
      return LsmTree.UNCOMMITTED;
    }
    settleResidents();
    long committed;
    try {
      committed = apply(this::groupIntoBatch, group.sequences(), isPublishedNext);
    } catch (RuntimeException | OutOfMemoryError failure) {
      lose(failure);
      throw failure;
    }
    group.clear();
    return committed;
  }

  /** Has the rows written that are kept in forms of their own: somebody reads rows. */
  void settleResidents() {
    if (caches.residents().areChanged()) {
      caches.residents().settle(this::residentIntoGroup);
    }
  }

  private void residentIntoGroup(byte[] key, byte[] value) {
    long hash = KeyHash.hash(key, 0, key.length);
    group.write(key, hash, value, null, caches.settled(key, hash, value));
  }

  private void residentIntoBatch(byte[] key, byte[] value) {
    batch.add(key, value, null, caches.settled(key, KeyHash.hash(key, 0, key.length), value));
  }

  /**
   * Gives the tree all that was written, and commits it; see {@link Engine#commit}.
   *
   * @throws IOException also when what was written has been lost, which is said once
   */
  long commit(boolean isPublishedNext) throws IOException {
    long committed = settleToCommit(isPublishedNext);
    return committed == LsmTree.UNCOMMITTED ? tree.commit() : committed;
  }

  /**
   * As {@link #settle}, for who commits: that what was written has been lost is said once.
   *
   * @throws IOException when it has been
   */
  long settleToCommit(boolean isPublishedNext) throws IOException {
    long committed = LsmTree.UNCOMMITTED;
    if (lost == null) {
      try {
        committed = settle(isPublishedNext);
      } catch (WriteFailure | OutOfMemoryError failure) {
        // It is said below.
      }
    }
    IOException its = lost;
    lost = null;
    if (its != null) {
      throw its;
    }
    return committed;
  }

  /** Who has to commit must first hear of it, and whose replies wait for that. */
  private void requireNoneLost() {
    IOException its = lost;
    if (its != null) {
      throw new WriteFailure(its);
    }
  }

  private void groupIntoBatch() {
    WriteGroup its = group;
    for (int entry = 0; entry < its.entries(); entry++) {
      byte[] key = its.key(entry);
      long row = caches.rows().current(key, its.hash(entry), its.row(entry));
      batch.add(key, its.value(entry), its.rest(entry), row);
    }
    its.counters().forEach(batch.batch()::addToCounter);
  }

  /**
   * Applies one batch, which {@code fill} fills; returns as {@link LsmTree#applyAndCommit} if it is
   * published next, or else {@link LsmTree#UNCOMMITTED}.
   */
  private long apply(Runnable fill, int sequences, boolean isPublishedNext) {
    ahead.clear();
    batch.batch().reserveSequences(sequences);
    boolean isApplied = false;
    long committed = LsmTree.UNCOMMITTED;
    try {
      fill.run();
      if (isPublishedNext) {
        committed = tree.applyAndCommit(batch.batch());
      } else {
        tree.apply(batch.batch());
      }
      batch.notePlaces();
      isApplied = true;
      return committed;
    } catch (IOException poisoned) {
      throw new WriteFailure(poisoned);
    } finally {
      if (!isApplied) {
        // A batch can be too large, or memory run out.
        caches.clear();
      }
      // Now, not before the next one: that may be long in coming, and this have been large.
      batch.clear();
    }
  }

  /** What is kept of it in memory. Keyspace loop only. */
  WriterCaches caches() {
    return caches;
  }

  @Override
  public long counter(long id) {
    return writer == Thread.currentThread() && showsUnpublished && !isLent
        ? tree.writerCounter(id) + group.counters().get(id)
        : tree.counter(id);
  }

  /**
   * Brings to the processor what is kept of the first {@code count} keys, and of where they would
   * be written; see {@link Engine#foresee}.
   */
  void foresee(byte[][] keys, int count, Engine.Use use) {
    if (isLent) {
      return;
    }
    long[] found = foreseen;
    RowCache rows = caches.rows();
    int sum = rows.touch(keys, count, found);
    ahead.clear();
    if (use == Engine.Use.WRITE) {
      ahead.startsOnly(RowCache.ROW_BYTES_MAX);
    }
    for (int i = 0; i < count; i++) {
      if (found[i] == RowCache.NO_ROW) {
        long hash = KeyHash.hash(keys[i], 0, keys[i].length);
        if (!group.has(keys[i], hash) && !rows.hasLong(keys[i], hash)) {
          ahead.add(keys[i], hash);
        }
      } else if (use != Engine.Use.READ) {
        sum += tree.touch(keys[i], rows.place(found[i]), rows.mark(found[i]));
      }
    }
    touched = sum;
    if (ahead.count() > 0) {
      try (Snapshot snapshot = writerSnapshot(writerContext)) {
        snapshot.get(ahead);
      }
    }
  }

  /** Lets go of what {@link #foresee} has found. */
  void forgetForeseen() {
    ahead.clear();
  }

  /** What {@link #foresee} has found in the tree, but for what {@link #grouped} says. */
  MultiGet ahead() {
    return ahead;
  }

  /** What concerns nothing but what is kept in memory. */
  private abstract class IntoCaches implements StoreBatch.Visitor {
    @Override
    public void forget(byte[] key) {
      caches.forget(key);
    }

    @Override
    public void change(ResidentRows.Change change) {
      caches.residents().apply(change);
    }
  }

  /** Changes that are a batch of their own: each key comes once. */
  private final class IntoBatch extends IntoCaches {
    @Override
    public void put(byte[] key, byte[] value) {
      long hash = KeyHash.hash(key, 0, key.length);
      batch.add(key, value, null, caches.written(key, hash, value));
    }

    @Override
    public void put(byte[] key, byte[] start, byte[] rest) {
      long hash = KeyHash.hash(key, 0, key.length);
      batch.add(key, start, rest, caches.writtenLong(key, hash, start, rest));
    }

    @Override
    public void delete(byte[] key) {
      long hash = KeyHash.hash(key, 0, key.length);
      batch.add(key, StoreBatch.DELETED, null, caches.written(key, hash, null));
    }

    @Override
    public void count(long counterId, long delta) {
      batch.batch().addToCounter(counterId, delta);
    }
  }

  /** Changes that wait for others. */
  private final class IntoGroup extends IntoCaches {
    @Override
    public void put(byte[] key, byte[] value) {
      long hash = KeyHash.hash(key, 0, key.length);
      group.write(key, hash, value, null, caches.written(key, hash, value));
    }

    @Override
    public void put(byte[] key, byte[] start, byte[] rest) {
      long hash = KeyHash.hash(key, 0, key.length);
      group.write(key, hash, start, rest, caches.writtenLong(key, hash, start, rest));
    }

    @Override
    public void delete(byte[] key) {
      long hash = KeyHash.hash(key, 0, key.length);
      group.write(key, hash, StoreBatch.DELETED, null, caches.written(key, hash, null));
    }

    @Override
    public void count(long counterId, long delta) {
      group.counters().add(counterId, delta);
    }
  }
}
