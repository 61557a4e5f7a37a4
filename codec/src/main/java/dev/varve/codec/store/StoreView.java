package dev.varve.codec.store;

import org.jspecify.annotations.Nullable;

/**
 * One consistent state of a store's entries.
 *
 * <p>Used by one thread at a time. Until it is closed, what it shows is kept.
 */
public interface StoreView extends AutoCloseable {

  /**
   * The value of {@code key}, or null if there is none. Neither side changes the array afterwards.
   */
  byte @Nullable [] get(byte[] key);

  /**
   * The value of a meta's key for who is done with it before the next read; null if there is none.
   */
  default @Nullable BriefValue getBriefly(byte[] key) {
    return BriefValue.of(get(key));
  }

  /**
   * The same for who needs its start only: its first {@code bytes} bytes at least, all of it if
   * that is fewer.
   */
  default @Nullable BriefValue getStart(byte[] key, int bytes) {
    return getBriefly(key);
  }

  /**
   * Whether its reads wait for a disk. Who reads there may as well read what will be asked for
   * next, so that it is in memory then.
   */
  default boolean mayWait() {
    return false;
  }

  /**
   * So many bytes are about to be in memory, of what is read here. Where its reads wait for a disk
   * this may wait as well, for others who have as much.
   */
  default void need(long bytes) {}

  /** Nothing of that is in memory any more. */
  default void needNothing() {}

  /**
   * From here on tells {@code meter} how much is read here and by the cursors to come, about; where
   * it throws, all of these are to be closed.
   */
  default void meter(StepMeter meter) {}

  /**
   * The rows under {@code prefix} as they are kept in memory, or null if they are not: for the
   * writer alone. They are there when rows under that prefix are asked for again and again and all
   * of them are in memory. They know nothing of a batch that is not written.
   *
   * @param loader makes them of the rows; null to have them only if they are there already, and
   *     none displaced
   */
  default @Nullable ResidentRows resident(byte[] prefix, ResidentRows.@Nullable Loader loader) {
    return null;
  }

  /**
   * A cursor over the entries before {@code end}, on none of them yet. Who walks to where something
   * ends does not pass all that was deleted behind it, and there may be millions; see {@link
   * StoreCursor#within}. The caller closes it before the view.
   */
  StoreCursor cursor(byte[] end);

  @Override
  void close();
}
