package dev.varve.lsm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The bytes of a batch: document and code agree. */
class BatchFormatTest {
  private static final Path DOCUMENT = Path.of("..", "docs", "formats", "batch.md");
  private static final Pattern ROW = Pattern.compile("([0-9a-f]{4})  ((?:[0-9a-f]{2} )+) .*");

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static byte[] documented() throws IOException {
    StringBuilder hex = new StringBuilder();
    for (String line : Files.readAllLines(DOCUMENT)) {
      Matcher row = ROW.matcher(line);
      if (row.matches()) {
        assertEquals(hex.length() / 2, Integer.parseInt(row.group(1), 16), line);
        hex.append(row.group(2).replace(" ", ""));
      }
    }
    return HexFormat.of().parseHex(hex);
  }

  @Test
  void writtenBytesAreTheDocumentedOnes() throws IOException {
    WriteBatch batch =
        new WriteBatch()
            .put(ascii("fruit:apple"), ascii("red"))
            .delete(ascii("fruit:fig"))
            .addToCounter(7, -1)
            .reserveSequences(2);
    String written = HexFormat.of().formatHex(batch.encode(4711), 0, batch.encodedBytes());
    assertEquals(HexFormat.of().formatHex(documented()), written);
  }

  @Test
  void theDocumentedBytesAreReadBack() throws IOException {
    byte[] bytes = documented();
    BatchReader batch = new BatchReader();
    batch.resetLogged(bytes, bytes.length, 1, 28);
    assertEquals(4711, batch.sequence());
    assertEquals(2, batch.reservedSequences());
    assertEquals(2, batch.entries());
    batch.nextEntry();
    assertEquals(11, batch.keyLength());
    assertEquals(3, batch.valueLength());
    batch.nextEntry();
    assertTrue(batch.isTombstone());
    assertEquals(9, batch.keyLength());
    assertEquals(7, batch.counter(0));
    assertEquals(-1, batch.counterDelta(0));
  }
}
