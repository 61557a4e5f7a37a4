package dev.varve.server.command;

import dev.varve.codec.Databases;
import dev.varve.codec.EventClass;
import dev.varve.codec.KeyspaceEvent;
import dev.varve.codec.Transaction;
import dev.varve.server.resp.Args;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Who waits for which keys, and which of these have changed: clients are served key by key in the
 * order of the changes, at each key in the order in which they came.
 *
 * <p>Keyspace loop only, except {@link #count}.
 */
public final class BlockedClients implements ChangeListener {
  private final Map<DatabaseKey, Set<Wait>> waiting = new HashMap<>();
  private final Set<DatabaseKey> changed = new LinkedHashSet<>();

  /** Who needs the disk to be served, by the keys that nobody else is served from meanwhile. */
  private final Map<DatabaseKey, Wait> served = new HashMap<>(0);

  private final List<Runnable> behind = new ArrayList<>(0);
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
    changedMeanwhile.forEach(this::changed);
    attemptIsOver(wait);
  }

  /** Those who come behind have their turn, after those who wait as long. */
  private void attemptIsOver(Wait wait) {
    if (!served.isEmpty() && served.values().removeIf(its -> its == wait)) {
      List<Runnable> tasks = List.copyOf(behind);
      behind.clear();
      tasks.forEach(Runnable::run);
    }
  }

  /**
   * Whether a request writes to what somebody else is being served from: it came later, and could
   * take it away.
   */
  boolean isBeforeThis(Session session, Command command, Args args) {
    assert thread.isHere();
    if (served.isEmpty()) {
      return false;
    }
    List<Session.Queued> queue = command.isExec() ? session.queue() : null;
    if (queue == null) {
      return isServedFrom(session, command, args);
    }
    for (Session.Queued queued : queue) {
      if (isServedFrom(session, queued.command(), queued.args())) {
        return true;
      }
    }
    return false;
  }

  private boolean isServedFrom(Session session, Command command, Args args) {
    if (command.is(CommandFlag.READONLY)) {
      return false;
    }
    for (int index : command.keyIndexes(args)) {
      if (served.containsKey(new DatabaseKey(session.database(), args.get(index)))) {
        return true;
      }
    }
    return false;
  }

  /** Runs {@code task}, in the order of the calls, when somebody was served. */
  public void await(Runnable task) {
    assert thread.isHere();
    behind.add(task);
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
    while (!changed.isEmpty()) {
      Deque<DatabaseKey> keys = new ArrayDeque<>(changed);
      changed.clear();
      keys.forEach(key -> serve(key, serving));
    }
    return serving.await();
  }

  private void serve(DatabaseKey key, Serving serving) {
    boolean isGone = false;
    for (Wait wait : List.copyOf(waiting.getOrDefault(key, Set.of()))) {
      if ((!isGone || wait.wantsDeletion()) && wait.changed(key, serving)) {
        wait.session().connection().resume();
        isGone = wait.isParked() && wait.isMissing();
      }
      if (wait.isTrying()) {
        // It needs the disk. When its attempt is over, those who came after it have their turn.
        wait.changed(key, serving);
        served.put(key, wait);
        return;
      }
    }
  }

  /** An attempt came to nothing: the client waits on. */
  void park(Wait wait, boolean isMissing) {
    assert thread.isHere();
    wait.park(isMissing).forEach(this::changed);
    attemptIsOver(wait);
  }
}
