package dev.varve.lsm.version;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.lsm.entry.KeyComparator;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The bytes of the manifest's records: document and code agree. */
class ManifestFormatTest {
  private static final Path DOCUMENT = Path.of("..", "docs", "formats", "manifest.md");
  private static final Pattern ROW = Pattern.compile("([0-9a-f]{4})  ((?:[0-9a-f]{2} )+) .*");

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static final TableMeta SUNK =
      new TableMeta(7, 456, 55, ascii("fruit:apple"), ascii("fruit:watermelon"), 1, 4, 4, 1, 11);
  private static final TableMeta FLUSHED =
      new TableMeta(8, 300, 21, ascii("fruit:kiwi"), ascii("fruit:lime"), 10, 11, 2, 0, 11);

  private static final TreeShape STATE =
      new TreeShape(
          Version.empty(KeyComparator.BYTEWISE).apply(new VersionEdit().add(1, SUNK)),
          8,
          12,
          9,
          3,
          new TreeMap<>(Map.of(7L, 42L)));
  private static final VersionEdit FLUSH =
      new VersionEdit().flushedThrough(11, 4).add(0, FLUSHED).addToCounter(7, 2);
  private static final VersionEdit MOVE = new VersionEdit().delete(0, 8).add(2, FLUSHED);

  /** Each record of the page begins anew at the offset 0. */
  private static List<String> documented() throws IOException {
    List<String> records = new ArrayList<>();
    for (String line : Files.readAllLines(DOCUMENT)) {
      Matcher row = ROW.matcher(line);
      if (row.matches()) {
        int offset = Integer.parseInt(row.group(1), 16);
        String before = offset == 0 ? "" : records.remove(records.size() - 1);
        assertEquals(before.length() / 2, offset, line);
        records.add(before + row.group(2).replace(" ", ""));
      }
    }
    return records;
  }

  @Test
  void writtenBytesAreTheDocumentedOnes() throws IOException {
    List<String> written = new ArrayList<>();
    List<VersionEdit> state = EditCodec.edits(STATE);
    assertEquals(1, state.size());
    for (byte[] record :
        List.of(
            EditCodec.encode(STATE, state.get(0)),
            EditCodec.encode(FLUSH),
            EditCodec.encode(MOVE))) {
      written.add(HexFormat.of().formatHex(record));
    }
    assertEquals(documented(), written);
  }

  @Test
  void theDocumentedBytesAddUpToTheState() throws IOException {
    List<EditCodec.Decoded> read = new ArrayList<>();
    for (String record : documented()) {
      read.add(EditCodec.decode(ByteBuffer.wrap(HexFormat.of().parseHex(record))));
    }
    assertEquals(KeyComparator.BYTEWISE.name(), read.get(0).keyOrder());
    TreeShape shape =
        EditCodec.shape(read.get(0), KeyComparator.BYTEWISE)
            .apply(read.get(1).edit())
            .apply(read.get(2).edit());
    assertEquals(List.of(SUNK), shape.version().level(1));
    assertEquals(List.of(FLUSHED), shape.version().level(2));
    assertEquals(9, shape.nextTableNumber());
    assertEquals(12, shape.nextSequence());
    assertEquals(11, shape.flushedThroughSequence());
    assertEquals(4, shape.oldestLogSegment());
    assertEquals(Map.of(7L, 44L), shape.counters());
  }

  @Test
  void filesHaveTheSameNamesInEveryLanguage() {
    Locale before = Locale.getDefault();
    try {
      // Java writes numbers with other digits there.
      Locale.setDefault(new Locale("ar", "EG"));
      assertEquals("MANIFEST-000001", ManifestFormat.fileName(1));
      assertEquals("000000000012.sst", TableMeta.fileName(12));
    } finally {
      Locale.setDefault(before);
    }
  }
}
