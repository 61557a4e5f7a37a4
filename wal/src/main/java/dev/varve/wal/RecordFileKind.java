package dev.varve.wal;

import java.nio.charset.StandardCharsets;

/**
 * What a record file is for: its magic and the newest format version this release knows. Immutable.
 *
 * @param magic the first eight bytes of the file, ASCII
 * @param version written to new files; files of a higher version are refused
 */
public record RecordFileKind(String magic, int version) {
  static final int MAGIC_BYTES = 8;

  public RecordFileKind {
    if (magic.length() != MAGIC_BYTES || !StandardCharsets.US_ASCII.newEncoder().canEncode(magic)) {
      throw new IllegalArgumentException("a magic has eight ASCII characters: " + magic);
    }
    if (version < 1) {
      throw new IllegalArgumentException("format versions start at 1: " + version);
    }
  }

  long magicBits() {
    long bits = 0;
    for (int i = 0; i < MAGIC_BYTES; i++) {
      bits = bits << 8 | magic.charAt(i);
    }
    return bits;
  }
}
