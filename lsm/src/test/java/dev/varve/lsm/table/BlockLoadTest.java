package dev.varve.lsm.table;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.lsm.entry.ColdBlock;
import dev.varve.lsm.entry.ColdBlockSignal;
import dev.varve.lsm.entry.KeyComparator;
import dev.varve.lsm.entry.ReadFailure;
import dev.varve.lsm.table.ModelTable.Place;
import dev.varve.wal.CorruptionException;
import dev.varve.wal.CrashableStorageDirectory;
import dev.varve.wal.FilePlace;
import dev.varve.wal.RealStorageDirectory;
import dev.varve.wal.ScarceMemory;
import dev.varve.wal.StorageDirectory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Blocks that somebody reads who may not wait. */
class BlockLoadTest {
  private static final int BLOCK_BYTES = 1024;

  @TempDir private Path path;
  private final ScarceMemory offHeap = new ScarceMemory();
  private final BlockCache cache = new BlockCache(offHeap, 10 << 20);
  private final ModelTable model = ModelTable.random(new Random(8), 2000, 200);
  private final List<Place> places = new ArrayList<>(model.entries.keySet());

  @AfterEach
  void nothingIsLeftOffHeap() {
    cache.close();
    assertEquals(0, offHeap.heldBytes());
  }

  private TableReader table(StorageDirectory directory, int blockBytes) throws IOException {
    TableOptions options = TableOptions.DEFAULT.withBlockBytes(blockBytes).withCompress(false);
    model.write(directory, 1, options, offHeap);
    return open(directory);
  }

  private TableReader open(StorageDirectory directory) throws IOException {
    return TableReader.open(directory, 1, KeyComparator.BYTEWISE, cache, CorruptionListener.NONE);
  }

  private byte[] get(TableReader table, Place place, ReadContext context) {
    byte[] got = ModelTable.get(table, place, context);
    assertNotNull(got);
    assertArrayEquals(model.get(place.key(), place.sequence()), got);
    return got;
  }

  private ColdBlock missing(TableReader table, Place place) {
    ColdBlockSignal cold =
        assertThrows(ColdBlockSignal.class, () -> get(table, place, ReadContext.MEMORY_ONLY_AHEAD));
    ColdBlock block = cold.block();
    assertNotNull(block);
    return block;
  }

  /** Reads as an event loop's ring would; returns how many bytes. */
  private static int read(TableBlockLoad load) throws IOException {
    assertEquals(0, load.offset() % FilePlace.ALIGNMENT);
    assertEquals(0, load.address() % FilePlace.ALIGNMENT);
    assertEquals(0, load.bytes() % FilePlace.ALIGNMENT);
    ByteBuffer target = load.target();
    assertEquals(load.bytes(), target.remaining());
    try (FileChannel channel =
        FileChannel.open(Path.of(load.file().path()), StandardOpenOption.READ)) {
      return channel.read(target, load.offset());
    }
  }

  private static TableBlockLoad begin(ColdBlock block) {
    TableBlockLoad load = (TableBlockLoad) block.load();
    assertNotNull(load);
    return load;
  }

  @Test
  void aBlockThatWasReadForItIsFoundByAReadThatDoesNotWait() throws IOException {
    TableReader table = table(RealStorageDirectory.open(path), BLOCK_BYTES);
    long misses = cache.misses();
    int loads = 0;
    for (Place place : places) {
      try {
        get(table, place, ReadContext.MEMORY_ONLY);
      } catch (ColdBlockSignal cold) {
        TableBlockLoad load = begin(missing(table, place));
        assertTrue(load.finish(read(load)));
        loads++;
        get(table, place, ReadContext.MEMORY_ONLY);
      }
    }
    assertEquals(table.blocks(), loads);
    assertEquals(misses + loads, cache.misses());
    table.release();
  }

