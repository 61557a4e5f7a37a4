package dev.varve.lsm.table;

import dev.varve.lsm.entry.ColdBlock;
import dev.varve.lsm.entry.ColdBlockSignal;
import dev.varve.lsm.entry.ReadFailure;
import dev.varve.lsm.entry.ReadMode;
import dev.varve.wal.OffHeap;
import dev.varve.wal.OffHeapRegion;
import java.io.IOException;
import java.nio.ByteBuffer;
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
public final class BlockCache implements AutoCloseable {
  /*
   * A look-up is one load of the table's slot and, at most, one plain store that notes the use: no
   * hash, no lock, no queue. What comes and goes does so under one lock, which is held for moments; a block
   * that comes has just cost a read of the file. Memory is freed by reference counts, as readers may
   * still be in a block that was just evicted. Loads run outside the lock.
   */

  /** More than any block of the default size weighs. */
  private static final int ROOM_BYTES = 64 << 10;

  /** Reads a block that is in neither pins nor cache; the caller gets its only reference. */
  @FunctionalInterface
  interface Loader {
    Block load(int ordinal, BlockMemory memory) throws IOException;

    /** What a read that may not block is told of such a block. */
    default @Nullable ColdBlock cold(int ordinal) {
      return null;
    }
  }

  /** Its lock guards all {@link BlockSlots} too: they change together. */
  private final EvictionQueues queues;

  private final ConcurrentHashMap<Long, CompletableFuture<Block>> loads = new ConcurrentHashMap<>();

