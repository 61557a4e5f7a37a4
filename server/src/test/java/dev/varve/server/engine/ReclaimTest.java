package dev.varve.server.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.Keys;
import dev.varve.codec.Transaction;
import dev.varve.codec.member.Hashes;
import dev.varve.codec.member.MemberCursor;
import dev.varve.codec.store.StoreBatch;
import dev.varve.codec.store.StoreView;
import dev.varve.codec.zset.ZAddCondition;
import dev.varve.codec.zset.ZSets;
import dev.varve.wal.CrashableStorageDirectory;
import dev.varve.wal.FailingStorageDirectory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What dies costs nothing, and its space comes back by itself. */
class ReclaimTest {
  private static final byte[] BIG = bytes("big");
  private static final byte[] OTHER = bytes("other");
  private static final int FIELDS_PER_BATCH = 1_000;
  private static final int VALUE_BYTES = 48;

  private final Random random = new Random(11);

  @Test
  void deletingALargeHashIsOneSmallBatchAndItsSpaceComesBackNearlyUnread() throws IOException {
    int fields = 200_000;
    try (EngineRig rig = new EngineRig(1 << 20)) {
      fill(rig, BIG, fields);
      fill(rig, OTHER, 1_000);
      rig.settle();
      long bytesBefore = rig.tableFileBytes();
      assertTrue(bytesBefore > 8 << 20, "several tables: " + bytesBefore);
      long readBefore = rig.figure("compaction_read_bytes_total");

      long[] batchBytes = {0};
      rig.write(
          transaction -> {
            assertTrue(Keys.delete(transaction, 0, BIG));
            transaction.batch().accept(new BytesOf(batchBytes));
          });
      assertTrue(batchBytes[0] < 200, "the batch has " + batchBytes[0] + " bytes");
      assertEquals(fields, rig.pendingEntries());
      assertTrue(rig.pendingBytes() >= (long) fields * VALUE_BYTES);

      int seconds = rig.settle();

      long left = rig.tableFileBytes();
      long freed = bytesBefore - left;
      long read = rig.figure("compaction_read_bytes_total") - readBefore;
      assertTrue(left < bytesBefore / 50, left + " of " + bytesBefore + " bytes are left");
      assertTrue(read < 0.2 * freed, read + " bytes read to free " + freed);
      assertTrue(seconds < 30, "it took " + seconds + " s");
      assertEquals(0, rig.pendingEntries());
      assertEquals(0, rig.pendingBytes());
      assertEquals(0, rig.figure("garbage_pending_records"));
      assertEquals(0, rig.figure("garbage_pending_table_bytes"));
      assertEquals(0, rig.figure("garbage_oldest_pending_millis"));
      assertTrue(rig.figure("garbage_reclaimed_bytes_total") >= (long) fields * VALUE_BYTES);
      assertEquals(1_000, rig.<Long>read(transaction -> Hashes.size(transaction, 0, OTHER)));
      assertEquals(1_000, walk(rig, OTHER));
    }
  }

  @Test
  void whatAPassCouldNotBeToldIsDeadIsDroppedByALaterOne() throws IOException {
    int fields = 5_000;
    try (EngineRig rig = new EngineRig(8 << 20)) {
      fill(rig, BIG, fields);
      rig.engine().sync();
      rig.write(transaction -> Keys.delete(transaction, 0, BIG));
      IOException broken = new IOException("Input/output error");
      rig.failing().failCall(FailingStorageDirectory.Kind.SYNC_FILE, 1, broken);
      assertThrows(IOException.class, () -> rig.engine().sync());
      // The log is replaced: for that all must be flushed, whatever is known of what is dead.
      rig.keepHouse();
      rig.work();
      rig.keepHouse();
      rig.work();
      assertTrue(rig.tableEntries() >= fields, rig.tableEntries() + " entries were flushed");

      rig.settle();
      assertEquals(0, rig.pendingEntries());
      assertTrue(rig.tableEntries() < 50, rig.tableEntries() + " entries are left for good");
    }
  }

  @Test
  void aFlushComesToItsEndThoughNothingCanTellWhatIsDead() throws IOException {
    int fields = 5_000;
    try (EngineRig rig = new EngineRig(8 << 20, 0)) {
      fill(rig, BIG, fields);
      rig.writeOnWorker(transaction -> Keys.delete(transaction, 0, BIG));
      flush(rig);
      fill(rig, OTHER, 1_000);
      List<String> tables = rig.directory().list();
      rig.failing()
          .failAll(
              call ->
                  call.kind() == FailingStorageDirectory.Kind.READ && tables.contains(call.file()),
              new IOException("Input/output error"));
      flush(rig);
      assertEquals(Long.MAX_VALUE, rig.engine().tree().oldestUnflushedSequence());

      rig.failing().heal();
      rig.settle();
      assertEquals(0, rig.pendingEntries());
      assertEquals(1_000, walk(rig, OTHER));
    }
  }

