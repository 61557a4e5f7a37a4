package dev.varve.lsm.table;

import dev.varve.lsm.entry.BlockLoad;
import dev.varve.lsm.entry.ColdBlock;
import dev.varve.lsm.entry.EntryCursor;
import dev.varve.lsm.entry.KeyComparator;
import dev.varve.lsm.entry.Lookup;
import dev.varve.lsm.entry.ReadFailure;
import dev.varve.lsm.entry.ValueCopy;
import dev.varve.lsm.table.TableFormat.Handle;
import dev.varve.lsm.version.TableMeta;
import dev.varve.wal.CorruptionException;
import dev.varve.wal.FilePlace;
import dev.varve.wal.StorageDirectory;
import dev.varve.wal.StorageFile;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * An open table: its file, its index and its filter.
 *
 * <p>Safe for use by several threads, shared by reference count: it starts with one holder, and the
 * last to release it closes the file and frees index, filter and cached blocks. Every call needs a
 * reference; a cursor has its own.
 */
public final class TableReader {
  static {
    // What an event loop makes of a block that is cold is loaded with this class, by a thread that
    // may wait for the disk on which the program is.
    try {
      MethodHandles.lookup().ensureInitialized(ColdTableBlock.class);
      MethodHandles.lookup().ensureInitialized(TableBlockLoad.class);
    } catch (IllegalAccessException neverInOwnPackage) {
      throw new ExceptionInInitializerError(neverInOwnPackage);
    }
  }

  private final TableMeta meta;
  private final StorageFile file;
  private final StoredBlocks stored;
  private final Block index;
  private final BloomFilter filter;
  private final BlockSlots slots;
  private final BlockCache cache;
  private final CorruptionListener listener;
  private final long dataBytes;
  private final BlockCache.Loader loader = new Reads();
  private final AtomicInteger holders = new AtomicInteger(1);
  private final Queue<Runnable> closeListeners = new ConcurrentLinkedQueue<>();

  /** Takes over the file, the index and the filter. */
  TableReader(
      TableMeta meta,
      StorageFile file,
      StoredBlocks stored,
      Block index,
      BloomFilter filter,
      BlockCache cache,
      CorruptionListener listener,
      long dataBytes) {
    this.meta = meta;
    this.file = file;
    this.stored = stored;
    this.index = index;
    this.filter = filter;
    this.cache = cache;
    this.listener = listener;
    this.dataBytes = dataBytes;
    this.slots = new BlockSlots(meta.number(), index.entries());
    cache.adopt(slots);
  }

  /**
   * Opens the table that {@code expected} describes.
   *
   * @throws CorruptionException naming file and offset, when the file is damaged or is not the
   *     table that {@code expected} describes
   * @throws dev.varve.wal.FormatTooNewException when a later release wrote it
   * @throws IOException when it was written in another key order, or cannot be read
   */
  public static TableReader open(
      StorageDirectory directory,
      TableMeta expected,
      KeyComparator order,
      BlockCache cache,
      CorruptionListener listener)
      throws IOException {
    TableReader reader = open(directory, expected.number(), order, cache, listener);
    if (reader.meta.fileBytes() != expected.fileBytes()
        || reader.meta.entries() != expected.entries()) {
      reader.release();
      throw new CorruptionException(
          expected.fileName(),
          0,
          "has "
              + reader.meta.fileBytes()
              + " bytes and "
              + reader.meta.entries()
              + " entries, not "
              + expected.fileBytes()
              + " and "
              + expected.entries());
    }
    return reader;
  }

  /** Opens table {@code number}; what it says of itself is {@link #meta()}. */
  public static TableReader open(
      StorageDirectory directory,
      long number,
      KeyComparator order,
      BlockCache cache,
      CorruptionListener listener)
      throws IOException {
    StorageFile file = directory.openForRandomReads(TableMeta.fileName(number));
    try {
      return new TableOpening(file, cache, listener).open(number, order);
    } catch (CorruptionException e) {
      file.close();
      listener.onCorruption(e);
      throw e;
    } catch (IOException | RuntimeException | Error e) {
      file.close();
      throw e;
    }
  }

