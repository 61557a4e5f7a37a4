package dev.varve.lsm.table;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Policy;
import com.github.benmanes.caffeine.cache.RemovalCause;
import dev.varve.lsm.entry.ColdBlockSignal;
import dev.varve.lsm.entry.ReadFailure;
import dev.varve.lsm.entry.ReadMode;
import dev.varve.wal.OffHeap;
import java.io.IOException;
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
 * Caffeine decides what stays (W-TinyLFU: one long scan does not push out what is used often); memory
 * is freed by reference counts, as readers may still be in a block that was just evicted. Loads
 * run outside Caffeine's own tables: its compute methods lock a bin, and an event loop that happens to
 * evict from that bin would wait for the disk.
 */
public final class BlockCache implements AutoCloseable {
  /** Heap that a cached block costs besides its bytes: block, region, buffer, policy node. */
  private static final int ENTRY_OVERHEAD_BYTES = 256;

  /** An odd number: multiplication by it is one-to-one, and spreads neighbours over the table. */
  private static final long KEY_SPREAD = 0x9E3779B97F4A7C15L;

  private static final int ORDINAL_BITS = 24;

  /** Reads a block that is in neither pins nor cache; the caller gets its only reference. */
  @FunctionalInterface
  interface Loader {
    Block load(int ordinal, OffHeap.Part part) throws IOException;
  }

  private final Cache<Long, Block> blocks;
  private final Policy.Eviction<Long, Block> eviction;
  private final ConcurrentHashMap<Long, CompletableFuture<Block>> loads = new ConcurrentHashMap<>();
  private final LongAdder hits = new LongAdder();
  private final LongAdder misses = new LongAdder();
  private final OffHeap offHeap;
  private final ScratchPool scratch;

  /** A cache of at most {@code bytesMax} bytes whose blocks are accounted in {@code offHeap}. */
  public BlockCache(OffHeap offHeap, long bytesMax) {
    this.offHeap = offHeap;
    this.scratch = new ScratchPool(offHeap);
    this.blocks =
        Caffeine.newBuilder()
            .maximumWeight(bytesMax)
            .weigher((Long key, Block block) -> block.bytes() + ENTRY_OVERHEAD_BYTES)
            .executor(Runnable::run)
            .removalListener(BlockCache::onRemoval)
            .build();
    this.eviction = blocks.policy().eviction().orElseThrow();
  }

  private static void onRemoval(@Nullable Long key, @Nullable Block block, RemovalCause cause) {
    if (block != null) {
      block.release();
    }
  }

  /** Changes the limit; what is above it leaves at once. */
  public void setBytesMax(long bytesMax) {
    eviction.setMaximum(bytesMax);
    blocks.cleanUp();
  }

  public long bytesMax() {
    return eviction.getMaximum();
  }

  /** Bytes that cached blocks weigh now, with what they cost on the heap. */
  public long bytes() {
    return eviction.weightedSize().orElse(0);
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

  /** The cached block with a reference, or null; whether it counts as a use of the block. */
  @Nullable Block acquireCached(long key, boolean isUse) {
    Block block = isUse ? blocks.getIfPresent(key) : blocks.policy().getIfPresentQuietly(key);
    return block != null && block.tryRetain() ? block : null;
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
        block = loader.load(ordinal, OffHeap.Part.BLOCK_CACHE);
        if (!block.tryRetain()) {
          throw new IllegalStateException("a block was freed while it was loaded");
        }
        blocks.put(key, block);
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
      return loader.load(ordinal, OffHeap.Part.COMPACTION_BUFFER);
    } catch (IOException e) {
      throw new ReadFailure(e);
    }
  }

  /** Drops the blocks of a table that is gone. */
  void invalidate(long table, int blockCount) {
    for (int ordinal = 0; ordinal < blockCount; ordinal++) {
      blocks.invalidate(key(table, ordinal));
    }
  }

  /** Drops everything. Blocks that readers still hold go when they let go. */
  @Override
  public void close() {
    blocks.invalidateAll();
    blocks.cleanUp();
    scratch.close();
  }
}
