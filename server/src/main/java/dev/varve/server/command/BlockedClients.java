package dev.varve.server.command;

import dev.varve.codec.Databases;
import dev.varve.codec.EventClass;
import dev.varve.codec.KeyspaceEvent;
import dev.varve.codec.Transaction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who waits for which keys, and which of these have changed: clients are served key by key in the
 * order of the changes, at each key in the order in which they came.
 *
 * <p>Keyspace loop only, except {@link #count}.
 */
public final class BlockedClients implements ChangeListener {
  private final Map<DatabaseKey, Set<Wait>> waiting = new HashMap<>();
  private final Set<DatabaseKey> changed = new LinkedHashSet<>();

  private final ServedKeys served = new ServedKeys();
  private final Runnable onChange;
  private final OneThread thread = new OneThread();
  private volatile int count;

  /**
   * @param onChange called when somebody may have to be served, by {@link #serve}
   */
  BlockedClients(Runnable onChange) {
    this.onChange = onChange;
  }

  /** How many clients wait. Any thread. */
  public int count() {
    return count;
  }

  @SuppressWarnings("NonAtomicOperationOnVolatileField") // one thread counts
  void add(Wait wait) {
    assert thread.isHere();
    count++;
    for (DatabaseKey key : wait.keys()) {
      waiting.computeIfAbsent(key, missing -> new LinkedHashSet<>(2)).add(wait);
    }
  }

  /** {@code wait} is over. */
  @SuppressWarnings("NonAtomicOperationOnVolatileField") // one thread counts
  void end(Wait wait) {
    assert thread.isHere();
    if (wait.isEnded()) {
      return;
    }
    List<DatabaseKey> changedMeanwhile = wait.end();
    count--;
    for (DatabaseKey key : wait.keys()) {
      Set<Wait> its = waiting.get(key);
      if (its != null) {
        its.remove(wait);
        if (its.isEmpty()) {
          waiting.remove(key);
        }
      }
    }
    changedFirst(changedMeanwhile);
    served.release(wait, changed);
  }

  /** From what clients are being served who need the disk for it, and who waits for that. */
  ServedKeys served() {
    assert thread.isHere();
    return served;
  }

  /** Runs {@code task}, in the order of the calls, when somebody was served from the disk. */
  public void await(Runnable task) {
    served().await(task);
  }

  @Override
  public boolean isListening() {
    assert thread.isHere();
    return !waiting.isEmpty();
  }

  @Override
  public void changed(Transaction transaction, Databases before) {
    assert thread.isHere();
    for (KeyspaceEvent event : transaction.events()) {
      if (event.eventClass() != EventClass.KEY_MISS) {
        changed(new DatabaseKey(event.database(), event.key()));
      }
    }
    for (int database = 0; database < before.count(); database++) {
      if (transaction.isTouched(database)) {
        changed(database);
      }
    }
  }

  private void changed(DatabaseKey key) {
    if (waiting.containsKey(key) && changed.add(key) && changed.size() == 1) {
      onChange.run();
    }
  }

  /** Before what an attempt has changed that is over, its key has its turn, and what came next. */
  private void changedFirst(List<DatabaseKey> keys) {
    if (keys.isEmpty()) {
      return;
    }
    List<DatabaseKey> later = List.copyOf(changed);
    changed.clear();
    keys.forEach(this::changed);
    changed.addAll(later);
  }

  private void changed(int database) {
    List<DatabaseKey> keys = new ArrayList<>();
    for (DatabaseKey key : waiting.keySet()) {
      if (key.database() == database) {
        keys.add(key);
      }
    }
    keys.forEach(this::changed);
  }

  /** Whether somebody may have to be served. */
  public boolean isServeNeeded() {
    assert thread.isHere();
    return !changed.isEmpty();
  }

  /**
   * Serves those who can be, and those whom that makes servable. No command runs meanwhile.
   *
   * @param afterwards what to run when those were served who need what is on the disk
   * @return whether all were served now, so that nothing is run afterwards
   */
  public boolean serve(Runnable afterwards) {
    assert thread.isHere();
    Serving serving = new Serving(afterwards);
    Wait first = null;
    while (!changed.isEmpty()) {
      List<DatabaseKey> keys = List.copyOf(changed);
      changed.clear();
      for (DatabaseKey key : keys) {
        if (first == null) {
          first = serve(key, serving);
        } else {
          holdFor(first, key);
        }
      }
    }
    return serving.await();
  }

  /** Serves those who wait at {@code key}, up to one who needs the disk, which is returned. */
  private @Nullable Wait serve(DatabaseKey key, Serving serving) {
    Wait first = served.servedFrom(key);
    if (first != null) {
      holdFor(first, key);
      return first;
    }
    boolean isGone = false;
    for (Wait wait : List.copyOf(waiting.getOrDefault(key, Set.of()))) {
      boolean isWanted = wait.isParked() && (!isGone || wait.wantsDeletion());
      Wait before = isWanted ? servedTo(wait) : null;
      if (before != null) {
        holdFor(before, key);
        return before;
      }
      if (isWanted) {
        wait.tries(key, serving);
        wait.session().connection().resume();
        isGone = wait.isParked() && wait.isMissing();
      }
      if (wait.isTrying()) {
        holdFor(wait, key);
        wait.alsoWritten().forEach(written -> served.hold(written, wait));
        return wait;
      }
    }
    served.release(key);
    return null;
  }

  /** Who is being served by a write to what {@code wait} will write to as well, or null. */
  private @Nullable Wait servedTo(Wait wait) {
    for (DatabaseKey key : wait.alsoWritten()) {
      Wait before = served.servedFrom(key);
      if (before != null) {
        return before;
      }
    }
    return null;
  }

  /** Those who wait at {@code key} have their turn when {@code wait} was served, and not before. */
  private void holdFor(Wait wait, DatabaseKey key) {
    wait.changedMeanwhile(key);
    served.hold(key, wait);
  }

  /** An attempt came to nothing: the client waits on. */
  void park(Wait wait, boolean isMissing) {
    assert thread.isHere();
    changedFirst(wait.park(isMissing));
    served.release(wait, changed);
  }
}
