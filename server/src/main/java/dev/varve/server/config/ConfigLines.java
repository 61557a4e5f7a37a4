package dev.varve.server.config;

import dev.varve.server.resp.InlineRequest;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The lines of a configuration file, each a character for a byte: what is in comments need not be
 * UTF-8, and is written again as it was.
 *
 * <p>Pure functions, but for reading a file.
 */
final class ConfigLines {
  static final Charset BYTES = StandardCharsets.ISO_8859_1;

  private ConfigLines() {}

  static List<String> read(Path file) throws IOException {
    return Files.readAllLines(file, BYTES);
  }

  /**
   * The words of a line, each a character for a byte: none of a comment or a blank one, null where
   * quotes do not match.
   */
  static @Nullable List<String> words(String line) {
    String trimmed = line.trim();
    if (trimmed.isEmpty() || trimmed.startsWith("#")) {
      return List.of();
    }
    byte[] bytes = trimmed.getBytes(BYTES);
    byte @Nullable [][] words = InlineRequest.split(bytes, 0, bytes.length);
    return words == null
        ? null
        : Arrays.stream(words).map(word -> new String(word, BYTES)).toList();
  }

  /** What such a word is in UTF-8. */
  static String text(String word) {
    return new String(word.getBytes(BYTES), StandardCharsets.UTF_8);
  }

  /** Such a word of what is a text. */
  static String word(String text) {
    return new String(text.getBytes(StandardCharsets.UTF_8), BYTES);
  }
}