  private static void flush(EngineRig rig) throws IOException {
    rig.engine().tree().rotate();
    while (rig.engine().tree().maintain()) {
      continue;
    }
  }

  @Test
  void aReaderFromBeforeTheDeathSeesEverythingUntilItIsDone() throws IOException {
    int fields = 20_000;
    try (EngineRig rig = new EngineRig(256 << 10)) {
      fill(rig, BIG, fields);
      rig.settle();
      long bytesBefore = rig.tableFileBytes();
      try (StoreView view = rig.engine().blockingView()) {
        Transaction old = rig.transaction(view);
        try (MemberCursor cursor = Hashes.fields(old, 0, BIG)) {
          assertTrue(cursor.next());
          rig.write(transaction -> Keys.delete(transaction, 0, BIG));
          rig.settle();
          int seen = 1;
          while (cursor.next()) {
            seen++;
          }
          assertEquals(fields, seen);
        }
        assertTrue(rig.tableFileBytes() >= bytesBefore, "its files are still there");
      }
      rig.settle();
      assertTrue(rig.tableFileBytes() < 10_000, "left: " + rig.tableFileBytes());
    }
  }

  @Test
  void reclaimingGoesOnAfterBeingKilledInTheMiddle() throws IOException {
    try (EngineRig rig = new EngineRig(256 << 10)) {
      for (int i = 0; i < 6; i++) {
        fill(rig, bytes("hash" + i), 5_000);
      }
      rig.settle();
      for (int i = 1; i < 6; i += 2) {
        byte[] key = bytes("hash" + i);
        rig.write(transaction -> Keys.delete(transaction, 0, key));
      }
      for (int i = 0; i < 12; i++) {
        for (BackgroundWork work : rig.engine().backgroundWork()) {
          work.runOnce();
        }
        rig.keepHouse();
        rig.kill();
      }
      rig.settle();
      assertEquals(0, rig.pendingEntries());
      assertEquals(0, rig.pendingBytes());
      for (int i = 0; i < 6; i++) {
        assertEquals(i % 2 == 0 ? 5_000 : 0, walk(rig, bytes("hash" + i)), "hash" + i);
      }
      assertTrue(rig.tableEntries() < 3 * 5_000 + 50, rig.tableEntries() + " entries are left");
    }
  }

  @Test
  void powerLossBringsACollectionBackWholeOrNotAtAll() throws IOException {
    for (int rounds = 0; rounds < 4; rounds++) {
      try (EngineRig rig = new EngineRig(256 << 10)) {
        fill(rig, BIG, 5_000);
        rig.settle();
        rig.engine().sync();
        // The death is in the log alone, and the log is not synced; compaction is first to act.
        rig.write(transaction -> Keys.delete(transaction, 0, BIG));
        for (int i = 0; i < rounds; i++) {
          rig.secondOfCompaction();
        }
        rig.losePower(0);
        boolean alive = rig.read(transaction -> Keys.exists(transaction, 0, BIG));
        assertEquals(alive ? 5_000 : 0, walk(rig, BIG), "after " + rounds + " s");
        rig.settle();
        assertEquals(alive ? 5_000 : 0, walk(rig, BIG), "after " + rounds + " s");
        assertEquals(0, rig.pendingEntries());
      }
    }
  }

  @Test
  void aCheckpointHasNoCollectionThatLacksMembers() throws IOException {
    try (EngineRig rig = new EngineRig(256 << 10)) {
      fill(rig, BIG, 5_000);
      fill(rig, OTHER, 100);
      rig.settle();
      rig.write(transaction -> Keys.delete(transaction, 0, BIG));
      rig.engine().sync();
      // The death is in the log alone, and compaction is first to act.
      for (int i = 0; i < 4; i++) {
        rig.secondOfCompaction();
      }
      assertTrue(rig.tableEntries() < 1_000, rig.tableEntries() + " entries are left");
      CrashableStorageDirectory copy = new CrashableStorageDirectory();
      rig.engine().checkpoint(copy);
      rig.moveTo(copy);
      assertFalse(rig.<Boolean>read(transaction -> Keys.exists(transaction, 0, BIG)));
      assertEquals(0, walk(rig, BIG));
      assertEquals(100, walk(rig, OTHER));
      rig.settle();
      assertEquals(0, rig.pendingEntries());
    }
  }