  /** What the table says of itself. */
  public TableMeta meta() {
    return meta;
  }

  /** Takes a reference, unless the last one is gone already: then false. */
  public boolean tryRetain() {
    int seen = holders.get();
    while (seen > 0) {
      if (holders.compareAndSet(seen, seen + 1)) {
        return true;
      }
      seen = holders.get();
    }
    return false;
  }

  /**
   * Gives a reference back. The last one closes the table; an error of closing a file that was only
   * read says nothing, and is not reported.
   */
  public void release() {
    int left = holders.decrementAndGet();
    if (left == 0) {
      cache.invalidate(slots);
      index.release();
      filter.close();
      try {
        file.close();
      } catch (IOException e) {
        // Nothing was written through it: nothing can be lost.
      }
      closeListeners.forEach(Runnable::run);
    } else if (left < 0) {
      throw new IllegalStateException("table released more often than retained");
    }
  }

  /**
   * The newest value of a key with a sequence number up to {@code sequence}, copied as {@code copy}
   * says; {@link Lookup#TOMBSTONE} if that is a tombstone; null if the table has no such entry.
   *
   * @param hash the key's {@link KeyHash}, computed once for all tables
   * @throws dev.varve.lsm.entry.ColdBlockSignal when a block is not in memory and {@code context}
   *     may not block
   * @throws dev.varve.lsm.entry.ReadFailure when a block is damaged or cannot be read
   */
  public byte @Nullable [] get(
      byte[] key, long hash, long sequence, ReadContext context, ValueCopy copy) {
    if (!filter.mayContain(hash)) {
      return null;
    }
    int ordinal = ordinal(key, sequence);
    if (ordinal < 0) {
      return null;
    }
    Block block = block(ordinal, context);
    try {
      // What is wanted cannot be in the next block: its first entry is behind the separator, which
      // is not before (key, sequence), and is of that key only if the last entry here is too.
      int entry = block.lowerBound(key, 0, key.length, sequence);
      if (entry == block.entries() || !block.hasKey(entry, key)) {
        return null;
      }
      return block.value(entry, copy);
    } finally {
      block.release();
    }
  }

  // Step by step, for TableMultiGet ---------------------------------------------------------------

  /** Fetches what {@link #mayContain} reads; the result means nothing, but to the compiler. */
  int touchFilter(long hash) {
    return filter.touch(hash);
  }

  /** The block that a key is or would be in, or -1 if all are before it. */
  int ordinal(byte[] key, long sequence) {
    int ordinal = index.lowerBound(key, 0, key.length, sequence);
    return ordinal == index.entries() ? -1 : ordinal;
  }

  /** A block if it is in memory, without a reference to it. */
  @Nullable Block peek(int ordinal) {
    return slots.get(ordinal);
  }

  /** The same with a reference for the caller, which counts as a use. */
  @Nullable Block acquireInMemory(int ordinal) {
    return cache.acquireInMemory(slots, ordinal);
  }

  /** False if no entry of the table has a key of this {@link KeyHash}. */
  public boolean mayContain(long hash) {
    return filter.mayContain(hash);
  }

  /** A cursor over all entries; it keeps a reference to the table until it is closed. */
  public EntryCursor cursor(ReadContext context) {
    return cursor(context, new PassReads());
  }

  /** The same for a pass, which is told what it reads. */
  public EntryCursor passCursor(PassReads reads) {
    return cursor(ReadContext.MAY_BLOCK_UNCACHED, reads);
  }

  private EntryCursor cursor(ReadContext context, PassReads reads) {
    if (!tryRetain()) {
      throw new IllegalStateException("table " + meta + " is closed");
    }
    return new TableCursor(this, context, reads);
  }

  /**
   * About how many bytes of the file hold the keys from {@code from} to before {@code toExclusive};
   * null for {@code toExclusive} is the end. Reads only the index: whole blocks are counted.
   */
  public long approximateBytes(byte[] from, byte @Nullable [] toExclusive) {
    long start = offsetOf(from);
    long end = toExclusive == null ? dataBytes : endOffsetOf(toExclusive);
    return Math.max(0, end - start);
  }

