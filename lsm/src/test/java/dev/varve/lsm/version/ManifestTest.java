package dev.varve.lsm.version;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.lsm.entry.KeyComparator;
import dev.varve.wal.CorruptionException;
import dev.varve.wal.CrashableStorageDirectory;
import dev.varve.wal.FailingStorageDirectory;
import dev.varve.wal.FailingStorageDirectory.Kind;
import dev.varve.wal.OffHeap;
import dev.varve.wal.RealStorageDirectory;
import dev.varve.wal.RecordFileFormat;
import dev.varve.wal.RecordFileReader;
import dev.varve.wal.RecordFileWriter;
import dev.varve.wal.ScarceMemory;
import dev.varve.wal.StorageDirectory;
import dev.varve.wal.SyncedPoint;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ManifestTest {
  private final OffHeap memory = new OffHeap();
  private final Random random = new Random(1);
  private final CrashableStorageDirectory directory = new CrashableStorageDirectory();

  @AfterEach
  void allMemoryIsGivenBack() {
    assertEquals(0, memory.heldBytes());
  }

  @Test
  void editsAddUpAcrossReopening() throws IOException {
    try (Manifest manifest = create(directory)) {
      append(manifest, adding(1));
      append(manifest, adding(2));
    }
    try (Manifest manifest = open(directory)) {
      append(manifest, new VersionEdit().delete(0, 1));
    }
    try (Manifest manifest = open(directory)) {
      assertEquals(List.of(table(2)), manifest.shape().version().level(0));
      assertEquals(3, manifest.shape().nextTableNumber());
    }
  }

  @Test
  void aFlippedBitInAnyEditIsCorruptionAndNeverATornTail() throws IOException {
    try (Manifest manifest = create(directory)) {
      append(manifest, adding(1));
      append(manifest, adding(2));
    }
    // All but the last mark: it only says that what is before it is safe.
    assertEveryFlipIsRefused(RecordFileFormat.RECORD_HEADER_BYTES);
  }

  @Test
  void afterACleanEndAFlippedBitInTheLastMarkIsCorruptionToo() throws IOException {
    try (Manifest manifest = create(directory)) {
      append(manifest, adding(1));
      manifest.seal(new SyncedPoint(3, 100));
    }
    assertEveryFlipIsRefused(0);
  }

  @Test
  void aManifestThatIsOnlyBegunIsVouchedFor() throws IOException {
    create(directory).close();
    assertEveryFlipIsRefused(0);
  }

  @Test
  void aCleanEndIsRememberedThroughLivesWithoutAndWithEdits() throws IOException {
    create(directory).close();
    try (Manifest manifest = open(directory)) {
      assertEquals(SyncedPoint.NONE, manifest.durableLog());
      append(manifest, adding(1));
    }
    try (Manifest manifest = open(directory)) {
      manifest.seal(new SyncedPoint(3, 100));
    }
    assertEveryFlipIsRefused(0);
    try (Manifest manifest = open(directory)) {
      assertEquals(new SyncedPoint(3, 100), manifest.durableLog());
      append(manifest, adding(2));
    }
    try (Manifest manifest = open(directory)) {
      assertEquals(new SyncedPoint(3, 100), manifest.durableLog());
      manifest.seal(SyncedPoint.NONE);
    }
    try (Manifest manifest = open(directory)) {
      assertEquals(new SyncedPoint(3, 100), manifest.durableLog());
      manifest.seal(new SyncedPoint(4, 56));
    }
    try (Manifest manifest = open(directory)) {
      assertEquals(new SyncedPoint(4, 56), manifest.durableLog());
      assertEquals(2, manifest.shape().version().tableCount());
    }
  }

  @Test
  void aFlippedBitInCurrentIsCorruption() throws IOException {
    try (Manifest manifest = create(directory)) {
      manifest.seal(new SyncedPoint(3, 100));
    }
    byte[] whole = directory.content(ManifestFormat.CURRENT);
    for (int bit = 0; bit < 8 * whole.length; bit++) {
      byte[] damaged = whole.clone();
      damaged[bit / 8] ^= (byte) (1 << bit % 8);
      directory.setContent(ManifestFormat.CURRENT, damaged);
      int flipped = bit;
      assertThrows(
          CorruptionException.class, () -> open(directory).close(), () -> "bit " + flipped);
    }
  }

  @Test
  void currentOfAnEarlierReleaseVouchesForNothing() throws IOException {
    try (Manifest manifest = create(directory)) {
      append(manifest, adding(1));
      manifest.seal(new SyncedPoint(3, 100));
    }
    byte[] name = (manifestName(directory) + "\n").getBytes(StandardCharsets.US_ASCII);
    directory.setContent(ManifestFormat.CURRENT, name);
    try (Manifest manifest = open(directory)) {
      assertEquals(SyncedPoint.NONE, manifest.durableLog());
      assertEquals(List.of(table(1)), manifest.shape().version().level(0));
      manifest.seal(new SyncedPoint(4, 56));
    }
    assertEveryFlipIsRefused(0);
  }

  /** Of all but the last {@code exceptBytes} of the manifest. */
  private void assertEveryFlipIsRefused(int exceptBytes) throws IOException {
    String name = manifestName(directory);
    byte[] whole = directory.content(name);
    for (int bit = 0; bit < 8 * (whole.length - exceptBytes); bit++) {
      byte[] damaged = whole.clone();
      damaged[bit / 8] ^= (byte) (1 << bit % 8);
      directory.setContent(name, damaged);
      int flipped = bit;
      IOException failure =
          assertThrows(IOException.class, () -> open(directory).close(), () -> "bit " + flipped);
      assertTrue(String.valueOf(failure.getMessage()).contains(name), failure.toString());
      if (bit / 8 >= RecordFileFormat.HEADER_BYTES) {
        assertTrue(failure instanceof CorruptionException, "bit " + bit + ": " + failure);
      }
    }
    directory.setContent(name, whole);
  }

  @Test
  void anEditThatPowerLossTookHalfOfIsCut() throws IOException {
    try (Manifest manifest = create(directory)) {
      append(manifest, adding(1));
    }
    String name = manifestName(directory);
    byte[] whole = directory.content(name);
    byte[] torn = Arrays.copyOf(whole, whole.length + 40);
    torn[whole.length + 5] = 77;
    directory.setContent(name, torn);

    try (Manifest manifest = open(directory)) {
      assertEquals(List.of(table(1)), manifest.shape().version().level(0));
    }
  }

  @Test
  void openingChangesNothing() throws IOException {
    try (Manifest manifest = create(directory)) {
      append(manifest, adding(1));
    }
    Map<String, String> before = contents();
    open(directory).close();
    assertEquals(before, contents());
  }

  @Test
  void theFirstEditAfterOpeningBeginsAFreshFileAndDeletesTheOld() throws IOException {
    try (Manifest manifest = create(directory)) {
      append(manifest, adding(1));
    }
    String first = manifestName(directory);
    try (Manifest manifest = open(directory)) {
      append(manifest, adding(2));
    }
    assertTrue(manifestName(directory).compareTo(first) > 0);
    try (Manifest manifest = open(directory)) {
      assertEquals(2, manifest.shape().version().tableCount());
    }
  }

  /** Or a large tree would write all of its state with each edit. */
  @Test
  void aFileIsFollowedByAFreshOneOnceItsEditsAreAsLongAsItsBeginning() throws IOException {
    int tables = 100;
    List<Integer> editsPerFile = new ArrayList<>();
    try (Manifest manifest = create(directory, 1_000)) {
      VersionEdit many = new VersionEdit();
      for (int number = 1; number <= tables; number++) {
        many.add(0, table(number));
      }
      append(manifest, many);
      // The next one follows at once, for it began with an empty tree.
      int oldest = 1;
      for (int file = 0; file < 4; file++) {
        String name = manifestName(directory);
        int edits = 0;
        while (name.equals(manifestName(directory))) {
          // The state stays as long as it is.
          append(manifest, adding(oldest + tables).delete(0, oldest));
          oldest++;
          edits++;
        }
        editsPerFile.add(edits);
      }
    }
    assertEquals(1, editsPerFile.get(0));
    for (int edits : editsPerFile.subList(1, editsPerFile.size())) {
      assertTrue(edits > tables / 2 && edits <= tables, () -> editsPerFile + " edits");
    }
  }

  /** All in one record would be more than a record takes: of 17 tables with keys of 32 MiB, say. */
  @Test
  void aFileBeginsWithSeveralRecordsWhereTheKeysOfTablesAreLong(@TempDir Path path)
      throws IOException {
    // On a disk: what is in memory elsewhere has each sync's state once more.
    StorageDirectory disk = RealStorageDirectory.open(path);
    int tables = 10;
    byte[] key = new byte[2 << 20];
    try (Manifest manifest = create(disk)) {
      append(manifest, new VersionEdit().flushedThrough(70, 7).addToCounter(5, 55));
      for (int number = 1; number <= tables; number++) {
        key[0] = (byte) number;
        TableMeta table = new TableMeta(number, 9, 9, key.clone(), key.clone(), 1, 60, 1, 0, 60);
        append(manifest, new VersionEdit().add(number % 2, table));
      }
    }
    TreeShape before;
    try (Manifest manifest = open(disk)) {
      before = manifest.shape();
      // Begins a fresh file.
      append(manifest, new VersionEdit().flushedThrough(70, 7));
    }
    String name = disk.list().stream().filter(ManifestFormat::isManifest).findFirst().orElseThrow();
    try (RecordFileReader reader =
        RecordFileReader.open(
            disk, name, ManifestFormat.KIND, ManifestFormat.number(name), memory)) {
      int records = 0;
      while (reader.next()) {
        records++;
        int bytes = reader.payload().remaining();
        assertTrue(bytes < VersionEdit.BORDER_BYTES_WANTED + 3 * key.length, bytes + " bytes");
      }
      // Four tables each, and the edit.
      assertEquals(4, records);
    }
    try (Manifest manifest = open(disk)) {
      TreeShape after = manifest.shape();
      for (int level = 0; level < Version.LEVELS; level++) {
        assertEquals(before.version().level(level), after.version().level(level));
      }
      assertEquals(before.counters(), after.counters());
      assertEquals(before.nextTableNumber(), after.nextTableNumber());
      assertEquals(before.nextSequence(), after.nextSequence());
      assertEquals(before.flushedThroughSequence(), after.flushedThroughSequence());
      assertEquals(before.oldestLogSegment(), after.oldestLogSegment());
    }
  }

  @Test
  void aSmallTreesFileHasAsManyEditsAsAllowed() throws IOException {
    int bytes = 10_000;
    try (Manifest manifest = create(directory, bytes)) {
      String first = manifestName(directory);
      int longest = 0;
      for (int number = 1; first.equals(manifestName(directory)); number++) {
        longest = directory.content(first).length;
        append(manifest, adding(number));
        append(manifest, new VersionEdit().delete(0, number));
      }
      assertTrue(longest > bytes && longest < 2 * bytes, longest + " bytes");
    }
  }

  @Test
  void anEditWhoseSyncFailedNeverHappenedForThisProcess() throws IOException {
    FailingStorageDirectory failing = new FailingStorageDirectory(directory);
    try (Manifest manifest = create(failing)) {
      append(manifest, adding(1));
      failing.failCall(Kind.SYNC_FILE, 1, new IOException("the device is gone"));
      assertThrows(IOException.class, () -> append(manifest, adding(2)));
      assertEquals(List.of(table(1)), manifest.shape().version().level(0));
      append(manifest, adding(3));
    }
    try (Manifest manifest = open(directory)) {
      assertEquals(List.of(table(3), table(1)), manifest.shape().version().level(0));
    }
  }

  @Test
  void anEditThatMemoryRanOutForNeverHappenedForThisProcess() throws IOException {
    ScarceMemory scarce = new ScarceMemory();
    // What it takes to write a record of that size is given back behind it.
    byte[] key = new byte[5 << 20];
    VersionEdit huge = new VersionEdit().add(6, new TableMeta(1, 9, 9, key, key, 1, 1, 1, 0, 1));
    try (Manifest manifest =
        Manifest.create(directory, KeyComparator.BYTEWISE, scarce, random, 64 << 20)) {
      for (int allocations = 0; allocations <= 1; allocations++) {
        scarce.runOutAfter(allocations);
        assertThrows(OutOfMemoryError.class, () -> append(manifest, huge));
        assertEquals(allocations == 1, manifest.isInDoubt(huge), "it was written");
        assertEquals(0, manifest.shape().version().tableCount());
      }
      scarce.relax();
      append(manifest, adding(3));
      assertFalse(manifest.isInDoubt(huge));
    }
    assertEquals(0, scarce.heldBytes());
    try (Manifest manifest = open(directory)) {
      assertEquals(List.of(table(3)), manifest.shape().version().tables());
    }
  }

  @Test
  void aFileThatCannotBeBegunIsNotLeft() throws IOException {
    try (Manifest manifest = create(directory)) {
      append(manifest, adding(1));
    }
    FailingStorageDirectory failing = new FailingStorageDirectory(directory);
    List<String> before = directory.list().stream().sorted().toList();
    try (Manifest manifest = open(failing)) {
      for (int nth = 1; nth <= 2; nth++) {
        // The header, and then all that the file begins with.
        failing.failCall(Kind.WRITE, nth, new IOException("the device is full"));
        assertThrows(IOException.class, () -> append(manifest, adding(2)));
        assertEquals(before, directory.list().stream().sorted().toList());
      }
      append(manifest, adding(3));
    }
    try (Manifest manifest = open(directory)) {
      assertEquals(List.of(table(3), table(1)), manifest.shape().version().level(0));
    }
  }

  @Test
  void anOldFileThatCannotBeDeletedHoldsUpNoEditAndGoesLater() throws IOException {
    try (Manifest manifest = create(directory)) {
      append(manifest, adding(1));
    }
    FailingStorageDirectory failing = new FailingStorageDirectory(directory);
    String old = manifestName(directory);
    failing.failAll(
        call -> call.kind() == Kind.DELETE && call.file().equals(old),
        new IOException("not permitted"));
    try (Manifest manifest = open(failing)) {
      append(manifest, adding(2));
      assertTrue(directory.exists(old));
    }
    failing.heal();
    try (Manifest manifest = open(failing)) {
      assertEquals(2, manifest.shape().version().tableCount());
      append(manifest, adding(3));
      assertFalse(directory.exists(old));
    }
  }

  @Test
  void anEditIsInForceAlthoughItsMarkCouldNotBeWritten() throws IOException {
    FailingStorageDirectory failing = new FailingStorageDirectory(directory);
    try (Manifest manifest = create(failing)) {
      failing.failCall(Kind.WRITE, 2, new IOException("the device is full"));
      append(manifest, adding(1));
      append(manifest, adding(2));
    }
    try (Manifest manifest = open(directory)) {
      assertEquals(2, manifest.shape().version().tableCount());
    }
  }

  @Test
  void sequenceNumbersThatAPassLookedAtAreNotGivenAgain() throws IOException {
    try (Manifest manifest = create(directory)) {
      TableMeta table =
          new TableMeta(
              1, 10, 10, new byte[] {1}, new byte[] {1}, 5, 5, 1, 0, /* deadThrough */ 90);
      append(manifest, new VersionEdit().add(0, table));
    }
    try (Manifest manifest = open(directory)) {
      assertEquals(91, manifest.shape().nextSequence());
    }
  }

  @Test
  void anEditThatIsNoneIsNamedWithTheOffsetOfItsRecord() throws IOException {
    byte[] first;
    try (Manifest manifest = create(directory)) {
      first = EditCodec.encode(manifest.shape(), new VersionEdit());
    }
    String name = ManifestFormat.fileName(2);
    try (RecordFileWriter writer =
        RecordFileWriter.create(directory, name, ManifestFormat.KIND, 2, memory, random)) {
      writer.append(first, 0, first.length);
      writer.append(new byte[] {99}, 0, 1);
      writer.write();
    }
    directory.setContent(ManifestFormat.CURRENT, (name + "\n").getBytes(StandardCharsets.US_ASCII));
    CorruptionException refused =
        assertThrows(CorruptionException.class, () -> open(directory).close());
    assertEquals(name, refused.file());
    assertEquals(28 + 28 + first.length, refused.offset());
  }

  private Manifest create(StorageDirectory where) throws IOException {
    return Manifest.create(where, KeyComparator.BYTEWISE, memory, random);
  }

  private Manifest create(StorageDirectory where, long editsBytesMax) throws IOException {
    return Manifest.create(where, KeyComparator.BYTEWISE, memory, random, editsBytesMax);
  }

  private Manifest open(StorageDirectory where) throws IOException {
    return Manifest.open(where, KeyComparator.BYTEWISE, memory, random);
  }

  private static void append(Manifest manifest, VersionEdit edit) throws IOException {
    manifest.append(edit, manifest.shape().apply(edit));
  }

  private static VersionEdit adding(long number) {
    return new VersionEdit().add(0, table(number));
  }

  private static TableMeta table(long number) {
    return new TableMeta(
        number, 100, 100, new byte[] {1}, new byte[] {9}, number, number, 1, 0, number);
  }

  private static String manifestName(CrashableStorageDirectory directory) {
    return directory.list().stream().filter(ManifestFormat::isManifest).findFirst().orElseThrow();
  }

  private Map<String, String> contents() throws IOException {
    Map<String, String> contents = new HashMap<>();
    for (String name : directory.list()) {
      contents.put(name, HexFormat.of().formatHex(directory.content(name)));
    }
    return contents;
  }
}
