package dev.varve.lsm;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.lsm.entry.ColdBlockSignal;
import dev.varve.lsm.entry.DeadRanges;
import dev.varve.lsm.entry.KeyComparator;
import dev.varve.lsm.entry.ReadMode;
import dev.varve.lsm.entry.VisibleCursor;
import dev.varve.lsm.table.BlockPins;
import dev.varve.lsm.table.ReadContext;
import dev.varve.lsm.version.OtherKeyOrderException;
import dev.varve.wal.CorruptionException;
import dev.varve.wal.CrashableStorageDirectory;
import dev.varve.wal.DirectoryLockedException;
import dev.varve.wal.OffHeap;
import dev.varve.wal.RealStorageDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LsmTreeTest {
  @TempDir Path path;

  private final OffHeap memory = new OffHeap();

  @Test
  void writtenKeyIsReadBackBeforeAndAfterFlushAndReopen() throws IOException {
    try (LsmTree tree = open()) {
      put(tree, "a", "1");
      assertEquals("1", get(tree, "a"));
      tree.flush();
      assertEquals("1", get(tree, "a"));
      assertEquals(1, tree.version().tableCount());
      put(tree, "b", "2");
    }
    try (LsmTree tree = open()) {
      assertEquals("1", get(tree, "a"));
      assertEquals("2", get(tree, "b"));
      assertEquals(1, tree.recovery().logBatches());
    }
    assertEquals(0, memory.heldBytes());
  }

  @Test
  void deletedKeyStaysDeletedAfterFlushAndReopen() throws IOException {
    try (LsmTree tree = open()) {
      put(tree, "a", "1");
      tree.flush();
      tree.write(new WriteBatch().delete(bytes("a")));
      assertNull(get(tree, "a"));
      tree.flush();
      assertNull(get(tree, "a"));
    }
    try (LsmTree tree = open()) {
      assertNull(get(tree, "a"));
    }
  }

  @Test
  void whatIsPutAndDeletedWithinOneMemtableLeavesNoTable() throws IOException {
    try (LsmTree tree = open()) {
      put(tree, "a", "1");
      tree.write(new WriteBatch().delete(bytes("a")));
      tree.flush();
      assertEquals(0, tree.version().tableCount());
    }
    try (LsmTree tree = open()) {
      assertEquals(0, tree.recovery().logBatches(), "the log of it is not needed any more");
    }
  }

  @Test
  void readersSeeAppliedBatchesOnlyOncePublishedTheWriterAtOnce() throws IOException {
    try (LsmTree tree = open()) {
      tree.apply(new WriteBatch().put(bytes("a"), bytes("1")));
      assertNull(get(tree, "a"));
      try (Snapshot own = tree.writerSnapshot(ReadContext.MEMORY_ONLY)) {
        assertArrayEquals(bytes("1"), own.get(bytes("a")));
      }
      long committed = tree.commit();
      assertNull(get(tree, "a"));
      tree.publish(committed);
      assertEquals("1", get(tree, "a"));
    }
  }

  @Test
  void snapshotIsUntouchedByLaterWritesFlushesAndClosesOfFiles() throws IOException {
    try (LsmTree tree = open()) {
      put(tree, "a", "old");
      tree.flush();
      try (Snapshot before = tree.snapshot()) {
        put(tree, "a", "new");
        tree.flush();
        put(tree, "b", "2");
        assertArrayEquals(bytes("old"), before.get(bytes("a")));
        assertNull(before.get(bytes("b")));
        try (VisibleCursor cursor = before.cursor()) {
          assertTrue(cursor.seekToFirst());
          assertArrayEquals(bytes("old"), cursor.copyValue());
          assertTrue(!cursor.next());
        }
      }
      assertEquals("new", get(tree, "a"));
    }
    assertEquals(0, memory.heldBytes());
  }

  @Test
  void batchIsOneSequenceNumberAndReservesMore() throws IOException {
    try (LsmTree tree = open()) {
      long next = tree.nextSequence();
      WriteBatch batch = new WriteBatch().put(bytes("a"), bytes("1")).put(bytes("b"), bytes("2"));
      assertEquals(next, tree.write(batch.reserveSequences(3)));
      assertEquals(next + 3, tree.nextSequence());
    }
    try (LsmTree tree = open()) {
      assertEquals(4, tree.nextSequence(), "reserved numbers are never given again");
    }
  }

  @Test
  void countersMoveWithTheirBatchesAndSurviveReopenAndFlush() throws IOException {
    try (LsmTree tree = open()) {
      tree.write(new WriteBatch().put(bytes("a"), bytes("1")).addToCounter(7, 5));
      tree.flush();
      tree.write(new WriteBatch().addToCounter(7, -2).addToCounter(8, 1));
      assertEquals(3, tree.counter(7));
    }
    try (LsmTree tree = open()) {
      assertEquals(3, tree.counter(7));
      assertEquals(1, tree.counter(8));
      tree.flush();
    }
    try (LsmTree tree = open()) {
      assertEquals(3, tree.counter(7));
      assertEquals(1, tree.counter(8));
    }
  }

  @Test
  void countersShowReadersWhatIsPublishedAndTheWriterAll() throws IOException {
    try (LsmTree tree = open()) {
      tree.write(new WriteBatch().addToCounter(7, 5));
      for (int i = 1; i <= 100; i++) {
        tree.apply(new WriteBatch().addToCounter(7, 1).addToCounter(8, 2));
        assertEquals(5 + i, tree.writerCounter(7));
        assertEquals(5, tree.counter(7));
      }
      long half = tree.commit();
      tree.apply(new WriteBatch().addToCounter(7, -50));
      tree.publish(half);
      assertEquals(105, tree.counter(7));
      assertEquals(200, tree.counter(8));
      assertEquals(55, tree.writerCounter(7));
      tree.publish(tree.commit());
      assertEquals(55, tree.counter(7));
      assertEquals(55, tree.writerCounter(7));
    }
  }

  @Test
  void coldReadUnwindsAndFindsItsBlocksPinnedAfterAWarmingRun() throws IOException {
    try (LsmTree tree = open()) {
      put(tree, "a", "1");
      tree.flush();
    }
    try (LsmTree tree = LsmTree.open(directory(), options().blockCacheBytesMax(0).build())) {
      try (Snapshot cold = tree.snapshot(ReadContext.MEMORY_ONLY)) {
        assertThrows(ColdBlockSignal.class, () -> cold.get(bytes("a")));
      }
      try (BlockPins pins = tree.newPins()) {
        try (Snapshot warming = tree.snapshot(new ReadContext(ReadMode.MAY_BLOCK, pins))) {
          assertNotNull(warming.get(bytes("a")));
        }
        try (Snapshot warm = tree.snapshot(new ReadContext(ReadMode.MEMORY_ONLY, pins))) {
          assertArrayEquals(bytes("1"), warm.get(bytes("a")));
        }
      }
    }
  }

  @Test
  void flushDropsWhatTheDeadEntryRuleNames() throws IOException {
    try (LsmTree tree = open()) {
      tree.useDeadEntryRule(horizon -> new OneDeadKey("dead"));
      put(tree, "alive", "1");
      put(tree, "dead", "2");
      tree.flush();
      assertNull(get(tree, "dead"));
      assertEquals("1", get(tree, "alive"));
    }
  }

  @Test
  void aTombstoneOfAKeyThatNoTableHoldsIsDroppedAtFlush() throws IOException {
    try (LsmTree tree = open()) {
      put(tree, "a", "1");
      put(tree, "c", "1");
      tree.flush();
      // Between the keys of a table: only its filter knows that it does not hold them.
      for (int i = 0; i < 100; i++) {
        tree.write(new WriteBatch().delete(bytes("b" + i)));
      }
      tree.write(new WriteBatch().delete(bytes("c")));
      tree.flush();
      long tombstones = 0;
      for (var table : tree.version().level(0)) {
        tombstones += table.tombstones();
      }
      assertTrue(tombstones >= 1 && tombstones < 20, tombstones + " tombstones");
      assertNull(get(tree, "c"));
    }
  }

  @Test
  void memtableIsRotatedWhenFullAndItsLogSegmentIsDeletedAfterFlush() throws IOException {
    try (LsmTree tree = LsmTree.open(directory(), options().memtableBytesMax(1).build())) {
      tree.maintain();
      put(tree, "a", "1");
      put(tree, "b", "2");
      assertEquals(1, tree.stats().immutableMemtables());
      while (tree.maintain()) {
        continue;
      }
      assertEquals(0, tree.stats().immutableMemtables());
      assertEquals("1", get(tree, "a"));
      assertEquals(2, directory().list().stream().filter(name -> name.endsWith(".log")).count());
    }
  }

  @Test
  void aFlushOfNothingMakesNoTableOfWhatIsWrittenNext() throws IOException {
    try (LsmTree tree = open()) {
      tree.write(new WriteBatch().reserveSequences(3));
      long wanted = tree.horizon();
      tree.flush();
      assertFalse(tree.isActive(wanted), "nothing is in memory");
      put(tree, "a", "1");
      assertFalse(tree.isActive(wanted), "what is in memory came later");
      assertTrue(tree.isActive(tree.horizon()));
      assertEquals(wanted + 1, tree.oldestUnflushedSequence());
    }
  }

  @Test
  void aFlushOfNothingAfterPowerLossMakesNoTableOfWhatIsWrittenNext() throws IOException {
    CrashableStorageDirectory device = new CrashableStorageDirectory();
    LsmTree before = LsmTree.open(device, options().build());
    before.maintain();
    put(before, "a", "1");
    assertTrue(before.rotate());
    put(before, "b", "2");
    before.maintain();
    // The table knows of the second batch, which is lost with the log.
    device = device.crash(new Random(1), 0);
    try (LsmTree tree = LsmTree.open(device, options().build())) {
      long wanted = tree.horizon();
      assertEquals(2, wanted);
      tree.flush();
      put(tree, "c", "3");
      assertFalse(tree.isActive(wanted));
    }
  }

  @Test
  void secondOwnerOfADirectoryIsRefused() throws IOException {
    try (LsmTree tree = open()) {
      put(tree, "a", "1");
      assertThrows(DirectoryLockedException.class, this::open);
      assertEquals("1", get(tree, "a"));
    }
  }

  @Test
  void directoryOfSomebodyElseIsRefusedAndLeftAlone() throws IOException {
    Files.writeString(path.resolve("dump.rdb"), "REDIS0011");
    ForeignDirectoryException refusal = assertThrows(ForeignDirectoryException.class, this::open);
    assertTrue(String.valueOf(refusal.getMessage()).contains("dump.rdb"));
    assertEquals("REDIS0011", Files.readString(path.resolve("dump.rdb")));
  }

  @Test
  void anotherKeyOrderIsRefused() throws IOException {
    open().close();
    KeyComparator other =
        new KeyComparator() {
          @Override
          public String name() {
            return "other.1";
          }

          @Override
          public int compare(
              byte[] a, int aOffset, int aLength, byte[] b, int bOffset, int bLength) {
            return BYTEWISE.compare(a, aOffset, aLength, b, bOffset, bLength);
          }
        };
    OtherKeyOrderException refusal =
        assertThrows(
            OtherKeyOrderException.class,
            () -> LsmTree.open(directory(), options().keyOrder(other).build()));
    assertTrue(String.valueOf(refusal.getMessage()).contains("other.1"));
    open().close();
  }

  @Test
  void aFlushPutsWhatIsApartIntoTablesOfItsOwn() throws IOException {
    try (LsmTree tree =
        LsmTree.open(directory(), options().keyOrder(new FirstBytesApart()).build())) {
      for (int flush = 0; flush < 3; flush++) {
        for (String key : List.of("a1", "a2", "b1", "c1", "c2")) {
          put(tree, key, key + flush);
        }
        tree.flush();
      }
      assertEquals(9, tree.version().level(0).size());
      assertEquals(3, tree.version().levelZeroRuns().size());
      assertEquals("c12", get(tree, "c1"));
    }
  }

  @Test
  void tablesThatNoVersionNamesAreDeletedAtTheNextOpening() throws IOException {
    open().close();
    Path orphan = path.resolve("000000009999.sst");
    Files.writeString(orphan, "half a table");
    open().close();
    assertTrue(Files.notExists(orphan));
  }

  @Test
  void aDirectoryWhoseLogIsDamagedIsRefusedAndLeftUntouched() throws IOException {
    try (LsmTree tree = open()) {
      put(tree, "a", "1");
      tree.flush();
      put(tree, "b", "2");
      tree.sync();
      put(tree, "c", "3");
    }
    Files.writeString(path.resolve("000000009999.sst"), "half a table");
    Path log = newestLog();
    byte[] damaged = Files.readAllBytes(log);
    damaged[60] ^= 1;
    Files.write(log, damaged);
    Map<String, String> before = contents();

    CorruptionException refusal = assertThrows(CorruptionException.class, this::open);

    String message = String.valueOf(refusal.getMessage());
    assertTrue(message.contains(log.getFileName().toString()), message);
    assertEquals(before, contents());
    assertEquals(0, memory.heldBytes());
  }

  private Path newestLog() throws IOException {
    try (Stream<Path> files = Files.list(path)) {
      return files
          .filter(file -> file.toString().endsWith(".log") && file.toFile().length() > 60)
          .max(Comparator.naturalOrder())
          .orElseThrow();
    }
  }

  /** All files, but for the lock, and their bytes. */
  private Map<String, String> contents() throws IOException {
    Map<String, String> contents = new TreeMap<>();
    for (String name : directory().list()) {
      contents.put(name, HexFormat.of().formatHex(Files.readAllBytes(path.resolve(name))));
    }
    return contents;
  }

  private record OneDeadKey(String key) implements DeadRanges {
    @Override
    public boolean advanceTo(byte[] seen, int length) {
      return Arrays.compareUnsigned(seen, 0, length, bytes(key), 0, bytes(key).length) <= 0;
    }

    @Override
    public byte @Nullable [] start() {
      return bytes(key);
    }

    @Override
    public byte @Nullable [] endExclusive() {
      return bytes(key + "\0");
    }

    @Override
    public boolean isDead(byte[] seen, int length) {
      return false;
    }

    @Override
    public void close() {}
  }

  private LsmTree open() throws IOException {
    return LsmTree.open(directory(), options().build());
  }

  private RealStorageDirectory directory() throws IOException {
    return RealStorageDirectory.open(path);
  }

  private TreeOptions.Builder options() {
    return TreeOptions.builder().offHeap(memory);
  }

  private static void put(LsmTree tree, String key, String value) throws IOException {
    tree.write(new WriteBatch().put(bytes(key), bytes(value)));
  }

  private static @Nullable String get(LsmTree tree, String key) {
    try (Snapshot snapshot = tree.snapshot()) {
      byte[] value = snapshot.get(bytes(key));
      return value == null ? null : new String(value, UTF_8);
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }
}
