package dev.varve.lsm.table;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.lsm.entry.ColdBlockSignal;
import dev.varve.lsm.entry.EntryCursor;
import dev.varve.lsm.entry.KeyComparator;
import dev.varve.lsm.entry.ReadMode;
import dev.varve.lsm.table.ModelTable.Place;
import dev.varve.wal.CrashableStorageDirectory;
import dev.varve.wal.FailingStorageDirectory;
import dev.varve.wal.OffHeap;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is in memory, for whom, and what becomes of it. */
class BlockCacheTest {
  private final OffHeap offHeap = new OffHeap();
  private final FailingStorageDirectory directory =
      new FailingStorageDirectory(new CrashableStorageDirectory());
  private final BlockCache cache = new BlockCache(offHeap, 10 << 20);
  private final ModelTable model = ModelTable.random(new Random(8), 2000, 50);
  private final List<Place> places = new ArrayList<>(model.entries.keySet());
  private TableReader table;

  BlockCacheTest() throws IOException {
    model.write(directory, 1, TableOptions.DEFAULT.withBlockBytes(1024), offHeap);
    table = TableReader.open(directory, 1, KeyComparator.BYTEWISE, cache, CorruptionListener.NONE);
  }

  @BeforeEach
  void tableHasManyBlocks() {
    assertTrue(table.blocks() > 50);
  }

  @AfterEach
  void nothingIsLeftOffHeap() {
    table.release();
    cache.close();
    assertEquals(0, offHeap.heldBytes());
  }

  private byte[] get(Place place, ReadContext context) {
    byte[] got = ModelTable.get(table, place, context);
    assertNotNull(got);
    assertArrayEquals(model.get(place.key(), place.sequence()), got);
    return got;
  }

  @Test
  void memoryOnlyNeverTouchesTheFile() {
    long calls = directory.calls();
    for (Place place : places) {
      assertThrows(ColdBlockSignal.class, () -> get(place, ReadContext.MEMORY_ONLY));
    }
    try (EntryCursor cursor = table.cursor(ReadContext.MEMORY_ONLY)) {
      assertThrows(ColdBlockSignal.class, cursor::seekToFirst);
      assertThrows(ColdBlockSignal.class, cursor::seekToLast);
      assertThrows(ColdBlockSignal.class, () -> cursor.seek(places.get(9).key(), 0, 1, 0));
    }
    assertEquals(calls, directory.calls());
    assertEquals(0, cache.misses());
  }

  @Test
  void whatWasReadOnceIsInMemory() {
    places.forEach(place -> get(place, ReadContext.MAY_BLOCK));
    long calls = directory.calls();
    places.forEach(place -> get(place, ReadContext.MEMORY_ONLY));
    assertEquals(calls, directory.calls());
    assertEquals(table.blocks(), cache.misses());
    assertEquals(2L * places.size() - table.blocks(), cache.hits());
    // One scratch buffer of 64 KiB is held besides.
    assertTrue(cache.bytes() >= offHeap.heldBytes(OffHeap.Part.BLOCK_CACHE) - (64 << 10));
  }

  @Test
  void passesLeaveTheCacheAsItWas() {
    Place cached = places.get(1000);
    get(cached, ReadContext.MAY_BLOCK);
    long bytes = cache.bytes();
    try (EntryCursor cursor = table.cursor(ReadContext.MAY_BLOCK_UNCACHED)) {
      int seen = 0;
      for (boolean on = cursor.seekToFirst(); on; on = cursor.next()) {
        seen++;
      }
      assertEquals(places.size(), seen);
    }
    assertEquals(bytes, cache.bytes());
    get(cached, ReadContext.MEMORY_ONLY);
  }

  @Test
  void aLongWalkReadsManyBlocksAtATime() {
    long calls = directory.calls();
    try (EntryCursor cursor = table.cursor(ReadContext.MAY_BLOCK_UNCACHED)) {
      for (boolean on = cursor.seekToFirst(); on; on = cursor.next()) {
        cursor.sequence();
      }
    }
    long reads = directory.calls() - calls;
    assertTrue(reads <= 2 + table.meta().fileBytes() / ReadAhead.WINDOW_BYTES, "reads " + reads);
  }

