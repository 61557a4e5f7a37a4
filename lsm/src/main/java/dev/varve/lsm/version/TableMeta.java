package dev.varve.lsm.version;

import java.util.Locale;

/**
 * What is known of one SSTable without opening it. Immutable.
 *
 * @param number the table's number, unique in its tree for ever; the file is named after it
 * @param fileBytes length of the file
 * @param rawBytes bytes of all keys and values before compression
 * @param smallestKey the first key, inclusive
 * @param largestKey the last key, inclusive
 * @param smallestSequence the least sequence number of any entry
 * @param largestSequence the greatest
 * @param entries number of entries, tombstones included
 * @param tombstones number of tombstones
 * @param deadThrough the horizon up to which the dead-entry rule was applied when the table was
 *     written: it holds no entry that was dead by then
 */
public record TableMeta(
    long number,
    long fileBytes,
    long rawBytes,
    byte[] smallestKey,
    byte[] largestKey,
    long smallestSequence,
    long largestSequence,
    long entries,
    long tombstones,
    long deadThrough) {

  /** What {@link #deadThrough} is of a table that may hold whatever is dead. */
  public static final long DEAD_RULE_NEVER_APPLIED = 0;

  /** What the names of table files end in. */
  public static final String FILE_SUFFIX = ".sst";

  /** How long its first and its last key are together. */
  public int borderBytes() {
    return smallestKey.length + largestKey.length;
  }

  /** The name of the table's file. */
  public String fileName() {
    return fileName(number);
  }

  /** The name of the file of table {@code number}. */
  public static String fileName(long number) {
    return String.format(Locale.ROOT, "%012d", number) + FILE_SUFFIX;
  }

  /** Tables are the same if their numbers are: a number is never reused. */
  @Override
  public boolean equals(Object other) {
    return other instanceof TableMeta that && that.number == number;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(number);
  }

  @Override
  public String toString() {
    return fileName();
  }
}
