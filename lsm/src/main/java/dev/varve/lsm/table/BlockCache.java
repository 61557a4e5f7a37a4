package dev.varve.lsm.table;

import dev.varve.lsm.entry.ColdBlockSignal;
import dev.varve.lsm.entry.ReadFailure;
import dev.varve.lsm.entry.ReadMode;
import dev.varve.wal.OffHeap;
import java.io.IOException;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The data blocks of all tables that are in memory, off heap, up to a number of bytes.
 *
 * <p>Safe for use by several threads. A block that several threads miss at once is read once.
 */
/*
 * A look-up is one read of a concurrent map and, at most, one plain store that notes the use: no
 * lock, no queue. What comes and goes does so under one lock, which is held for moments; a block
 * that comes has just cost a read of the file. Memory is freed by reference counts, as readers may
 * still be in a block that was just evicted. Loads run outside the lock and outside the map's own.
 */
public final class BlockCache implements AutoCloseable {
  /** An odd number: multiplication by it is one-to-one, and spreads neighbours over the table. */
  private static final long KEY_SPREAD = 0x9E3779B97F4A7C15L;

  private static final int ORDINAL_BITS = 24;

  /** More than any block of the default size weighs. */
  private static final int ROOM_BYTES = 64 << 10;

  /** Reads a block that is in neither pins nor cache; the caller gets its only reference. */
  @FunctionalInterface
  interface Loader {
    Block load(int ordinal, BlockMemory memory) throws IOException;
  }

  /** Changed under the lock of {@link #queues} only, together with them. */
  private final ConcurrentHashMap<Long, Block> blocks = new ConcurrentHashMap<>();

  private final EvictionQueues queues;
  private final ConcurrentHashMap<Long, CompletableFuture<Block>> loads = new ConcurrentHashMap<>();
  private final LongAdder hits = new LongAdder();
  private final LongAdder misses = new LongAdder();
  private final OffHeap offHeap;
  private final ScratchPool scratch;
  private final RegionPool blockMemory;
  private final RegionPool passMemory;

  /** A cache of at most {@code bytesMax} bytes whose blocks are accounted in {@code offHeap}. */
  public BlockCache(OffHeap offHeap, long bytesMax) {
    this.offHeap = offHeap;
    this.scratch = new ScratchPool(offHeap);
    this.blockMemory = new RegionPool(offHeap, OffHeap.Part.BLOCK_CACHE);
    this.passMemory = new RegionPool(offHeap, OffHeap.Part.COMPACTION_BUFFER);
    this.queues = new EvictionQueues(bytesMax, this::evicted);
  }

  private void evicted(Evictable leaving) {
    if (leaving instanceof Block block) {
      blocks.remove(block.key, block);
      block.release();
    }
  }

  /** Changes the limit; what is above it leaves at once. */
  public void setBytesMax(long bytesMax) {
    synchronized (queues) {
      queues.setBytesMax(bytesMax);
    }
  }

  public long bytesMax() {
    synchronized (queues) {
      return queues.bytesMax();
    }
  }

  /** Bytes that cached blocks weigh now, with what they cost on the heap. */
  public long bytes() {
    synchronized (queues) {
      return queues.bytes();
    }
  }

  /** Reads that found their block in memory. */
  public long hits() {
    return hits.sum();
  }

  /** Reads that had to load their block. */
  public long misses() {
    return misses.sum();
  }

  OffHeap offHeap() {
    return offHeap;
  }

  ScratchPool scratch() {
    return scratch;
  }

  /** What a block is known by here and in pins. */
  static long key(long table, int ordinal) {
    return (table << ORDINAL_BITS | ordinal) * KEY_SPREAD;
  }

