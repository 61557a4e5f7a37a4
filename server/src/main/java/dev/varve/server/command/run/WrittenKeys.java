package dev.varve.server.command.run;

import dev.varve.codec.DueDeletion;
import dev.varve.codec.GuardedKeys;
import dev.varve.codec.KeysWrittenSince;
import dev.varve.codec.store.StoreBatch;
import dev.varve.codec.store.StoreChanges;
import java.util.ArrayList;
import java.util.List;

/**
 * Who wants to know which keys are written, because he reads them while the writer goes on.
 *
 * <p>Keyspace loop.
 */
public final class WrittenKeys {
  private final List<KeysWrittenSince> writtenSince = new ArrayList<>(2);
  private final List<GuardedKeys> guards = new ArrayList<>(0);

  WrittenKeys() {}

  /** Begins to note which keys transactions write, until {@link #close}. */
  public KeysWrittenSince open() {
    KeysWrittenSince touched = new KeysWrittenSince();
    writtenSince.add(touched);
    return touched;
  }

  /** Ends what {@link #open} began. */
  public void close(KeysWrittenSince touched) {
    writtenSince.remove(touched);
  }

  /** Whether somebody has begun that. Tests see by it that what was begun has ended. */
  public boolean areNoted() {
    return !writtenSince.isEmpty();
  }

  /** Shows {@code guard} all that is written from here on, until {@link #unguard}. */
  public void guard(GuardedKeys guard) {
    guards.add(guard);
  }

  /** Ends what {@link #guard} began. */
  public void unguard(GuardedKeys guard) {
    guards.remove(guard);
  }

  /** Before it is written: where memory runs out, what is noted and not written does no harm. */
  void note(StoreBatch batch) {
    for (int i = 0; i < writtenSince.size(); i++) {
      writtenSince.get(i).note(batch);
    }
  }

  /** Keys that have expired are gone. The next look may have begun, and see one of them again. */
  void noteDeleted(DueDeletion deletion) {
    writtenSince.forEach(deletion::noteChanged);
  }

  /** Anything may have changed. */
  void noteAnything() {
    guards.forEach(GuardedKeys::touchAll);
  }

  /** It has been written. */
  void written(StoreChanges changes) {
    // Once for each command: without iterators and the like.
    for (int i = 0; i < guards.size(); i++) {
      changes.accept(guards.get(i));
    }
  }
}