  @Test
  void aLongWalkOfAReaderReadsManyBlocksAtATimeBothWays() {
    cache.setBytesMax(8 << 10);
    for (boolean forward : new boolean[] {true, false}) {
      long calls = directory.calls();
      List<Place> seen = new ArrayList<>();
      try (EntryCursor cursor = table.cursor(ReadContext.MAY_BLOCK)) {
        boolean on = forward ? cursor.seekToFirst() : cursor.seekToLast();
        while (on) {
          seen.add(model.placeOf(cursor));
          on = forward ? cursor.next() : cursor.previous();
        }
      }
      if (!forward) {
        Collections.reverse(seen);
      }
      assertEquals(places, seen);
      long reads = directory.calls() - calls;
      assertTrue(reads <= 8 + table.meta().fileBytes() / ReadAhead.WINDOW_BYTES, "reads " + reads);
    }
  }

  @Test
  void aLongWalkLeavesAFullCacheAsItWas() {
    cache.setBytesMax(200 << 10);
    Place used = places.get(1000);
    get(used, ReadContext.MAY_BLOCK);
    get(used, ReadContext.MAY_BLOCK);
    for (int walk = 0; walk < 3; walk++) {
      try (EntryCursor cursor = table.cursor(ReadContext.MAY_BLOCK)) {
        for (boolean on = cursor.seekToFirst(); on; on = cursor.next()) {
          cursor.sequence();
        }
      }
    }
    get(used, ReadContext.MEMORY_ONLY);
    assertTrue(cache.bytes() <= 200 << 10);
  }

  @Test
  void whatIsReadAheadOfItsOnlyUseLeavesAFullCacheAsItWas() {
    cache.setBytesMax(20 << 10);
    Place used = places.get(0);
    get(used, ReadContext.MAY_BLOCK);
    get(used, ReadContext.MEMORY_ONLY);
    // One of each second block.
    int step = 2 * places.size() / table.blocks();
    for (int i = step; i < places.size(); i += step) {
      get(places.get(i), ReadContext.MAY_BLOCK_AHEAD);
      get(places.get(i), ReadContext.MEMORY_ONLY);
    }
    get(used, ReadContext.MEMORY_ONLY);
  }

  @Test
  void pinsKeepBlocksThroughEviction() {
    cache.setBytesMax(1024);
    try (BlockPins pins = new BlockPins()) {
      ReadContext blocking = new ReadContext(ReadMode.MAY_BLOCK, pins);
      for (int i = 0; i < 200; i++) {
        get(places.get(i * 7), blocking);
      }
      long calls = directory.calls();
      places.forEach(place -> assertNotEvictedOrCold(place));
      ReadContext memoryOnly = new ReadContext(ReadMode.MEMORY_ONLY, pins);
      for (int i = 0; i < 200; i++) {
        get(places.get(i * 7), memoryOnly);
      }
      assertEquals(calls, directory.calls());
      assertTrue(pins.count() > 20);
      assertTrue(pins.bytes() <= offHeap.heldBytes(OffHeap.Part.BLOCK_CACHE));
    }
  }

  private void assertNotEvictedOrCold(Place place) {
    try {
      get(place, ReadContext.MEMORY_ONLY);
    } catch (ColdBlockSignal expected) {
      assertNotNull(expected.block(), "it says which block it is");
    }
  }

  @Test
  void cursorsKeepTheirBlockThroughEvictionAndTheirTableThroughRelease() throws IOException {
    cache.setBytesMax(0);
    EntryCursor cursor = table.cursor(ReadContext.MAY_BLOCK);
    assertTrue(cursor.seekToFirst());
    TableReader closed = table;
    table = TableReader.open(directory, 1, KeyComparator.BYTEWISE, cache, CorruptionListener.NONE);
    closed.release();
    assertEquals(places.get(0), model.placeOf(cursor));
    for (int i = 1; i < places.size(); i++) {
      assertTrue(cursor.next());
      assertEquals(places.get(i), model.placeOf(cursor));
    }
    cursor.close();
    cursor.close();
    assertThrows(IllegalStateException.class, () -> closed.cursor(ReadContext.MAY_BLOCK));
  }

