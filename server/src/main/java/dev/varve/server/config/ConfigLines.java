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
   * The words of a line, in UTF-8: none of a comment or a blank one, null where quotes do not
   * match.
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
        : Arrays.stream(words).map(word -> new String(word, StandardCharsets.UTF_8)).toList();
  }
}
