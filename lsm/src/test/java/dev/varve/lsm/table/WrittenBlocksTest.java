package dev.varve.lsm.table;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.lsm.entry.ColdBlockSignal;
import dev.varve.lsm.entry.EntryCursor;
import dev.varve.lsm.entry.KeyComparator;
import dev.varve.lsm.table.ModelTable.Place;
import dev.varve.wal.CrashableStorageDirectory;
import dev.varve.wal.OffHeap;
import dev.varve.wal.OffHeapRegion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Blocks that are in the cache before their table is open. */
class WrittenBlocksTest {
  private static final TableOptions SMALL_BLOCKS = TableOptions.DEFAULT.withBlockBytes(1024);

  private final OffHeap offHeap = new OffHeap();
  private final CrashableStorageDirectory directory = new CrashableStorageDirectory();
  private final ModelTable model = ModelTable.random(new Random(9), 2000, 50);
  private final List<Place> places = new ArrayList<>(model.entries.keySet());
  private final BlockCache cache = new BlockCache(offHeap, 10 << 20);

  private TableReader open(long number) throws IOException {
    return TableReader.open(
        directory, number, KeyComparator.BYTEWISE, cache, CorruptionListener.NONE);
  }

  private TableWriter writer(long number, @Nullable PassReads inputs) throws IOException {
    return new TableWriter(directory, number, SMALL_BLOCKS, KeyComparator.BYTEWISE, offHeap)
        .keepBlocks(cache, inputs);
  }

  /** Merges one table into another, as compaction does. */
  private void rewrite(TableReader input, long number) throws IOException {
    PassReads reads = new PassReads();
    TableWriter writer = writer(number, reads);
    try (EntryCursor entries = input.passCursor(reads)) {
      for (boolean on = entries.seekToFirst(); on; on = entries.next()) {
        writer.add(entries);
      }
    }
    writer.finish(0);
  }

  private void writeFromMemory(long number) throws IOException {
    TableWriter writer = writer(number, null);
    model.addTo(writer);
    writer.finish(0);
  }

  private void get(TableReader table, Place place, ReadContext context) {
    byte[] got = ModelTable.get(table, place, context);
    assertNotNull(got);
    assertArrayEquals(model.get(place.key(), place.sequence()), got);
  }

  private int inMemory(TableReader table) {
    int found = 0;
    for (Place place : places) {
      try {
        get(table, place, ReadContext.MEMORY_ONLY);
        found++;
      } catch (ColdBlockSignal cold) {
        // Counted by not being counted.
      }
    }
    return found;
  }

  private void closeAll(TableReader... tables) {
    for (TableReader table : tables) {
      table.release();
    }
    assertEquals(0, cache.bytes());
    cache.close();
    assertEquals(0, offHeap.heldBytes());
  }

  @Test
  void whatCameFromAMemtableIsInMemoryWhenItsTableIsOpened() throws IOException {
    writeFromMemory(1);
    TableReader table = open(1);
    assertEquals(places.size(), inMemory(table));
    assertEquals(0, cache.misses());
    closeAll(table);
  }

  @Test
  void onlyWhatIsLeftInTheCacheIsHandedOver() throws IOException {
    cache.setBytesMax(8 << 10);
    writeFromMemory(1);
    TableReader table = open(1);
    int found = inMemory(table);
    assertTrue(found > 0 && found < places.size() / 4, found + " in memory");
    assertTrue(cache.bytes() <= 8 << 10);
    places.forEach(place -> get(table, place, ReadContext.MAY_BLOCK));
    closeAll(table);
  }

  @Test
  void aValueLongerThanTheCacheIsNotCopiedForIt() throws IOException {
    int[] largest = {0};
    OffHeap watched =
        new OffHeap() {
          @Override
          public OffHeapRegion allocate(Part part, int bytes) {
            largest[0] = Math.max(largest[0], part == Part.BLOCK_CACHE ? bytes : 0);
            return super.allocate(part, bytes);
          }
        };
    byte[] value = new byte[1 << 20];
    try (BlockCache small = new BlockCache(watched, value.length / 2)) {
      TableWriter writer =
          new TableWriter(directory, 1, SMALL_BLOCKS, KeyComparator.BYTEWISE, offHeap)
              .keepBlocks(small, null);
      writer.add(new byte[] {1}, 0, 1, 1, false, ByteBuffer.wrap(value), 0, value.length);
      writer.finish(0);
      small.forget(1);
    }
    assertTrue(largest[0] <= value.length / 2, largest[0] + " bytes for one block");
    assertEquals(0, offHeap.heldBytes() + watched.heldBytes());
  }

  @Test
  void aMergeKeepsInMemoryWhatWasInMemory() throws IOException {
    model.write(directory, 1, SMALL_BLOCKS, offHeap);
    TableReader input = open(1);
    List<Place> warm = places.subList(0, places.size() / 2);
    warm.forEach(place -> get(input, place, ReadContext.MAY_BLOCK));
    rewrite(input, 2);
    TableReader output = open(2);
    warm.subList(0, warm.size() - 50).forEach(place -> get(output, place, ReadContext.MEMORY_ONLY));
    for (Place cold : places.subList(warm.size() + 50, places.size())) {
      assertThrows(ColdBlockSignal.class, () -> get(output, cold, ReadContext.MEMORY_ONLY));
    }
    closeAll(input, output);
  }

  @Test
  void aMergeOfColdTablesLeavesTheCacheAsItWas() throws IOException {
    model.write(directory, 1, SMALL_BLOCKS, offHeap);
    TableReader input = open(1);
    rewrite(input, 2);
    assertEquals(0, cache.bytes());
    TableReader output = open(2);
    assertEquals(0, inMemory(output));
    closeAll(input, output);
  }

  @Test
  void theWarmBlocksOfAMergeDoNotLeaveBeforeOthersThatNobodyUses() throws IOException {
    model.write(directory, 1, SMALL_BLOCKS, offHeap);
    TableReader input = open(1);
    places.forEach(place -> get(input, place, ReadContext.MAY_BLOCK));
    // Full to the last byte: each block of the merge pushes out another one.
    cache.setBytesMax(cache.bytes());
    rewrite(input, 2);
    TableReader output = open(2);
    int found = inMemory(output);
    assertTrue(found > places.size() / 2, found + " in memory");
    closeAll(input, output);
  }

  @Test
  void aTableThatIsGivenUpLeavesNothing() throws IOException {
    TableWriter abandoned = writer(1, null);
    model.addTo(abandoned);
    assertTrue(cache.bytes() > 0);
    abandoned.abandon();
    assertEquals(0, cache.bytes());

    writeFromMemory(2);
    assertTrue(cache.bytes() > 0);
    cache.forget(2);
    closeAll();
  }
}