  @Test
  void whatDiesInTheMemtableNeverReachesATable() throws IOException {
    try (EngineRig rig = new EngineRig(8 << 20)) {
      fill(rig, BIG, 2_000);
      rig.write(transaction -> Keys.delete(transaction, 0, BIG));
      assertEquals(2_000, rig.pendingEntries());

      rig.settle();

      assertEquals(0, rig.pendingEntries());
      assertTrue(rig.tableEntries() < 10, rig.tableEntries() + " entries in tables");
      assertEquals(2_000, rig.figure("garbage_reclaimed_entries_total"));
      assertTrue(rig.figure("garbage_reclaimed_bytes_total") >= 2_000 * VALUE_BYTES);
    }
  }

  @Test
  void garbageLeavesTheBooksAsSoonAsItIsGoneThoughOthersGoOnWriting() throws IOException {
    try (EngineRig rig = new EngineRig(1 << 20)) {
      fill(rig, BIG, 60_000);
      rig.settle();
      fill(rig, OTHER, 200);
      rig.write(transaction -> Keys.delete(transaction, 0, BIG));
      int seconds = 0;
      while (rig.pendingEntries() > 0) {
        assertTrue(seconds++ < 8, "still " + rig.pendingEntries() + " pending");
        fill(rig, OTHER, 200);
        rig.second();
      }
      assertTrue(rig.tableEntries() < 1_000, rig.tableEntries() + " entries are left");
      rig.kill();
      rig.settle();
      assertEquals(0, rig.pendingEntries());
      assertEquals(0, walk(rig, BIG));
      assertEquals(200, walk(rig, OTHER));
    }
  }

  @Test
  void theAgeOfTheOldestDeathIsKnownAcrossARestart() throws IOException {
    try (EngineRig rig = new EngineRig(8 << 20)) {
      fill(rig, BIG, 300);
      rig.write(transaction -> Keys.delete(transaction, 0, BIG));
      for (int i = 0; i < 5; i++) {
        rig.secondOfCompaction();
      }
      assertEquals(5_000, rig.figure("garbage_oldest_pending_millis"));
      rig.kill();
      rig.secondOfCompaction();
      rig.secondOfCompaction();
      assertEquals(7_000, rig.figure("garbage_oldest_pending_millis"));
      rig.settle();
      assertEquals(0, rig.figure("garbage_oldest_pending_millis"));
    }
  }

  @Test
  void deadDataThatNothingElseWouldMergeIsDroppedToo() throws IOException {
    try (EngineRig rig = new EngineRig(128 << 10)) {
      // A small hash between living ones: a few blocks of one table, at a level that is in shape.
      fill(rig, bytes("a"), 6_000);
      fill(rig, bytes("b"), 200);
      fill(rig, bytes("c"), 6_000);
      rig.settle();
      assertTrue(rig.tableEntries() > 10_000, "in tables: " + rig.tableEntries());

      rig.write(transaction -> Keys.delete(transaction, 0, bytes("b")));
      rig.settle();

      assertEquals(0, rig.pendingEntries());
      assertTrue(rig.tableEntries() <= 12_010, rig.tableEntries() + " entries are left");
      assertEquals(6_000, walk(rig, bytes("a")));
      assertEquals(6_000, walk(rig, bytes("c")));
    }
  }

  @Test
  void manyCollectionsThatDieAmongLivingOnesAreDroppedAndTheirRecordsLeave() throws IOException {
    int hashes = 700;
    int fields = 130;
    try (EngineRig rig = new EngineRig(512 << 10)) {
      for (int i = 0; i < hashes; i++) {
        fill(rig, bytes("hash" + i), fields);
      }
      rig.settle();
      // More than a pass reads of the records at a time.
      for (int i = 0; i < hashes; i++) {
        byte[] key = bytes("hash" + i);
        if (i % 10 != 0) {
          rig.write(transaction -> Keys.delete(transaction, 0, key));
        }
      }
      rig.settle();
      assertEquals(0, rig.pendingEntries());
      assertEquals(0, rig.figure("garbage_pending_records"));
      // The records themselves are deleted in the memtable, which nothing has flushed yet.
      long alive = hashes / 10 * (fields + 1L);
      long most = alive + hashes;
      assertTrue(rig.tableEntries() <= most, rig.tableEntries() + " where " + alive + " live");
      for (int i = 0; i < hashes; i += 70) {
        assertEquals(fields, walk(rig, bytes("hash" + i)));
      }
    }
  }

  @Test
  void flushingADatabaseGivesItsSpaceBack() throws IOException {
    try (EngineRig rig = new EngineRig(256 << 10)) {
      for (int i = 0; i < 5; i++) {
        fill(rig, bytes("hash" + i), 4_000);
      }
      rig.settle();
      rig.write(transaction -> transaction.flush(0));
      fill(rig, bytes("hash1"), 10);
      rig.settle();
      assertTrue(rig.tableEntries() < 60, rig.tableEntries() + " entries are left");
      assertEquals(0, rig.figure("garbage_pending_records"));
      assertEquals(10, walk(rig, bytes("hash1")));
      assertEquals(1, rig.<Long>read(transaction -> Keys.size(transaction, 0)));
    }
  }

