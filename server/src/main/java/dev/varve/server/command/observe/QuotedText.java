package dev.varve.server.command.observe;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Bytes as Redis shows them to people: in quotes, with escapes for what cannot be printed. */
final class QuotedText {
  private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  private QuotedText() {}

  static void put(ByteArrayOutputStream line, byte[] text) {
    line.write('"');
    int plainFrom = 0;
    for (int i = 0; i < text.length; i++) {
      if (!isPlain(text[i])) {
        line.write(text, plainFrom, i - plainFrom);
        plainFrom = i + 1;
        line.write('\\');
        putEscaped(line, text[i]);
      }
    }
    line.write(text, plainFrom, text.length - plainFrom);
    line.write('"');
  }

  private static boolean isPlain(byte each) {
    return each >= ' ' && each <= '~' && each != '"' && each != '\\';
  }

  private static void putEscaped(ByteArrayOutputStream line, byte each) {
    switch (each) {
      case '\\', '"' -> line.write(each);
      case '\n' -> line.write('n');
      case '\r' -> line.write('r');
      case '\t' -> line.write('t');
      case 7 -> line.write('a');
      case '\b' -> line.write('b');
      default -> {
        line.write('x');
        line.write(HEX[each >> 4 & 0xF]);
        line.write(HEX[each & 0xF]);
      }
    }
  }
}
