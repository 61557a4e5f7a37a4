package dev.varve.lsm.table;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.lsm.entry.EntryCursor;
import dev.varve.lsm.entry.KeyComparator;
import dev.varve.lsm.entry.ReadFailure;
import dev.varve.lsm.table.ModelTable.Place;
import dev.varve.lsm.version.TableMeta;
import dev.varve.wal.CorruptionException;
import dev.varve.wal.CrashableStorageDirectory;
import dev.varve.wal.FailingStorageDirectory;
import dev.varve.wal.FormatTooNewException;
import dev.varve.wal.OffHeap;
import dev.varve.wal.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Files that are not what was written. */
class TableDamageTest {
  private static final int NUMBER = 3;
  private static final ReadContext MAY_BLOCK = ReadContext.MAY_BLOCK;

  private final OffHeap offHeap = new OffHeap();
  private final CrashableStorageDirectory directory = new CrashableStorageDirectory();
  private final BlockCache cache = new BlockCache(offHeap, 1 << 20);
  private final List<CorruptionException> heard = new ArrayList<>();

  private ModelTable model(int count) {
    return ModelTable.random(new Random(5), count, 30);
  }

  private TableReader open() throws IOException {
    return TableReader.open(directory, NUMBER, KeyComparator.BYTEWISE, cache, heard::add);
  }

  private byte[] fileBytes() throws IOException {
    try (StorageFile file = directory.openReadOnly(TableMeta.fileName(NUMBER))) {
      byte[] bytes = new byte[(int) file.length()];
      file.readFully(ByteBuffer.wrap(bytes), 0);
      return bytes;
    }
  }

  private void overwrite(long offset, byte[] bytes) throws IOException {
    try (StorageFile file = directory.open(TableMeta.fileName(NUMBER))) {
      file.writeFully(ByteBuffer.wrap(bytes), offset);
    }
  }

  @Test
  void noFlippedBitGivesAWrongAnswer() throws IOException {
    for (boolean compress : new boolean[] {false, true}) {
      ModelTable model = model(60);
      directory.delete(TableMeta.fileName(NUMBER));
      model.write(
          directory,
          NUMBER,
          TableOptions.DEFAULT.withBlockBytes(400).withCompress(compress),
          offHeap);
      byte[] sound = fileBytes();
      Random random = new Random(1);
      int detected = 0;
      for (int at = 0; at < sound.length; at++) {
        byte[] flipped = {(byte) (sound[at] ^ 1 << random.nextInt(8))};
        overwrite(at, flipped);
        detected += readAll(model) ? 0 : 1;
        overwrite(at, new byte[] {sound[at]});
      }
      assertEquals(sound.length, detected);
      assertTrue(readAll(model));
    }
    cache.close();
    assertEquals(0, offHeap.heldBytes());
  }

  /** Reads everything in all ways; false if damage was reported. Fails on a wrong answer. */
  private boolean readAll(ModelTable model) throws IOException {
    TableReader table;
    heard.clear();
    try {
      table = open();
    } catch (CorruptionException e) {
      assertEquals(TableMeta.fileName(NUMBER), e.file());
      return false;
    }
    boolean sound = true;
    for (Place place : model.entries.keySet()) {
      try {
        byte[] got = ModelTable.get(table, place, MAY_BLOCK);
        assertArrayEquals(model.get(place.key(), place.sequence()), got);
      } catch (ReadFailure e) {
        assertInstanceOf(CorruptionException.class, e.getCause());
        sound = false;
      }
    }
    try (EntryCursor cursor = table.cursor(ReadContext.MAY_BLOCK_UNCACHED)) {
      List<Place> seen = new ArrayList<>();
      for (boolean on = cursor.seekToFirst(); on; on = cursor.next()) {
        seen.add(model.placeOf(cursor));
      }
      assertEquals(new ArrayList<>(model.entries.keySet()), seen);
    } catch (ReadFailure e) {
      sound = false;
    }
    assertEquals(sound, heard.isEmpty());
    table.release();
    return sound;
  }

  @Test
  void anyTruncationIsDamage() throws IOException {
    model(60).write(directory, NUMBER, TableOptions.DEFAULT, offHeap);
    int length = fileBytes().length;
    for (int kept = length - 1; kept >= 0; kept -= 7) {
      try (StorageFile file = directory.open(TableMeta.fileName(NUMBER))) {
        file.truncate(kept);
      }
      assertThrows(CorruptionException.class, this::open);
    }
    cache.close();
    assertEquals(0, offHeap.heldBytes());
  }