  @Test
  void theReadThatABlockWasBroughtForDoesNotSayThatItIsInUse() throws IOException {
    TableReader table = table(RealStorageDirectory.open(path), BLOCK_BYTES);
    TableBlockLoad load = begin(missing(table, places.get(0)));
    load.finish(read(load));
    get(table, places.get(0), ReadContext.MEMORY_ONLY);
    Block block = table.block(0, ReadContext.MEMORY_ONLY_AHEAD);
    assertEquals(0, block.uses());
    block.release();
    get(table, places.get(0), ReadContext.MEMORY_ONLY);
    assertEquals(1, block.uses());
    table.release();
  }

  @Test
  void blocksHaveIdsOfTheirOwn() throws IOException {
    TableReader table = table(RealStorageDirectory.open(path), BLOCK_BYTES);
    Place first = places.get(0);
    Place last = places.get(places.size() - 1);
    assertEquals(missing(table, first).id(), missing(table, first).id());
    assertNotEquals(missing(table, first).id(), missing(table, last).id());
    table.release();
  }

  @Test
  void whatWasNotReadWholeIsNotTakenIn() throws IOException {
    TableReader table = table(RealStorageDirectory.open(path), BLOCK_BYTES);
    Place place = places.get(0);
    for (int result : new int[] {-5, 0, 100}) {
      assertFalse(begin(missing(table, place)).finish(result));
    }
    missing(table, place);
    table.release();
  }

  @Test
  void damageIsForAReadToTellThatMayWait() throws IOException {
    RealStorageDirectory directory = RealStorageDirectory.open(path);
    table(directory, BLOCK_BYTES).release();
    TableReader table = open(directory);
    Place place = places.get(0);
    TableBlockLoad load = begin(missing(table, place));
    try (FileChannel channel =
        FileChannel.open(Path.of(load.file().path()), StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(new byte[] {1, 2, 3, 4, 5, 6, 7, 8}), 16);
    }
    assertFalse(load.finish(read(load)));
    missing(table, place);
    ReadFailure told =
        assertThrows(ReadFailure.class, () -> get(table, place, ReadContext.MAY_BLOCK));
    assertTrue(told.getCause() instanceof CorruptionException, told.toString());
    table.release();
  }

  @Test
  void aTableIsClosedWhenTheLastLoadIsOver() throws IOException {
    TableReader table = table(RealStorageDirectory.open(path), BLOCK_BYTES);
    AtomicInteger closed = new AtomicInteger();
    ColdBlock block = missing(table, places.get(0));
    TableBlockLoad load = begin(block);
    load.whenUnneeded(closed::incrementAndGet);
    table.release();
    assertEquals(0, closed.get());
    assertTrue(load.finish(read(load)));
    assertEquals(1, closed.get());
    assertNull(block.load(), "its table is closed");
  }

  @Test
  void aLoadThatMemoryRunsOutForKeepsNoTableOpen() throws IOException {
    TableReader table = table(RealStorageDirectory.open(path), BLOCK_BYTES);
    ColdBlock block = missing(table, places.get(0));
    AtomicInteger closed = new AtomicInteger();
    List<TableBlockLoad> loads = new ArrayList<>(List.of(begin(block)));
    loads.get(0).whenUnneeded(closed::incrementAndGet);
    offHeap.runOutAfter(0);
    // Of what was read before, some memory is left.
    assertThrows(
        OutOfMemoryError.class,
        () -> {
          while (true) {
            loads.add(begin(block));
          }
        });
    offHeap.relax();
    table.release();
    for (TableBlockLoad load : loads) {
      assertEquals(0, closed.get());
      assertTrue(load.finish(read(load)));
    }
    assertEquals(1, closed.get());
  }

  @Test
  void whatIsLongOrNotAFileOfTheSystemIsForWhoMayWait() throws IOException {
    TableReader table = table(RealStorageDirectory.open(path), TableBlockLoad.BYTES_MAX + 1);
    assertNull(missing(table, places.get(0)).load());
    table.release();
    TableReader elsewhere = table(new CrashableStorageDirectory(), BLOCK_BYTES);
    assertNull(missing(elsewhere, places.get(0)).load());
    elsewhere.release();
  }
}