  /** By number, those of tables that are written and not opened yet. */
  private final ConcurrentHashMap<Long, WrittenBlocks> written = new ConcurrentHashMap<>();

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
      block.leaveSlot();
      block.release();
    }
  }

  /** Changes the limit; what is above it leaves at once. */
  public void setBytesMax(long bytesMax) {
    synchronized (queues) {
      queues.setBytesMax(bytesMax);
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

  /**
   * A block with a reference for the caller.
   *
   * @throws ColdBlockSignal when it is not in memory and {@code context} may not block
   * @throws ReadFailure when it cannot be read
   */
  Block acquire(BlockSlots slots, int ordinal, ReadContext context, Loader loader) {
    BlockPins pins = context.pins();
    if (pins != null) {
      Block pinned = pins.acquire(slots.key(ordinal));
      if (pinned != null) {
        hits.increment();
        return pinned;
      }
    }
    Block block = acquireCached(slots, ordinal, isUse(context.mode()));
    if (block != null) {
      hits.increment();
    } else {
      block =
          switch (context.mode()) {
            case MEMORY_ONLY, MEMORY_ONLY_AHEAD -> throw ColdBlockSignal.of(loader.cold(ordinal));
            case MAY_BLOCK -> load(slots, ordinal, loader);
            case MAY_BLOCK_AHEAD -> loadAhead(slots, ordinal, loader);
            case MAY_BLOCK_UNCACHED -> loadPrivately(ordinal, loader);
          };
    }
    if (pins != null && context.mode() == ReadMode.MAY_BLOCK) {
      pins.pin(slots.key(ordinal), block);
    }
    return block;
  }

  private static boolean isUse(ReadMode mode) {
    return mode == ReadMode.MEMORY_ONLY || mode == ReadMode.MAY_BLOCK;
  }

  /** Whether a block can come in without another one leaving. */
  boolean hasRoom() {
    synchronized (queues) {
      return queues.bytes() + ROOM_BYTES <= queues.bytesMax();
    }
  }

  /** Whether a block of so many bytes could stay, if others left. */
  boolean hasRoomEver(int rawBytes) {
    synchronized (queues) {
      return rawBytes <= queues.bytesMax();
    }
  }

  /**
   * The cached block with a reference for the caller, who uses it; null if it is not in memory, or
   * was brought for somebody who has not come for it yet: that is the use it was brought for.
   */
  @Nullable Block acquireInMemory(BlockSlots slots, int ordinal) {
    Block there = slots.get(ordinal);
    if (there == null || there.isUseForeseen()) {
      return null;
    }
    Block block = acquireCached(slots, ordinal, true);
    if (block != null) {
      hits.increment();
    }
    return block;
  }

  /** The cached block with a reference, or null; whether it counts as a use of the block. */
  @Nullable Block acquireCached(BlockSlots slots, int ordinal, boolean isUse) {
    Block block = slots.get(ordinal);
    if (block == null || !block.tryRetain()) {
      return null;
    }
    if (isUse) {
      block.used();
    }
    return block;
  }

  private Block loadAhead(BlockSlots slots, int ordinal, Loader loader) {
    Block block = load(slots, ordinal, loader);
    block.foreseeUse();
    return block;
  }

  private Block load(BlockSlots slots, int ordinal, Loader loader) {
    long key = slots.key(ordinal);
    while (true) {
      CompletableFuture<Block> mine = new CompletableFuture<>();
      CompletableFuture<Block> others = loads.putIfAbsent(key, mine);
      if (others == null) {
        return loadAsFirst(slots, ordinal, loader, mine);
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
      if (e.getCause() instanceof OutOfMemoryError cause) {
        throw new OutOfMemoryError(cause.getMessage());
      }
      throw e;
    }
  }

  private Block loadAsFirst(
      BlockSlots slots, int ordinal, Loader loader, CompletableFuture<Block> outcome) {
    try {
      // Somebody may have loaded it between our miss and our entry in the table of loads.
      Block block = acquireCached(slots, ordinal, false);
      if (block == null) {
        misses.increment();
        block = loader.load(ordinal, blockMemory);
        if (!block.tryRetain()) {
          throw new IllegalStateException("a block was freed while it was loaded");
        }
        put(slots, ordinal, block);
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
      loads.remove(slots.key(ordinal), outcome);
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

  BlockMemory blockMemory() {
    return blockMemory;
  }

  /**
   * Takes in a block that was read for somebody who asks for it next, and the caller's reference to
   * it.
   */
  void takeIn(BlockSlots slots, int ordinal, Block block) {
    misses.increment();
    put(slots, ordinal, block);
    block.foreseeUse();
  }

  /** Takes over a reference. */
  private void put(BlockSlots slots, int ordinal, Block block) {
    synchronized (queues) {
      block.enterSlot(slots, ordinal);
      Block before = slots.swap(ordinal, block);
      if (before != null) {
        drop(before);
      }
      queues.add(block);
    }
  }

  /**
   * Takes in a copy of a block that was just written; the caller gets no reference to it.
   *
   * @param proven whether its entries were in use where they came from
   */
  Block keepWritten(long key, ByteBuffer raw, int rawBytes, String file, boolean proven)
      throws IOException {
    OffHeapRegion region = blockMemory.take(rawBytes);
    region.buffer().put(0, raw, 0, rawBytes);
    Block block = Block.of(region, blockMemory, rawBytes, file, 0);
    block.key = key;
    synchronized (queues) {
      if (proven) {
        queues.addProven(block);
      } else {
        queues.add(block);
      }
    }
    return block;
  }

  /** The table is complete; its blocks wait for {@link #adopt} or {@link #forget}. */
  void announce(WrittenBlocks blocks) {
    written.put(blocks.table(), blocks);
  }

  /** Gives the blocks that are left of a table just written to the slots of its reader. */
  void adopt(BlockSlots slots) {
    WrittenBlocks blocks = written.remove(slots.table());
    if (blocks == null) {
      return;
    }
    synchronized (queues) {
      for (int ordinal = 0; ordinal < blocks.count(); ordinal++) {
        Block block = blocks.get(ordinal);
        if (block != null && block.queue != null) {
          block.enterSlot(slots, ordinal);
          slots.swap(ordinal, block);
        }
      }
    }
  }

  /** Drops the blocks of a table that nobody will open. */
  public void forget(long table) {
    WrittenBlocks blocks = written.remove(table);
    if (blocks != null) {
      drop(blocks);
    }
  }

  /** Drops all that are still in. */
  void drop(WrittenBlocks blocks) {
    synchronized (queues) {
      for (int ordinal = 0; ordinal < blocks.count(); ordinal++) {
        Block block = blocks.get(ordinal);
        if (block != null && block.queue != null) {
          drop(block);
        }
      }
    }
  }

  private void drop(Block block) {
    queues.remove(block);
    block.release();
  }

  /** Drops the blocks of a table that is gone. */
  void invalidate(BlockSlots slots) {
    for (int ordinal = 0; ordinal < slots.count(); ordinal++) {
      if (slots.get(ordinal) != null) {
        synchronized (queues) {
          Block block = slots.swap(ordinal, null);
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
    setBytesMax(0);
    written.clear();
    scratch.close();
    blockMemory.close();
    passMemory.close();
  }
}
