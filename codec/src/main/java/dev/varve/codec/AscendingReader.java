package dev.varve.codec;

import dev.varve.codec.store.StoreCursor;
import dev.varve.codec.store.StoreView;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads values in the order of their keys: by steps where the keys asked for lie close together, by
 * looking each up where they do not.
 *
 * <p>For one thread.
 */
final class AscendingReader implements AutoCloseable {
  /** A step costs about a tenth of looking a key up. */
  private static final int STEPS_MAX = 6;

  /** So many keys are looked up before steps are tried again: a seek costs more than they save. */
  private static final int LOOKUPS = 64;

  private final StoreView view;
  private final StoreCursor cursor;
  private boolean isPlaced;
  private int lookups;

  /**
   * @param end behind all keys that are asked for
   */
  AscendingReader(StoreView view, byte[] end) {
    this.view = view;
    this.cursor = view.cursor(end);
  }

  /**
   * The value of {@code key}, or null.
   *
   * @param key not before the one asked for last
   */
  byte @Nullable [] get(byte[] key) {
    if (!isPlaced) {
      if (lookups > 0) {
        lookups--;
        return view.get(key);
      }
      cursor.seek(key);
      isPlaced = true;
    }
    for (int steps = 0; cursor.isValid(); steps++) {
      int order = Arrays.compareUnsigned(cursor.key(), key);
      if (order >= 0) {
        return order == 0 ? cursor.value() : null;
      }
      if (steps == STEPS_MAX) {
        isPlaced = false;
        lookups = LOOKUPS;
        return view.get(key);
      }
      cursor.next();
    }
    return null;
  }

  @Override
  public void close() {
    cursor.close();
  }
}
