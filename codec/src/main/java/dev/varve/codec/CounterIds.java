package dev.varve.codec;

/**
 * The ids of all counters that the data structures keep in the store.
 *
 * <p>Pure functions, for any thread.
 */
public final class CounterIds {
  /*
   * High 32 bits: what is counted. Low 32 bits: the database id, or 0 where it is of all databases.
   */
  private static final long KEYS = 1L << 32;
  private static final long EXPIRES = 2L << 32;
  private static final long GARBAGE = 3L << 32;
  private static final long CLOCK = 4L << 32;
  private static final long MASTER = 5L << 32;

  /** Entries that died with their collections and are not reclaimed yet. */
  public static final long GARBAGE_ENTRIES = GARBAGE;

  /** Bytes of those entries. */
  public static final long GARBAGE_BYTES = GARBAGE + 1;

  /**
   * The latest moment up to which keys were deleted because they had expired, in ms since 1970;
   * zero if none ever was. The time that commands go by does not start before it.
   */
  public static final long CLOCK_MARK = CLOCK;

  /** How many bytes of a master's writes are carried out, see {@link MasterPosition}. */
  static final long MASTER_OFFSET = MASTER;

  /** The number of the database that they go on in. */
  static final long MASTER_DATABASE = MASTER + 1;

  /** The first of three that have the name of its history. */
  static final long MASTER_HISTORY = MASTER + 2;

  /** 1 while there is a part only of a master's data. */
  static final long MASTER_PART = MASTER + 5;

  /** The number that the write behind it would have, or zero if others may come behind it. */
  static final long MASTER_LAST = MASTER + 6;

  private CounterIds() {}

  /** Keys of a database, those included that expired and were not swept yet. */
  public static long keys(int databaseId) {
    return KEYS | Integer.toUnsignedLong(databaseId);
  }

  /** Keys of a database that have an expiry. */
  public static long expires(int databaseId) {
    return EXPIRES | Integer.toUnsignedLong(databaseId);
  }
}