  /**
   * A block with a reference for the caller.
   *
   * @throws ColdBlockSignal when it is not in memory and {@code context} may not block
   * @throws ReadFailure when it cannot be read
   */
  Block acquire(long key, int ordinal, ReadContext context, Loader loader) {
    BlockPins pins = context.pins();
    if (pins != null) {
      Block pinned = pins.acquire(key);
      if (pinned != null) {
        hits.increment();
        return pinned;
      }
    }
    Block block = acquireCached(key, context.mode() != ReadMode.MAY_BLOCK_UNCACHED);
    if (block != null) {
      hits.increment();
    } else {
      block =
          switch (context.mode()) {
            case MEMORY_ONLY -> throw ColdBlockSignal.INSTANCE;
            case MAY_BLOCK -> load(key, ordinal, loader);
            case MAY_BLOCK_UNCACHED -> loadPrivately(ordinal, loader);
          };
    }
    if (pins != null && context.mode() == ReadMode.MAY_BLOCK) {
      pins.pin(key, block);
    }
    return block;
  }

  /** Whether a block can come in without another one leaving. */
  boolean hasRoom() {
    synchronized (queues) {
      return queues.bytes() + ROOM_BYTES <= queues.bytesMax();
    }
  }

  /** The cached block with a reference, or null; whether it counts as a use of the block. */
  @Nullable Block acquireCached(long key, boolean isUse) {
    Block block = blocks.get(key);
    if (block == null || !block.tryRetain()) {
      return null;
    }
    if (isUse) {
      block.used();
    }
    return block;
  }

  private Block load(long key, int ordinal, Loader loader) {
    while (true) {
      CompletableFuture<Block> mine = new CompletableFuture<>();
      CompletableFuture<Block> others = loads.putIfAbsent(key, mine);
      if (others == null) {
        return loadAsFirst(key, ordinal, loader, mine);
      }
      Block block = await(others);
      // Evicted before we could retain it: a tiny cache. Try again.
      if (block.tryRetain()) {
        hits.increment();
        return block;
      }
    }
  }

  private static Block await(CompletableFuture<Block> load) {
    try {
      return load.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof IOException cause) {
        throw new ReadFailure(cause);
      }
      throw e;
    }
  }

  private Block loadAsFirst(
      long key, int ordinal, Loader loader, CompletableFuture<Block> outcome) {
    try {
      // Somebody may have loaded it between our miss and our entry in the table of loads.
      Block block = acquireCached(key, false);
      if (block == null) {
        misses.increment();
        block = loader.load(ordinal, blockMemory);
        if (!block.tryRetain()) {
          throw new IllegalStateException("a block was freed while it was loaded");
        }
        put(key, block);
      }
      outcome.complete(block);
      return block;
    } catch (IOException e) {
      outcome.completeExceptionally(e);
      throw new ReadFailure(e);
    } catch (Throwable e) {
      outcome.completeExceptionally(e);
      throw e;
    } finally {
      loads.remove(key, outcome);
    }
  }

  private Block loadPrivately(int ordinal, Loader loader) {
    try {
      misses.increment();
      return loader.load(ordinal, passMemory);
    } catch (IOException e) {
      throw new ReadFailure(e);
    }
  }

  /** Takes over a reference. */
  private void put(long key, Block block) {
    synchronized (queues) {
      block.key = key;
      Block before = blocks.put(key, block);
      if (before != null) {
        drop(before);
      }
      queues.add(block);
    }
  }

  private void drop(Block block) {
    queues.remove(block);
    block.release();
  }

  /** Drops the blocks of a table that is gone. */
  void invalidate(long table, int blockCount) {
    for (int ordinal = 0; ordinal < blockCount; ordinal++) {
      Long key = key(table, ordinal);
      if (blocks.containsKey(key)) {
        synchronized (queues) {
          Block block = blocks.remove(key);
          if (block != null) {
            drop(block);
          }
        }
      }
    }
  }

  /** Drops everything. Blocks that readers still hold go when they let go. */
  @Override
  public void close() {
    synchronized (queues) {
      Iterator<Block> all = blocks.values().iterator();
      while (all.hasNext()) {
        Block block = all.next();
        all.remove();
        drop(block);
      }
    }
    scratch.close();
    blockMemory.close();
    passMemory.close();
  }
}
