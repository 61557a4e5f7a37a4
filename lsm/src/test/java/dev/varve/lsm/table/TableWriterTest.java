package dev.varve.lsm.table;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.lsm.entry.EntryCursor;
import dev.varve.lsm.entry.KeyComparator;
import dev.varve.lsm.version.TableMeta;
import dev.varve.wal.CrashableStorageDirectory;
import dev.varve.wal.FailingStorageDirectory;
import dev.varve.wal.OffHeap;
import dev.varve.wal.OffHeapRegion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TableWriterTest {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
  private static final int LONG_KEY_BYTES = 64 << 10;
  private static final int LONG_KEYS = 500;

  private final OffHeap offHeap = new OffHeap();
  private final FailingStorageDirectory directory =
      new FailingStorageDirectory(new CrashableStorageDirectory());

  private TableWriter writer(KeyComparator order) throws IOException {
    return new TableWriter(directory, 1, TableOptions.DEFAULT, order, offHeap);
  }

  private static void add(TableWriter writer, String key, long sequence) throws IOException {
    byte[] bytes = key.getBytes(StandardCharsets.ISO_8859_1);
    writer.add(bytes, 0, bytes.length, sequence, false, NOTHING, 0, 0);
  }

  @Test
  void entriesOutOfOrderAreRefusedAndChangeNothing() throws IOException {
    TableWriter writer = writer(KeyComparator.BYTEWISE);
    add(writer, "b", 5);
    assertThrows(IllegalArgumentException.class, () -> add(writer, "a", 9));
    assertThrows(IllegalArgumentException.class, () -> add(writer, "", 9));
    assertThrows(IllegalArgumentException.class, () -> add(writer, "b", 5));
    assertThrows(IllegalArgumentException.class, () -> add(writer, "b", 6));
    assertThrows(IllegalArgumentException.class, () -> add(writer, "c", -1));
    assertThrows(
        IllegalArgumentException.class, () -> add(writer, "c", EntryCursor.SEQUENCE_MAX + 1));
    add(writer, "b", 4);
    add(writer, "b\0", 4);
    add(writer, "\u00ff", EntryCursor.SEQUENCE_MAX);
    assertEquals(4, writer.finish(0).entries());
  }

  @Test
  void anOrderThatIsNotThatOfBytesIsRefused() throws IOException {
    KeyComparator backwards =
        new KeyComparator() {
          @Override
          public String name() {
            return "backwards";
          }

          @Override
          public int compare(byte[] a, int aAt, int aLength, byte[] b, int bAt, int bLength) {
            return BYTEWISE.compare(b, bAt, bLength, a, aAt, aLength);
          }
        };
    TableWriter writer = writer(backwards);
    add(writer, "b", 5);
    assertThrows(IllegalArgumentException.class, () -> add(writer, "a", 1));
    assertThrows(IllegalArgumentException.class, () -> add(writer, "c", 1));
    writer.abandon();
  }

  @Test
  void anAbandonedTableHoldsNothing() throws IOException {
    TableWriter writer = writer(KeyComparator.BYTEWISE);
    add(writer, "a", 1);
    writer.abandon();
    writer.abandon();
    assertEquals(List.of(), directory.openFiles());
    assertEquals(0, offHeap.heldBytes());
    assertThrows(IllegalStateException.class, () -> add(writer, "b", 1));
  }

  @Test
  void anEmptyTableCannotBeFinished() throws IOException {
    TableWriter writer = writer(KeyComparator.BYTEWISE);
    assertThrows(IllegalStateException.class, () -> writer.finish(0));
    writer.abandon();
    assertEquals(0, offHeap.heldBytes());
  }

  @Test
  void whateverCallOfTheDeviceFailsTheTableCanBeAbandoned() throws IOException {
    ModelTable model = ModelTable.random(new Random(4), 200, 20);
    for (int call = 1; ; call++) {
      directory.failCall(call, new IOException("device error"));
      try {
        model.write(directory, 1, TableOptions.DEFAULT, offHeap);
        directory.heal();
        assertTrue(call > 2, "calls " + call);
        break;
      } catch (IOException e) {
        directory.heal();
        assertEquals("device error", e.getMessage());
        assertEquals(0, offHeap.heldBytes());
        directory.delete(TableMeta.fileName(1));
      }
    }
    assertEquals(0, offHeap.heldBytes());
  }

  @Test
  void estimateOfTheFileIsNearItsLength() throws IOException {
    for (boolean compress : new boolean[] {true, false}) {
      directory.delete(TableMeta.fileName(1));
      TableWriter writer =
          new TableWriter(
              directory,
              1,
              TableOptions.DEFAULT.withCompress(compress),
              KeyComparator.BYTEWISE,
              offHeap);
      Random random = new Random(6);
      byte[] value = new byte[100];
      for (int i = 0; i < 20_000; i++) {
        byte[] key = String.format("user%012d", i).getBytes(StandardCharsets.US_ASCII);
        random.nextBytes(value);
        Arrays.fill(value, 50, 100, (byte) 0);
        writer.add(key, 0, key.length, 1, false, ByteBuffer.wrap(value), 0, value.length);
      }
      long estimate = writer.fileBytesEstimate();
      long actual = writer.finish(0).fileBytes();
      assertTrue(Math.abs(estimate - actual) < actual / 20, estimate + " for " + actual);
    }
  }

  private static byte[] longKey(char first, int number) {
    byte[] key = new byte[LONG_KEY_BYTES];
    Arrays.fill(key, (byte) first);
    byte[] end = String.format("%08d", number).getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(end, 0, key, LONG_KEY_BYTES - end.length, end.length);
    return key;
  }

  private static void addLongKeys(TableWriter writer, char first, int count) throws IOException {
    for (int i = 0; i < count; i++) {
      byte[] key = longKey(first, i);
      writer.add(key, 0, key.length, 1, false, NOTHING, 0, 0);
    }
  }

  @Test
  void longKeysThatStartAlikeTakeInMemoryWhatTheyDifferIn() throws IOException {
    long[] mostHeld = {0};
    OffHeap watched =
        new OffHeap() {
          @Override
          public OffHeapRegion allocate(Part part, int bytes) {
            OffHeapRegion region = super.allocate(part, bytes);
            mostHeld[0] = Math.max(mostHeld[0], heldBytes());
            return region;
          }
        };
    TableWriter writer =
        new TableWriter(directory, 1, TableOptions.DEFAULT, KeyComparator.BYTEWISE, watched);
    addLongKeys(writer, 'a', LONG_KEYS);
    assertEquals(LONG_KEYS, writer.finish(0).entries());
    assertTrue(mostHeld[0] < 4 << 20, mostHeld[0] + " bytes");

    BlockCache cache = new BlockCache(offHeap, 1 << 20);
    TableReader table =
        TableReader.open(directory, 1, KeyComparator.BYTEWISE, cache, CorruptionListener.NONE);
    long indexBytes = offHeap.heldBytes(OffHeap.Part.INDEX_AND_FILTER);
    assertTrue(indexBytes < 1 << 20, indexBytes + " bytes");
    for (int i = 0; i < LONG_KEYS; i++) {
      ModelTable.Place place = new ModelTable.Place(longKey('a', i), 1);
      assertArrayEquals(
          new byte[0], ModelTable.get(table, place, ReadContext.MAY_BLOCK), "key " + i);
    }
    table.release();
    cache.close();
    assertEquals(0, offHeap.heldBytes());
  }

  @Test
  void aKeyThatStartsOtherwiseIsKnownToMakeTheIndexOfLongKeysLong() throws IOException {
    TableWriter writer = writer(KeyComparator.BYTEWISE);
    addLongKeys(writer, 'a', 20);
    byte[] alike = longKey('a', 20);
    byte[] other = longKey('b', 0);
    assertFalse(writer.isIndexLongerWith(alike, alike.length, 2 * LONG_KEY_BYTES));
    assertTrue(writer.isIndexLongerWith(other, other.length, 18 * LONG_KEY_BYTES));
    assertFalse(writer.isIndexLongerWith(other, other.length, 21 * LONG_KEY_BYTES));
    addLongKeys(writer, 'b', 1);
    // That key may be in a block which is not in the index yet.
    byte[] behind = longKey('b', 1);
    assertTrue(writer.isIndexLongerWith(behind, behind.length, 18 * LONG_KEY_BYTES));
    writer.finish(0);

    BlockCache cache = new BlockCache(offHeap, 1 << 20);
    TableReader table =
        TableReader.open(directory, 1, KeyComparator.BYTEWISE, cache, CorruptionListener.NONE);
    assertTrue(table.index().bytes() > 18 * LONG_KEY_BYTES, table.index().bytes() + " bytes");
    table.release();
    cache.close();
  }

  @Test
  void separatorsAreShortAndBetween() {
    assertEquals("b", separator("abc", "bcd"));
    assertEquals("abd", separator("abcc", "abdd"));
    assertEquals("ab", separator("ab", "abc"));
    assertEquals("abcd", separator("abcd", "abd"));
    assertEquals("abd", separator("abcd", "abe"));
    assertEquals("abcd", separator("abcd", "abcd"));
    assertEquals("", separator("", "a"));
    Random random = new Random(7);
    KeyShapes shapes = new KeyShapes(random);
    for (int i = 0; i < 20_000; i++) {
      byte[] last = shapes.next();
      byte[] next = shapes.next();
      if (Arrays.compareUnsigned(last, next) < 0) {
        byte[] between = TableWriter.separator(last, last.length, next, 0, next.length);
        assertTrue(Arrays.compareUnsigned(last, between) <= 0);
        assertTrue(Arrays.compareUnsigned(between, next) < 0);
        assertTrue(between.length <= last.length);
      }
    }
  }

  private static String separator(String last, String next) {
    byte[] a = last.getBytes(StandardCharsets.US_ASCII);
    byte[] b = next.getBytes(StandardCharsets.US_ASCII);
    return new String(
        TableWriter.separator(a, a.length, b, 0, b.length), StandardCharsets.US_ASCII);
  }
}
