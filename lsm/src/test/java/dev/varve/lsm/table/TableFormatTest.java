package dev.varve.lsm.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.varve.lsm.entry.EntryCursor;
import dev.varve.lsm.entry.KeyComparator;
import dev.varve.lsm.version.TableMeta;
import dev.varve.wal.CrashableStorageDirectory;
import dev.varve.wal.OffHeap;
import dev.varve.wal.StorageFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Objects;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The bytes on disk: document and code agree, and files of released formats stay readable. */
class TableFormatTest {
  private static final Path DOCUMENT = Path.of("..", "docs", "formats", "table.md");
  private static final Pattern ROW = Pattern.compile("[0-9a-f]{4}  ((?:[0-9a-f]{2} ?)+) .*");
  private static final int NUMBER = 7;

  private final OffHeap offHeap = new OffHeap();
  private final CrashableStorageDirectory directory = new CrashableStorageDirectory();

  private static ModelTable example() {
    ModelTable model = new ModelTable();
    model.put(ascii("fruit:apple"), 3, ascii("red"));
    model.put(ascii("fruit:apple"), 1, ascii("green"));
    model.put(ascii("fruit:fig"), 2, null);
    model.put(ascii("fruit:watermelon"), 4, new byte[0]);
    return model;
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static byte[] documentedFile() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (String line : Files.readAllLines(DOCUMENT)) {
      var row = ROW.matcher(line + " ");
      if (row.matches()) {
        assertEquals(bytes.size(), Integer.parseInt(line.substring(0, 4), 16), line);
        bytes.writeBytes(HexFormat.ofDelimiter(" ").parseHex(row.group(1).trim()));
      }
    }
    return bytes.toByteArray();
  }

  @Test
  void writtenBytesAreTheDocumentedOnes() throws IOException {
    ModelTable model = example();
    TableWriter writer =
        new TableWriter(
            directory,
            NUMBER,
            TableOptions.DEFAULT.withCompress(false),
            KeyComparator.BYTEWISE,
            offHeap);
    for (var entry : model.entries.entrySet()) {
      byte[] key = entry.getKey().key();
      byte[] value = Objects.requireNonNullElse(entry.getValue(), new byte[0]);
      writer.add(
          key,
          0,
          key.length,
          entry.getKey().sequence(),
          entry.getValue() == null,
          ByteBuffer.wrap(value),
          0,
          value.length);
    }
    TableMeta meta = writer.finish(2);
    byte[] written = new byte[(int) meta.fileBytes()];
    try (StorageFile file = directory.openReadOnly(meta.fileName())) {
      file.readFully(ByteBuffer.wrap(written), 0);
    }
    HexFormat hex = HexFormat.of();
    assertEquals(hex.formatHex(documentedFile()), hex.formatHex(written));
  }

  @Test
  void documentedBytesAreReadable() throws IOException {
    checkReadable(documentedFile());
  }

  @Test
  void fixtureOfVersionOneIsReadable() throws IOException {
    try (InputStream fixture = getClass().getResourceAsStream("/fixtures/table-1.sst")) {
      checkReadable(Objects.requireNonNull(fixture).readAllBytes());
    }
  }

  private void checkReadable(byte[] bytes) throws IOException {
    try (StorageFile file = directory.create(TableMeta.fileName(NUMBER))) {
      file.writeFully(ByteBuffer.wrap(bytes), 0);
    }
    ModelTable model = example();
    try (BlockCache cache = new BlockCache(offHeap, 1 << 20)) {
      TableReader table =
          TableReader.open(
              directory, NUMBER, KeyComparator.BYTEWISE, cache, CorruptionListener.NONE);
      assertEquals(4, table.meta().entries());
      assertEquals(2, table.meta().deadThrough());
      try (EntryCursor cursor = table.cursor(ReadContext.MAY_BLOCK)) {
        boolean on = cursor.seekToFirst();
        for (ModelTable.Place place : model.entries.keySet()) {
          assertEquals(place, model.placeOf(cursor));
          on = cursor.next();
        }
        assertFalse(on);
      }
      table.release();
    }
    assertEquals(0, offHeap.heldBytes());
  }
}