  @Test
  void newerFormatIsNamedAsSuch() throws IOException {
    model(60).write(directory, NUMBER, TableOptions.DEFAULT, offHeap);
    byte[] bytes = fileBytes();
    ByteBuffer footer = ByteBuffer.wrap(bytes, bytes.length - 64, 64).slice();
    footer.putInt(48, 2).putInt(52, TableFormat.checksum(footer, 0, 52));
    overwrite(bytes.length - 64, ByteBuffer.allocate(64).put(footer).array());
    FormatTooNewException e = assertThrows(FormatTooNewException.class, this::open);
    assertTrue(e.toString().contains(TableMeta.fileName(NUMBER)));
  }

  @Test
  void otherKeyOrderIsNamedAsSuch() throws IOException {
    model(60).write(directory, NUMBER, TableOptions.DEFAULT, offHeap);
    IOException e =
        assertThrows(
            IOException.class,
            () ->
                TableReader.open(
                    directory, NUMBER, new NamedOrder("other.1"), cache, CorruptionListener.NONE));
    assertTrue(e.toString().contains("other.1"), e.toString());
    assertTrue(e.toString().contains(KeyComparator.BYTEWISE.name()), e.toString());
    cache.close();
    assertEquals(0, offHeap.heldBytes());
  }

  @Test
  void aTableUnderAnotherNumberIsDamage() throws IOException {
    TableMeta meta = model(60).write(directory, 9, TableOptions.DEFAULT, offHeap);
    directory.rename(meta.fileName(), TableMeta.fileName(NUMBER));
    assertThrows(CorruptionException.class, this::open);
  }

  @Test
  void aFailingDeviceIsAFailureOfThatReadOnly() throws IOException {
    ModelTable model = model(60);
    model.write(directory, NUMBER, TableOptions.DEFAULT, offHeap);
    FailingStorageDirectory failing = new FailingStorageDirectory(directory);
    TableReader table =
        TableReader.open(failing, NUMBER, KeyComparator.BYTEWISE, cache, heard::add);
    Place place = model.entries.firstKey();
    failing.failCall(1, new IOException("device error"));
    ReadFailure e = assertThrows(ReadFailure.class, () -> ModelTable.get(table, place, MAY_BLOCK));
    assertTrue(e.toString().contains("device error"), e.toString());
    assertTrue(heard.isEmpty());
    assertArrayEquals(
        model.get(place.key(), place.sequence()), ModelTable.get(table, place, MAY_BLOCK));
    table.release();
    cache.close();
    assertEquals(0, offHeap.heldBytes());
  }

  @Test
  void aBlockThatLiesWithACorrectChecksumIsStillRefused() throws IOException {
    model(60).write(directory, NUMBER, TableOptions.DEFAULT.withCompress(false), offHeap);
    byte[] bytes = fileBytes();
    TableReader table = open();
    int stored = table.handle(0).storedBytes();
    table.release();
    Random random = new Random(3);
    int refused = 0;
    for (int round = 0; round < 2000; round++) {
      byte[] block = new byte[stored + TableFormat.TRAILER_BYTES];
      System.arraycopy(bytes, 0, block, 0, block.length);
      ByteBuffer forged = ByteBuffer.wrap(block);
      for (int i = random.nextInt(3); i >= 0; i--) {
        int at = stored - 1 - random.nextInt(Math.min(stored, 400));
        block[at] = (byte) random.nextInt(256);
      }
      forged.putInt(stored + 5, TableFormat.checksum(forged, 0, stored + 5));
      overwrite(0, block);
      TableReader lying = open();
      try (EntryCursor cursor = lying.cursor(ReadContext.MAY_BLOCK_UNCACHED)) {
        for (boolean on = cursor.seekToFirst(); on; on = cursor.next()) {
          assertEquals(cursor.valueLength(), cursor.copyValue().length);
        }
        cursor.seek(new byte[] {5}, 0, 1, 3);
      } catch (ReadFailure e) {
        refused++;
      }
      lying.release();
    }
    assertTrue(refused > 100, "refused " + refused);
    cache.close();
    assertEquals(0, offHeap.heldBytes());
  }

  /** Byte order under another name. */
  record NamedOrder(String name) implements KeyComparator {
    @Override
    public int compare(byte[] a, int aOffset, int aLength, byte[] b, int bOffset, int bLength) {
      return BYTEWISE.compare(a, aOffset, aLength, b, bOffset, bLength);
    }
  }
}
