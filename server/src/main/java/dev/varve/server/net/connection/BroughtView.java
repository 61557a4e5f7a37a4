package dev.varve.server.net.connection;

import dev.varve.codec.store.StoreView;
import dev.varve.server.engine.Engine;
import org.jspecify.annotations.Nullable;

/**
 * The view through which a worker has read what a request needs: it keeps that in memory until the
 * request has run again on the keyspace loop.
 *
 * <p>Of whoever has the connection's turn; {@link #begin} and {@link #end} on the keyspace loop.
 */
final class BroughtView {
  private final Engine engine;
  private @Nullable StoreView view;

  BroughtView(Engine engine) {
    this.engine = engine;
  }

  boolean isHeld() {
    return view != null;
  }

  /** What is held, or null. */
  @Nullable StoreView view() {
    return view;
  }

  /** Holds {@code next}, if there is one, and lets go of what was held. */
  void hold(@Nullable StoreView next) {
    release();
    view = next;
  }

  void release() {
    if (view != null) {
      view.close();
      view = null;
    }
  }

  /**
   * Until {@link #end}, what it keeps is found by reads that do not wait, and they are known to be
   * of what has just come from the disk.
   */
  void begin() {
    engine.useBrought(view);
    engine.markReadsBrought(true);
  }

  void end() {
    engine.useBrought(null);
    engine.markReadsBrought(false);
  }
}