  @Test
  void aRecordStaysWhileAnythingOfTheDeadMayBeLeft() throws IOException {
    try (EngineRig rig = new EngineRig(256 << 10)) {
      fill(rig, BIG, 3_000);
      rig.write(transaction -> Keys.delete(transaction, 0, BIG));
      for (int second = 0; second < 60; second++) {
        rig.second();
        boolean pending = rig.pendingEntries() > 0;
        boolean held =
            rig.tableEntries() > 100 || rig.engine().tree().memtables().bytes() > 200_000;
        assertFalse(!pending && held, "retired too early, at second " + second);
      }
      assertEquals(0, rig.pendingEntries());
    }
  }

  @Test
  void whatAQueueLeavesBehindIsGoneWithoutACommand() throws IOException {
    int rounds = 6_000;
    try (EngineRig rig = new EngineRig(128 << 10)) {
      byte[] queue = bytes("queue");
      for (int i = 0; i < rounds; i++) {
        int job = i;
        rig.write(
            transaction -> {
              List<byte[]> member = List.of(bytes("job" + job));
              ZSets.add(transaction, 0, queue, ZAddCondition.NONE, new double[] {job}, member);
              if (job >= 500) {
                assertEquals(1, ZSets.pop(transaction, 0, queue, false, 1).size());
              }
            });
        if (i % 100 == 0) {
          rig.second();
        }
      }
      rig.settle();
      // A member and its place in the order, and one count for some hundreds of them.
      assertTrue(rig.tableEntries() <= 2 * 500 + 50, rig.tableEntries() + " entries are left");
    }
  }

  @Test
  void aRangeThatReadersWalkInVainIsCompacted() throws IOException {
    int fields = 4_000;
    try (EngineRig rig = new EngineRig(64 << 20)) {
      fill(rig, BIG, fields);
      fill(rig, OTHER, 1_000);
      rig.settle();
      rig.write(
          transaction -> {
            for (int i = 0; i < fields - 1; i++) {
              Hashes.delete(transaction, 0, BIG, bytes("field" + i));
            }
          });
      assertEquals(1, walk(rig, BIG));
      for (int i = 0; i < 8; i++) {
        rig.second();
      }
      assertEquals(1, rig.figure("compaction_walk_requests_total"));
      assertTrue(rig.tableEntries() < 1_020, rig.tableEntries() + " entries are left");
      assertEquals(1, walk(rig, BIG));
    }
  }

  @Test
  void aWriteNowAndThenIsNoReasonToFlush() throws IOException {
    try (EngineRig rig = new EngineRig(64 << 20)) {
      for (int i = 0; i < 20; i++) {
        fill(rig, bytes("hash" + i), 5);
        rig.second();
        rig.second();
      }
      assertEquals(0, rig.figure("flushed_bytes_total"));
    }
  }

  private void fill(EngineRig rig, byte[] key, int fields) throws IOException {
    for (int from = 0; from < fields; from += FIELDS_PER_BATCH) {
      int first = from;
      int last = Math.min(fields, from + FIELDS_PER_BATCH);
      rig.write(
          transaction -> {
            byte[][] pairs = new byte[2 * (last - first)][];
            for (int i = first; i < last; i++) {
              pairs[2 * (i - first)] = bytes("field" + i);
              byte[] value = new byte[VALUE_BYTES];
              random.nextBytes(value);
              pairs[2 * (i - first) + 1] = value;
            }
            Hashes.set(transaction, 0, key, pairs);
          });
      rig.keepHouse();
      rig.work();
    }
  }

  private static int walk(EngineRig rig, byte[] key) {
    return rig.read(
        transaction -> {
          int seen = 0;
          try (MemberCursor cursor = Hashes.fields(transaction, 0, key)) {
            while (cursor.next()) {
              seen++;
            }
          }
          assertEquals(seen, Hashes.size(transaction, 0, key), "the count in the meta");
          return seen;
        });
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Counts the bytes of a batch. */
  private record BytesOf(long[] sum) implements StoreBatch.Visitor {
    @Override
    public void put(byte[] key, byte[] value) {
      sum[0] += key.length + value.length;
    }

    @Override
    public void delete(byte[] key) {
      sum[0] += key.length;
    }

    @Override
    public void count(long counterId, long delta) {
      sum[0] += 2 * Long.BYTES;
    }
  }
}