  @Test
  void aTableThatIsClosedLeavesTheCache() throws IOException {
    places.forEach(place -> get(place, ReadContext.MAY_BLOCK));
    table.release();
    assertEquals(0, cache.bytes());
    table = TableReader.open(directory, 1, KeyComparator.BYTEWISE, cache, CorruptionListener.NONE);
    assertThrows(ColdBlockSignal.class, () -> get(places.get(0), ReadContext.MEMORY_ONLY));
  }

  private static void await(CountDownLatch loading) throws IOException {
    try {
      loading.await();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  @Test
  void aBlockThatManyMissAtOnceIsLoadedOnce() throws Exception {
    int threads = 8;
    AtomicInteger loads = new AtomicInteger();
    CountDownLatch loading = new CountDownLatch(1);
    BlockSlots slots = new BlockSlots(99, 1);
    BlockCache.Loader slow =
        (ordinal, memory) -> {
          loads.incrementAndGet();
          await(loading);
          Block block = table.block(ordinal, ReadContext.MAY_BLOCK_UNCACHED);
          return block;
        };
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      List<Future<Block>> waiting = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        Callable<Block> read = () -> cache.acquire(slots, 0, ReadContext.MAY_BLOCK, slow);
        waiting.add(executor.submit(read));
      }
      loading.countDown();
      for (Future<Block> block : waiting) {
        assertSame(waiting.get(0).get(), block.get());
        block.get().release();
      }
      assertEquals(1, loads.get());
    } finally {
      executor.shutdown();
    }
  }

  @Test
  void whoWaitsForALoadThatMemoryRunsOutForIsToldOfThat() throws Exception {
    CountDownLatch loading = new CountDownLatch(1);
    AtomicInteger loads = new AtomicInteger();
    BlockSlots slots = new BlockSlots(99, 1);
    BlockCache.Loader failing =
        (ordinal, memory) -> {
          loads.incrementAndGet();
          await(loading);
          throw new OutOfMemoryError("as a test wants it");
        };
    List<Throwable> told = Collections.synchronizedList(new ArrayList<>());
    Runnable read =
        () ->
            told.add(
                assertThrows(
                    Throwable.class,
                    () -> cache.acquire(slots, 0, ReadContext.MAY_BLOCK, failing)));
    Thread first = new Thread(read);
    Thread other = new Thread(read);
    first.start();
    while (loads.get() == 0) {
      Thread.onSpinWait();
    }
    other.start();
    while (other.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    loading.countDown();
    first.join();
    other.join();
    assertEquals(1, loads.get());
    assertEquals(
        List.of(OutOfMemoryError.class, OutOfMemoryError.class),
        told.stream().map(Object::getClass).toList());
  }

  @Test
  void readersBesideEvictionSeeOnlyWhatWasWritten() throws Exception {
    ExecutorService executor = Executors.newFixedThreadPool(4);
    try {
      List<Future<?>> readers = new ArrayList<>();
      for (int reader = 0; reader < 4; reader++) {
        Random random = new Random(reader);
        readers.add(executor.submit(() -> readALot(random)));
      }
      for (int i = 0; i < 200; i++) {
        cache.setBytesMax(i % 3 * 20_000L);
      }
      for (Future<?> reader : readers) {
        reader.get();
      }
    } finally {
      executor.shutdown();
    }
  }

  private void readALot(Random random) {
    try (EntryCursor cursor = table.cursor(ReadContext.MAY_BLOCK)) {
      for (int i = 0; i < 5000; i++) {
        Place place = places.get(random.nextInt(places.size()));
        get(place, random.nextBoolean() ? ReadContext.MAY_BLOCK : ReadContext.MAY_BLOCK_UNCACHED);
        assertTrue(cursor.seek(place.key(), 0, place.key().length, place.sequence()));
        assertEquals(place, model.placeOf(cursor));
        cursor.next();
        model.placeOf(cursor);
      }
    }
  }
}
