package dev.varve.lsm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.lsm.entry.KeyComparator;
import dev.varve.wal.CorruptionException;
import dev.varve.wal.CrashableStorageDirectory;
import dev.varve.wal.Log;
import dev.varve.wal.LogReader;
import dev.varve.wal.LogReplay;
import dev.varve.wal.OffHeap;
import dev.varve.wal.SyncedPoint;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Records of the log whose checksums are right, and which are no batches all the same. */
class MalformedBatchTest {
  private static final String SEGMENT = "0000000000000002.log";

  /** A segment's header, the header of its first record, and an empty batch. */
  private static final int SECOND_RECORD = 28 + 28 + BatchFormat.HEADER_BYTES;

  private final OffHeap memory = new OffHeap();

  private static byte[] batch() {
    WriteBatch batch = new WriteBatch();
    batch.put(new byte[300], new byte[200]).delete(new byte[2]).addToCounter(7, 1);
    byte[] bytes = batch.encode(2);
    return Arrays.copyOf(bytes, batch.encodedBytes());
  }

  private static byte[] with(int at, int value) {
    byte[] bytes = batch();
    ByteBuffer.wrap(bytes).putInt(at, value);
    return bytes;
  }

  /** A tree whose log goes on with a record of these bytes. */
  private CrashableStorageDirectory logged(byte[] payload) throws IOException {
    CrashableStorageDirectory directory = new CrashableStorageDirectory();
    open(directory).close();
    LogReplay before =
        LogReader.replay(directory, memory, 1, SyncedPoint.NONE, (segment, offset, record) -> {});
    try (Log log =
        Log.create(
            directory,
            memory,
            new Random(1),
            before.nextSegmentNumber(),
            before.endPosition(),
            0)) {
      log.append(new WriteBatch().encode(1), 0, BatchFormat.HEADER_BYTES);
      log.append(payload, 0, payload.length);
    }
    return directory;
  }

  private LsmTree open(CrashableStorageDirectory directory) throws IOException {
    return LsmTree.open(directory, TreeOptions.builder().offHeap(memory).build());
  }

  private void assertRefused(byte[] payload, String which) throws IOException {
    CrashableStorageDirectory directory = logged(payload);
    assertNamed(assertThrows(CorruptionException.class, () -> open(directory), which), which);
    assertNamed(
        (CorruptionException)
            TreeCheck.run(directory, KeyComparator.BYTEWISE, memory, line -> {}).get(0),
        which);
    assertEquals(0, memory.heldBytes());
  }

  private static void assertNamed(CorruptionException refused, String which) {
    assertEquals(SEGMENT, refused.file(), which);
    assertEquals(SECOND_RECORD, refused.offset(), which);
  }

  @Test
  void aBatchIsReplayed() throws IOException {
    try (LsmTree tree = open(logged(batch()))) {
      assertEquals(1, tree.counter(7));
      assertEquals(3, tree.nextSequence());
    }
  }

  @Test
  void aBatchThatEndsTooEarlyOrTooLateIsNamedWithItsPlace() throws IOException {
    byte[] whole = batch();
    for (int length = 1; length < whole.length; length++) {
      assertRefused(Arrays.copyOf(whole, length), "length " + length);
    }
    assertRefused(Arrays.copyOf(whole, whole.length + 1), "one byte more");
  }

  @Test
  void whatTheHeaderSaysIsNotBelieved() throws IOException {
    for (int at : new int[] {BatchFormat.ENTRIES_AT, BatchFormat.COUNTERS_AT}) {
      for (int value : new int[] {0, 3, 100, Integer.MAX_VALUE, -1, Integer.MIN_VALUE}) {
        assertRefused(with(at, value), value + " at " + at);
      }
    }
    for (int value : new int[] {0, -1, Integer.MIN_VALUE}) {
      assertRefused(with(BatchFormat.RESERVED_AT, value), value + " reserved");
    }
    for (int high : new int[] {-1, 1 << 24, Integer.MAX_VALUE}) {
      assertRefused(with(BatchFormat.SEQUENCE_AT, high), "sequence " + high);
    }
    byte[] nameless = batch();
    ByteBuffer.wrap(nameless).putLong(BatchFormat.SEQUENCE_AT, 0);
    assertRefused(nameless, "no sequence number");
  }

  @Test
  void anEntryOfAnotherKindOrOfAnImpossibleLengthIsNamedWithItsPlace() throws IOException {
    byte[] kind = batch();
    kind[BatchFormat.HEADER_BYTES] = 2;
    assertRefused(kind, "kind");
    for (int last : new int[] {0x08, 0x7f, 0x80, 0xff}) {
      byte[] length = batch();
      Arrays.fill(length, BatchFormat.HEADER_BYTES + 1, BatchFormat.HEADER_BYTES + 5, (byte) 0x80);
      length[BatchFormat.HEADER_BYTES + 5] = (byte) last;
      assertRefused(length, "length that ends in " + last);
    }
  }
}
