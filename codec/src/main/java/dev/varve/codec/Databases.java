package dev.varve.codec;

import dev.varve.codec.format.DamagedValueException;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.format.OrderedNumbers;
import dev.varve.codec.store.StoreBatch;
import dev.varve.codec.store.StoreCursor;
import dev.varve.codec.store.StoreView;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Which id each database number has: FLUSHDB gives a number a fresh id, SWAPDB swaps two.
 *
 * <p>Immutable, for any thread. A reader needs the instance that fits its view: whoever publishes a
 * batch that changes the mapping withdraws the old instance before, and shows the new one after; a
 * reader that finds the same instance before and after opening its view has the right one.
 */
public final class Databases {
  /*
   * Stored as 'd' number → id:4 and 'd' 0xFFFFFFFF → next id:4. What is not stored is as it was at
   * the beginning: number n has the id n, and the next id is ID_FIRST_FRESH.
   */

  /** How many numbers there can be; the ids below it belong to their numbers at the beginning. */
  public static final int COUNT_MAX = 1 << 16;

  private static final int ID_FIRST_FRESH = COUNT_MAX;

  private final int count;
  private final int[] ids;
  private final int nextId;

  private Databases(int count, int[] ids, int nextId) {
    this.count = count;
    this.ids = ids;
    this.nextId = nextId;
  }

  /**
   * The mapping in {@code view}. Numbers from {@code count} on that were used when there were more
   * keep their ids.
   *
   * @param count how many database numbers there are, 1 to {@link #COUNT_MAX}
   */
  public static Databases load(StoreView view, int count) {
    if (count < 1 || count > COUNT_MAX) {
      throw new IllegalArgumentException("databases: 1 to " + COUNT_MAX + ", not " + count);
    }
    int[] ids = IntStream.range(0, count).toArray();
    int nextId = ID_FIRST_FRESH;
    try (StoreCursor cursor = view.cursor(KeyFormat.endOf(KeyFormat.DATABASE))) {
      boolean found = cursor.seek(KeyFormat.database(0));
      for (; found && cursor.key()[0] == KeyFormat.DATABASE; found = cursor.next()) {
        int id = readId(cursor.value());
        if (Arrays.equals(cursor.key(), KeyFormat.nextDatabaseId())) {
          nextId = id;
          continue;
        }
        int number = KeyFormat.databaseId(cursor.key());
        if (number < 0 || number >= COUNT_MAX) {
          throw new DamagedValueException("a database number of " + Integer.toUnsignedLong(number));
        }
        int known = ids.length;
        if (number >= known) {
          ids = Arrays.copyOf(ids, number + 1);
          for (int more = known; more <= number; more++) {
            ids[more] = more;
          }
        }
        ids[number] = id;
      }
    }
    return new Databases(count, ids, nextId);
  }

  private static int readId(byte[] value) {
    if (value.length != Integer.BYTES) {
      throw new DamagedValueException("a database id of " + value.length + " bytes");
    }
    return OrderedNumbers.unsignedInt(value, 0);
  }

  /** How many database numbers there are. */
  public int count() {
    return count;
  }

  /** The id of a database number. */
  public int id(int number) {
    return ids[number];
  }

  /** The number of a database id, or -1 if none has it. */
  public int number(int id) {
    for (int number = 0; number < ids.length; number++) {
      if (ids[number] == id) {
        return number;
      }
    }
    return -1;
  }

  /** Whether {@code id} was given up by a FLUSHDB that this mapping knows of. */
  public boolean isDead(int id) {
    boolean given =
        Integer.compareUnsigned(id, ids.length) < 0
            || (Integer.compareUnsigned(id, ID_FIRST_FRESH) >= 0
                && Integer.compareUnsigned(id, nextId) < 0);
    return given && number(id) < 0;
  }

  /** The mapping after {@code number} got a fresh id. */
  Databases flushed(int number, StoreBatch batch) {
    int[] changed = ids.clone();
    changed[number] = nextId;
    batch.put(KeyFormat.database(number), bytes(nextId));
    batch.put(KeyFormat.nextDatabaseId(), bytes(nextId + 1));
    return new Databases(count, changed, nextId + 1);
  }

  /** The mapping after two numbers swapped their ids. */
  Databases swapped(int number, int other, StoreBatch batch) {
    int[] changed = ids.clone();
    changed[number] = ids[other];
    changed[other] = ids[number];
    batch.put(KeyFormat.database(number), bytes(changed[number]));
    batch.put(KeyFormat.database(other), bytes(changed[other]));
    return new Databases(count, changed, nextId);
  }

  private static byte[] bytes(int id) {
    byte[] value = new byte[Integer.BYTES];
    OrderedNumbers.putUnsignedInt(value, 0, id);
    return value;
  }
}
