package dev.varve.server.lua.syntax;

/**
 * What a chunk is called in messages: {@code @name} and {@code =name} by their name, any other is
 * the text of the chunk itself.
 *
 * <p>Pure functions, any thread.
 */
public final class ChunkName {
  private static final int BYTES_MAX = 60;
  private static final int FILE_BYTES_MAX = BYTES_MAX - 8;
  private static final int TEXT_BYTES_MAX = BYTES_MAX - 17;

  private ChunkName() {}

  public static String shown(String name) {
    if (name.startsWith("=")) {
      return name.substring(1, Math.min(name.length(), BYTES_MAX));
    }
    if (name.startsWith("@")) {
      int length = name.length() - 1;
      return length > FILE_BYTES_MAX
          ? "..." + name.substring(name.length() - FILE_BYTES_MAX)
          : name.substring(1);
    }
    int line = 0;
    while (line < name.length() && name.charAt(line) != '\n' && name.charAt(line) != '\r') {
      line++;
    }
    int end = Math.min(line, TEXT_BYTES_MAX);
    return "[string \"" + name.substring(0, end) + (end < name.length() ? "...\"]" : "\"]");
  }
}
