package dev.varve.server.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.Keys;
import dev.varve.codec.list.ListEnd;
import dev.varve.codec.list.Lists;
import dev.varve.codec.member.MemberCursor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What is popped of a list is not deleted, and its space comes back by itself. */
class PoppedListTest {
  private static final byte[] QUEUE = "queue".getBytes(StandardCharsets.US_ASCII);
  private static final int ELEMENT_BYTES = 48;
  private static final int AT_A_TIME = 1_000;

  private final Random random = new Random(23);

  @Test
  void spaceOfAQueueComesBackNearlyUnreadWhileItLives() throws IOException {
    try (EngineRig rig = new EngineRig(1 << 20)) {
      push(rig, ListEnd.TAIL, 200_000);
      rig.settle();
      long bytesBefore = rig.tableFileBytes();
      assertTrue(bytesBefore > 8 << 20, "several tables: " + bytesBefore);
      long readBefore = rig.figure("compaction_read_bytes_total");

      pop(rig, ListEnd.HEAD, 195_000);
      assertEquals(0, rig.pendingEntries(), "nobody waits for it");
      int seconds = rig.settle();

      long left = rig.tableFileBytes();
      long freed = bytesBefore - left;
      long read = rig.figure("compaction_read_bytes_total") - readBefore;
      assertTrue(left < bytesBefore / 20, left + " of " + bytesBefore + " bytes are left");
      assertTrue(read < 0.3 * freed, read + " bytes read to free " + freed);
      assertTrue(seconds < 60, "it took " + seconds + " s");
      assertEquals(5_000, walk(rig));
    }
  }

  @Test
  void positionsOfAStackAreUsedAgainWhilePassesDropWhatWasThere() throws IOException {
    try (EngineRig rig = new EngineRig(256 << 10)) {
      int size = 0;
      for (int round = 0; round < 12; round++) {
        ListEnd end = round % 5 == 4 ? ListEnd.HEAD : ListEnd.TAIL;
        push(rig, end, 4_000);
        pop(rig, end, 3_500);
        size += 500;
        if (round % 4 == 3) {
          rig.kill();
        }
        rig.second();
        assertEquals(size, walk(rig), "round " + round);
      }
      rig.settle();
      assertEquals(size, walk(rig));
      assertTrue(rig.tableEntries() < 2 * size, rig.tableEntries() + " entries in tables");
    }
  }

  @Test
  void powerLossBringsBackWhatWasPoppedSinceTheLastSync() throws IOException {
    for (int rounds = 0; rounds < 4; rounds++) {
      try (EngineRig rig = new EngineRig(256 << 10)) {
        push(rig, ListEnd.TAIL, 8_000);
        rig.settle();
        rig.engine().sync();
        // The pops are in the log alone, and the log is not synced; compaction is first to act.
        pop(rig, ListEnd.HEAD, 6_000);
        for (int i = 0; i < rounds; i++) {
          rig.secondOfCompaction();
        }
        rig.losePower(0);
        long size = rig.read(transaction -> Lists.size(transaction, 0, QUEUE));
        assertTrue(size == 8_000 || rounds > 0, "nothing was synced, and " + size + " are left");
        assertEquals(size, walk(rig), "after " + rounds + " s");
        rig.settle();
        assertEquals(size, walk(rig), "after " + rounds + " s");
      }
    }
  }

  @Test
  void deletedListLeavesNothingOfWhatItHadPopped() throws IOException {
    try (EngineRig rig = new EngineRig(1 << 20)) {
      push(rig, ListEnd.TAIL, 20_000);
      pop(rig, ListEnd.HEAD, 10_000);
      rig.write(transaction -> assertTrue(Keys.delete(transaction, 0, QUEUE)));
      assertTrue(rig.pendingEntries() >= 10_000, rig.pendingEntries() + " entries pending");
      rig.settle();
      assertEquals(0, rig.pendingEntries());
      assertEquals(0, rig.figure("garbage_pending_records"));
      assertTrue(rig.tableEntries() < 10, rig.tableEntries() + " entries in tables");
    }
  }

  @Test
  void whatIsPoppedLeavesMemory() throws IOException {
    try (EngineRig rig = new EngineRig(8 << 20)) {
      push(rig, ListEnd.TAIL, 20_000);
      for (int popped = 0; popped < 19_000; popped++) {
        rig.write(transaction -> Lists.pop(transaction, 0, QUEUE, ListEnd.HEAD));
      }
      long kept = rig.figure("walk_cache_bytes");
      assertTrue(
          kept < 1_000 * 2 * ELEMENT_BYTES, kept + " bytes are kept of what was walked over");
      assertEquals(1_000, walk(rig));
    }
  }

  private void push(EngineRig rig, ListEnd end, int elements) throws IOException {
    for (int pushed = 0; pushed < elements; pushed += AT_A_TIME) {
      byte[][] some = new byte[Math.min(AT_A_TIME, elements - pushed)][ELEMENT_BYTES];
      for (byte[] element : some) {
        random.nextBytes(element);
      }
      rig.write(transaction -> Lists.push(transaction, 0, QUEUE, end, some));
      rig.keepHouse();
      rig.work();
    }
  }

  private static void pop(EngineRig rig, ListEnd end, int elements) throws IOException {
    for (int popped = 0; popped < elements; popped += AT_A_TIME) {
      int some = Math.min(AT_A_TIME, elements - popped);
      rig.write(transaction -> assertNotNull(Lists.pop(transaction, 0, QUEUE, end, some)));
    }
  }

  private static int walk(EngineRig rig) {
    return rig.read(
        transaction -> {
          int count = 0;
          try (MemberCursor cursor = Lists.elements(transaction, 0, QUEUE)) {
            while (cursor.next()) {
              assertEquals(ELEMENT_BYTES, cursor.length());
              count++;
            }
          }
          return count;
        });
  }
}
