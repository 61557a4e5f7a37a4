package dev.varve.codec.zset;

import dev.varve.codec.store.StoreCursor;
import dev.varve.codec.store.StoreView;
import org.jspecify.annotations.Nullable;

/**
 * A view that remembers for how much at a time there was to be room.
 *
 * <p>Single-threaded.
 */
final class RoomyView implements StoreView {
  private final StoreView view;
  long bytesMax;

  RoomyView(StoreView view) {
    this.view = view;
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    return view.get(key);
  }

  @Override
  public void need(long bytes) {
    bytesMax = Math.max(bytesMax, bytes);
  }

  @Override
  public StoreCursor cursor(byte[] end) {
    return view.cursor(end);
  }

  @Override
  public void close() {
    view.close();
  }
}
