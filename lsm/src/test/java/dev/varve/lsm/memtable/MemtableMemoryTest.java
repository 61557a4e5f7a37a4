package dev.varve.lsm.memtable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.wal.OffHeap;
import dev.varve.wal.OffHeapRegion;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class MemtableMemoryTest {
  private static final long MEMTABLE_BYTES = 1 << 20;

  private final OffHeap offHeap = new OffHeap();
  private final MemtableMemory memory = new MemtableMemory(offHeap, MEMTABLE_BYTES, 2);

  /** A memtable with about so many bytes of entries. */
  private Memtable filled(long bytes) {
    Memtable memtable = new Memtable(memory);
    byte[] value = new byte[1000];
    for (int i = 0; memtable.bytes() < bytes; i++) {
      byte[] key = ("key " + i).getBytes(StandardCharsets.UTF_8);
      memtable.add(key, 0, key.length, i + 1, false, value, 0, value.length);
    }
    return memtable;
  }

  @Test
  void whatOneMemtableHadGoesToTheNext() {
    OffHeapRegion chunk = memory.takeChunk();
    memory.giveBack(chunk);
    assertSame(chunk, memory.takeChunk());
    memory.giveBack(chunk);
    Memtable first = filled(MEMTABLE_BYTES);
    long held = offHeap.heldBytes();
    first.release();
    assertEquals(held, offHeap.heldBytes());
    Memtable second = filled(MEMTABLE_BYTES);
    assertEquals(held, offHeap.heldBytes());
    second.release();
    memory.close();
    assertEquals(0, offHeap.heldBytes());
  }

  @Test
  void noMoreIsKeptThanOneMemtableHasAndAllMayHave() {
    Memtable first = filled(MEMTABLE_BYTES);
    Memtable second = filled(MEMTABLE_BYTES);
    Memtable third = filled(MEMTABLE_BYTES);
    first.release();
    assertTrue(offHeap.heldBytes() <= 2 * MEMTABLE_BYTES + memory.chunkBytes());
    second.release();
    third.release();
    assertTrue(offHeap.heldBytes() <= MEMTABLE_BYTES, "held " + offHeap.heldBytes());
    memory.close();
    assertEquals(0, offHeap.heldBytes());
  }

  @Test
  void aLargeEntryGivesItsMemoryBackAtOnceAndWhatComesBackAfterClosingIsFreed() {
    Memtable memtable = new Memtable(memory);
    long before = offHeap.heldBytes();
    byte[] value = new byte[(int) MEMTABLE_BYTES];
    memtable.add(new byte[] {1}, 0, 1, 1, false, value, 0, value.length);
    assertTrue(offHeap.heldBytes() > MEMTABLE_BYTES);
    memtable.release();
    assertTrue(offHeap.heldBytes() <= before, "held " + offHeap.heldBytes());
    Memtable late = filled(MEMTABLE_BYTES / 2);
    memory.close();
    late.release();
    assertEquals(0, offHeap.heldBytes());
  }
}
