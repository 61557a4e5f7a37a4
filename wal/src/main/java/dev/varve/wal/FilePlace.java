package dev.varve.wal;

/**
 * How the operating system finds a file, for who reads it by a way of his own.
 *
 * @param path absolute
 * @param isDirect whether it is to be read past the page cache (open(2), {@code O_DIRECT})
 */
public record FilePlace(String path, boolean isDirect) {
  /** Where pieces that are read begin and end, in the file and in memory, in bytes. */
  public static final int ALIGNMENT = 4 << 10;
}