  /** Where the block starts that a key is or would be in. */
  private long offsetOf(byte[] key) {
    int ordinal = index.lowerBound(key, 0, key.length, EntryCursor.SEQUENCE_MAX);
    return ordinal == index.entries() ? dataBytes : handle(ordinal).offset();
  }

  /** Where the last block with keys below {@code key} ends. */
  private long endOffsetOf(byte[] key) {
    if (KeyComparator.BYTEWISE.compare(key, meta.smallestKey()) <= 0) {
      return 0;
    }
    int ordinal = index.lowerBound(key, 0, key.length, EntryCursor.SEQUENCE_MAX);
    return ordinal == index.entries() ? dataBytes : handle(ordinal).end();
  }

  /** Number of data blocks. */
  int blocks() {
    return index.entries();
  }

  Block index() {
    return index;
  }

  Handle handle(int ordinal) {
    int at = index.valueOffset(ordinal);
    return new Handle(index.buffer().getLong(at), index.buffer().getInt(at + 8));
  }

  /** Bytes of the file that are data blocks: its first ones. */
  long dataBytes() {
    return dataBytes;
  }

  /** A loader for one long walk, which closes it. */
  ReadAhead readAhead(PassReads reads) {
    return new ReadAhead(stored, cache.offHeap(), this, reads);
  }

  /** A data block with a reference for the caller. */
  Block block(int ordinal, ReadContext context) {
    return block(ordinal, context, loader);
  }

  /** The same, loaded by another loader if it is not in memory. */
  Block block(int ordinal, ReadContext context, BlockCache.Loader by) {
    try {
      return cache.acquire(slots, ordinal, context, by);
    } catch (ReadFailure e) {
      if (e.getCause() instanceof CorruptionException damage) {
        listener.onCorruption(damage);
      }
      throw e;
    }
  }

  /**
   * A data block for a long walk that may block: it goes into the cache only if there is room, so
   * that the walk costs others nothing.
   */
  Block blockOfScan(int ordinal, ReadAhead by) {
    return block(
        ordinal, cache.hasRoom() ? ReadContext.MAY_BLOCK : ReadContext.MAY_BLOCK_UNCACHED, by);
  }

  /** One block at a time. */
  private final class Reads implements BlockCache.Loader {
    @Override
    public Block load(int ordinal, BlockMemory memory) throws IOException {
      return stored.readBlock(handle(ordinal), memory);
    }

    @Override
    public ColdBlock cold(int ordinal) {
      return new ColdTableBlock(TableReader.this, ordinal);
    }
  }

  // For who may not block -------------------------------------------------------------------------

  /** What a block is known by among all of the tree. */
  long blockId(int ordinal) {
    return slots.key(ordinal);
  }

  /** A block that the caller has read for it; null if only a read that may block gets at it. */
  @Nullable BlockLoad beginLoad(int ordinal) {
    FilePlace place = file.place();
    // First of all: without a reference the index may be freed.
    if (place == null || !tryRetain()) {
      return null;
    }
    try {
      Handle handle = handle(ordinal);
      if (TableBlockLoad.bytes(handle) <= TableBlockLoad.BYTES_MAX) {
        return new TableBlockLoad(this, ordinal, handle, place, cache.scratch());
      }
    } catch (RuntimeException | Error e) {
      // There may be no memory to read it into.
      release();
      throw e;
    }
    release();
    return null;
  }

  /** Takes in the stored block at {@code bytes[at, …)}, which was read for that. */
  void takeIn(int ordinal, ByteBuffer bytes, int at) throws CorruptionException {
    Block block = stored.decodeBlock(bytes, at, handle(ordinal), cache.blockMemory());
    cache.takeIn(slots, ordinal, block);
  }

  /** Names who is called once the table is closed, by whoever releases it last. */
  void whenClosed(Runnable listener) {
    closeListeners.add(listener);
  }
}
