package dev.varve.server.command;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Bytes as Redis shows them to people: in quotes, with escapes for what cannot be printed. */
final class QuotedText {
  private QuotedText() {}

  static void put(ByteArrayOutputStream line, byte[] text) {
    line.write('"');
    for (byte each : text) {
      switch (each) {
        case '\\', '"' -> {
          line.write('\\');
          line.write(each);
        }
        case '\n' -> put(line, "\\n");
        case '\r' -> put(line, "\\r");
        case '\t' -> put(line, "\\t");
        case 7 -> put(line, "\\a");
        case '\b' -> put(line, "\\b");
        default -> {
          if (each >= ' ' && each <= '~') {
            line.write(each);
          } else {
            put(line, String.format(Locale.ROOT, "\\x%02x", each & 0xFF));
          }
        }
      }
    }
    line.write('"');
  }

  private static void put(ByteArrayOutputStream line, String text) {
    line.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
  }
}
