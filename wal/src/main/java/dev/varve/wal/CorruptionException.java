package dev.varve.wal;

import java.io.IOException;

/**
 * Bytes on disk are not what was written: says in which file, at which offset, and what is wrong.
 */
public final class CorruptionException extends IOException {
  private static final long serialVersionUID = 1L;

  private final String file;
  private final long offset;

  public CorruptionException(String file, long offset, String what) {
    super("corrupt file " + file + " at offset " + offset + ": " + what);
    this.file = file;
    this.offset = offset;
  }

  /** The name of the damaged file. */
  public String file() {
    return file;
  }

  /** Where in the file, in bytes, the damage was met. */
  public long offset() {
    return offset;
  }
}
