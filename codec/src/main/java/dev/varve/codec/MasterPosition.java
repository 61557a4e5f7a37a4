package dev.varve.codec;

import dev.varve.codec.store.Store;
import dev.varve.codec.store.StoreBatch;
import java.util.HexFormat;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Which writes the data here is the outcome of: those of a history that servers share which follow
 * one another, up to an offset.
 *
 * <p>It is stored in counters. Those of a server that follows another one move in the same batch as
 * what those writes change, so that after a crash the one is as far as the other. Any other server
 * that somebody follows stores it behind all that it has written, whenever that is committed: it
 * holds as long as nothing was written behind it.
 *
 * <p>Immutable, any thread.
 *
 * @param history names the writes that {@code offset} is among: forty hexadecimal digits
 * @param offset bytes of them
 * @param database the number of the one that they go on in
 */
public record MasterPosition(String history, long offset, int database) {
  private static final int HISTORY_BYTES = 20;
  private static final int HISTORY_COUNTERS = 3;
  private static final String NONE = "0".repeat(2 * HISTORY_BYTES);

  /** The one that is stored and holds, or null for none. */
  public static @Nullable MasterPosition stored(Store store) {
    long last = store.counter(CounterIds.MASTER_LAST);
    if (last != 0 && last != store.nextSequence()) {
      return null;
    }
    StringBuilder history = new StringBuilder();
    for (int i = 0; i < HISTORY_COUNTERS; i++) {
      history.append(HexFormat.of().toHexDigits(store.counter(CounterIds.MASTER_HISTORY + i)));
    }
    history.setLength(2 * HISTORY_BYTES);
    return history.toString().equals(NONE)
        ? null
        : new MasterPosition(
            history.toString(),
            store.counter(CounterIds.MASTER_OFFSET),
            (int) store.counter(CounterIds.MASTER_DATABASE));
  }

  /**
   * Stores it with what is in {@code batch}: whatever is written later, until another one is
   * stored, is none of the history. A history that has another kind of name is not stored.
   *
   * @param store which does not have the batch yet
   */
  public void store(StoreBatch batch, Store store) {
    store(batch, store, 0);
  }

  /** The same, to hold as long as nothing is written behind {@code batch}. */
  public void storeLast(StoreBatch batch, Store store) {
    store(batch, store, behind(batch, store));
  }

  /** The same where one of the same history is stored so. */
  public void moveLast(StoreBatch batch, Store store) {
    move(batch, store, offset, database, behind(batch, store));
  }

  private static void move(StoreBatch batch, Store store, long offset, int database, long last) {
    set(batch, store, CounterIds.MASTER_OFFSET, offset);
    set(batch, store, CounterIds.MASTER_DATABASE, database);
    set(batch, store, CounterIds.MASTER_LAST, last);
  }

  private static long behind(StoreBatch batch, Store store) {
    return store.nextSequence() + Math.max(1, batch.sequencesReserved());
  }

  private void store(StoreBatch batch, Store store, long last) {
    if (isStorable(history)) {
      store(batch, store, history, offset, database, 0, last);
    } else {
      clear(batch, store);
    }
  }

  private static boolean isStorable(String history) {
    boolean isHexadecimal = history.length() == 2 * HISTORY_BYTES;
    for (int i = 0; isHexadecimal && i < history.length(); i++) {
      char digit = history.charAt(i);
      isHexadecimal = (digit >= '0' && digit <= '9') || (digit >= 'a' && digit <= 'f');
    }
    return isHexadecimal;
  }

  /** Stores that there is none. */
  public static void clear(StoreBatch batch, Store store) {
    store(batch, store, NONE, 0, 0, 0, 0);
  }

  /** Has that written, if there is one: no later process is to take the data for its history. */
  public static void forget(Store store, Consumer<StoreBatch> write) {
    if (stored(store) != null) {
      StoreBatch batch = new StoreBatch();
      clear(batch, store);
      write.accept(batch);
    }
  }

  /**
   * Stores that there is none, and that what is here is a part of the data that another server has:
   * for who comes after a crash. Until one is stored, or cleared.
   */
  public static void storePart(StoreBatch batch, Store store) {
    store(batch, store, NONE, 0, 0, 1, 0);
  }

  /** Whether {@link #storePart} was the last. */
  public static boolean isPart(Store store) {
    return store.counter(CounterIds.MASTER_PART) != 0;
  }

  private static void store(
      StoreBatch batch,
      Store store,
      String history,
      long offset,
      int database,
      int part,
      long last) {
    String digits = history + "0".repeat(8);
    for (int i = 0; i < HISTORY_COUNTERS; i++) {
      set(
          batch,
          store,
          CounterIds.MASTER_HISTORY + i,
          HexFormat.fromHexDigitsToLong(digits, 16 * i, 16 * (i + 1)));
    }
    set(batch, store, CounterIds.MASTER_PART, part);
    move(batch, store, offset, database, last);
  }

  private static void set(StoreBatch batch, Store store, long counter, long value) {
    long change = value - store.counter(counter);
    if (change != 0) {
      batch.count(counter, change);
    }
  }

  /** Stores that it is so many bytes further, and so many databases. */
  public static void advance(StoreBatch batch, long bytes, int databases) {
    batch.count(CounterIds.MASTER_OFFSET, bytes);
    if (databases != 0) {
      batch.count(CounterIds.MASTER_DATABASE, databases);
    }
  }
}
