package dev.varve.server.command.lead;

import dev.varve.codec.MasterPosition;
import dev.varve.codec.store.Store;
import dev.varve.codec.store.StoreBatch;

/**
 * Keeps in the store how far the stream of this server's own writes is, behind all of them: where a
 * process ends, however it does, those who have all of it go on with the next.
 *
 * <p>Keyspace loop.
 */
public final class StoredPosition {
  private final ReplicationStream stream;

  /** Whether there may be one in the store. */
  private boolean isStored = true;

  /** The history that is stored, if that is known. */
  private String storedHistory = "";

  private long storedOffset = -1;

  StoredPosition(ReplicationStream stream) {
    this.stream = stream;
  }

  /**
   * Adds to what is about to be committed how far the stream is with that, or that nobody knows any
   * more.
   */
  public void store(Store store) {
    if (!stream.isOurs()) {
      // What the master sends counts by itself.
      lost();
      return;
    }
    MasterPosition position = stream.position();
    if (position != null) {
      StoreBatch batch = new StoreBatch();
      if (position.history().equals(storedHistory)) {
        position.moveLast(batch, store);
      } else {
        position.storeLast(batch, store);
      }
      store.write(batch);
      isStored = true;
      storedHistory = position.history();
      storedOffset = position.offset();
    } else if (isStored) {
      MasterPosition.forget(store, store::write);
      lost();
      isStored = false;
    }
  }

  /** Stores it behind all that this process writes, whoever's it is. */
  public void storeAtEnd(Store store) {
    MasterPosition position = stream.position();
    if (stream.isOurs()) {
      store(store);
    } else if (position != null) {
      StoreBatch batch = new StoreBatch();
      position.store(batch, store);
      store.write(batch);
    }
  }

  /** What was stored last may not be, or others have stored another one. */
  public void lost() {
    isStored = true;
    storedHistory = "";
    storedOffset = -1;
  }

  /** Whether something was told since that changed no data, so that nothing is committed for it. */
  public boolean isBehind() {
    return stream.isTold() && stream.written() != storedOffset;
  }
}
