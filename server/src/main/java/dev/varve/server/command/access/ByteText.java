package dev.varve.server.command.access;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

/** Strings of which each char is a byte, so that any bytes are a name or a pattern. Pure. */
public final class ByteText {
  private ByteText() {}

  public static String of(byte[] bytes) {
    return new String(bytes, ISO_8859_1);
  }

  public static byte[] bytes(String text) {
    return text.getBytes(ISO_8859_1);
  }

  /** Whether Redis would end a word in it, or the word itself. */
  static boolean hasSpaces(String text) {
    return text.chars().anyMatch(each -> each == 0 || isSpace(each));
  }

  private static boolean isSpace(int each) {
    return each == ' ' || (each >= '\t' && each <= '\r');
  }
}
