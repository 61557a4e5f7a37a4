package dev.varve.server.command.listen;

import dev.varve.codec.Databases;
import dev.varve.codec.EventClass;
import dev.varve.codec.KeyspaceEvent;
import dev.varve.codec.Transaction;
import dev.varve.server.command.DatabaseKey;
import dev.varve.server.command.Serving;
import dev.varve.server.command.Wait;
import dev.varve.server.command.WaitingLine;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Who waits for which keys, and which of these have changed: clients are served key by key in the
 * order of the changes, at each key in the order in which they came.
 *
 * <p>Keyspace loop only, except {@link #count}.
 */
public final class BlockedClients implements ChangeListener {

  /** After so many have been served at once, some milliseconds of work, others have their turn. */
  static final int SERVED_MAX = 256;

  /**
   * As in Redis, a group that is to read on from elsewhere serves nobody: who waits for what is new
   * to it gets what there is with the next entry.
   */
  private static final String GROUP_MOVED = "xgroup-setid";

  private final Map<DatabaseKey, WaitingLine> waiting = new HashMap<>();
  private final Set<DatabaseKey> changed = new LinkedHashSet<>();

  private final ServedKeys served = new ServedKeys();
  private final NameRoom room;
  private final Runnable onChange;
  private final OneThread thread = new OneThread();
  private Executor later = Runnable::run;

  /** How many have been served since somebody began to. */
  private int servedNow;

  private volatile int count;

  /**
   * @param room for the keys that are waited for
   * @param onChange called when somebody may have to be served, by {@link #serve}
   */
  public BlockedClients(NameRoom room, Runnable onChange) {
    this.room = room;
    this.onChange = onChange;
  }

  /**
   * Names what runs a task on the keyspace loop after others have had their turn. Before the first
   * command.
   */
  public void later(Executor executor) {
    later = executor;
  }

  /** How many clients wait. Any thread. */
  public int count() {
    return count;
  }

  /**
   * Makes sure that there is room for the keys of {@code wait}, which is to be added.
   *
   * @throws dev.varve.codec.DataException when there is not
   */
  public void requireRoom(Wait wait) {
    assert thread.isHere();
    if (wait.keys().isEmpty()) {
      // It waits for something else.
      return;
    }
    long bytes = 0;
    for (DatabaseKey key : wait.keys()) {
      bytes += key.key().length;
    }
    room.require(bytes, wait.keys().size());
  }

  @SuppressWarnings("NonAtomicOperationOnVolatileField") // one thread counts
  public void add(Wait wait) {
    assert thread.isHere();
    count++;
    for (DatabaseKey key : wait.keys()) {
      room.taken(key.key());
      wait.at(waiting.computeIfAbsent(key, WaitingLine::new).add(wait));
    }
  }

  /** {@code wait} is over. */
  @SuppressWarnings("NonAtomicOperationOnVolatileField") // one thread counts
  public void end(Wait wait) {
    assert thread.isHere();
    if (wait.isEnded()) {
      return;
    }
    List<DatabaseKey> changedMeanwhile = wait.end();
    count--;
    for (WaitingLine.Place place : wait.places()) {
      place.leave();
      room.given(place.line().key().key());
      if (place.line().isEmpty()) {
        waiting.remove(place.line().key());
      }
    }
    changedFirst(changedMeanwhile);
    served.release(wait, changed);
  }

  /** From what clients are being served who need the disk for it, and who waits for that. */
  public ServedKeys served() {
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
      if (event.eventClass() != EventClass.KEY_MISS && !event.name().equals(GROUP_MOVED)) {
        changed(new DatabaseKey(event.database(), event.key()));
      }
    }
    for (int database = 0; database < before.count(); database++) {
      if (transaction.isTouched(database)) {
        changed(database);
      }
    }
  }

  @Override
  public void anythingChanged() {
    assert thread.isHere();
    List.copyOf(waiting.keySet()).forEach(this::changed);
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
    servedNow = 0;
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

  /**
   * Serves those who wait at {@code key}, up to one who needs the disk, or is one too many to be
   * served now, which is returned.
   */
  private @Nullable Wait serve(DatabaseKey key, Serving serving) {
    Wait first = served.servedFrom(key);
    if (first != null) {
      holdFor(first, key);
      return first;
    }
    WaitingLine line = waiting.get(key);
    if (line != null) {
      first = serve(line, serving);
    }
    if (first == null) {
      served.release(key);
    }
    return first;
  }

  private @Nullable Wait serve(WaitingLine line, Serving serving) {
    DatabaseKey key = line.key();
    boolean isGone = false;
    Set<Object> inVain = new HashSet<>(0);
    for (WaitingLine.Place place = line.first();
        place != null && (!isGone || line.isDeletionWanted());
        place = place.next()) {
      Wait wait = place.waiter();
      if (!wait.isParked()
          || (isGone && !wait.wantsDeletion())
          || (wait.wanted() != null && inVain.contains(wait.wanted()))) {
        continue;
      }
      Wait before = servedTo(wait);
      if (before != null) {
        holdFor(before, key);
        return before;
      }
      wait.tries(key, serving);
      if (servedNow < SERVED_MAX) {
        wait.session().connection().resume();
      } else {
        later.execute(() -> resume(wait));
      }
      if (wait.isTrying()) {
        holdFor(wait, key);
        wait.alsoWritten().forEach(written -> served.hold(written, wait));
        return wait;
      }
      // What it took is nothing to those before it, and those behind it have their turn now.
      changed.remove(key);
      if (!wait.isParked()) {
        servedNow++;
      } else {
        isGone = wait.isMissing();
        if (wait.wanted() != null) {
          inVain.add(wait.wanted());
        }
      }
    }
    return null;
  }

  private static void resume(Wait wait) {
    if (wait.isTrying()) {
      wait.session().connection().resume();
    }
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
  public void park(Wait wait, boolean isMissing) {
    assert thread.isHere();
    changedFirst(wait.park(isMissing));
    served.release(wait, changed);
  }
}
