package dev.varve.server.command.listen;

import dev.varve.codec.EventClass;
import dev.varve.codec.KeyspaceEvent;
import dev.varve.codec.Transaction;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandFlag;
import dev.varve.server.command.DatabaseKey;
import dev.varve.server.command.Session;
import dev.varve.server.command.Wait;
import dev.varve.server.resp.Args;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The keys that clients are being served from who need the disk for it, and the requests that wait
 * until that is over: they came later, and could take away what these clients will get.
 *
 * <p>Keyspace loop only.
 */
public final class ServedKeys {
  /*
   * In Redis a client is served before the next request runs. So a request waits that names such a
   * key, and so does one that turns out to write to such a key when it has come to its end, and is
   * unwound: a script, FLUSHALL, SWAPDB. It waits for the keys that were served from when it first
   * had to, and for no others: it has its turn however many clients are served after it came. Who is
   * served waits for the disk, and never for a request behind it.
   */
  private final Map<DatabaseKey, Wait> keys = new HashMap<>(0);

  private final List<Runnable> behind = new ArrayList<>(0);

  /** Nobody else may write to {@code key} until {@code wait} was served. */
  void hold(DatabaseKey key, Wait wait) {
    keys.put(key, wait);
  }

  /** Who is being served so that {@code key} has to stay as it is, or null. */
  @Nullable Wait servedFrom(DatabaseKey key) {
    Wait wait = keys.get(key);
    return wait != null && wait.isTrying() ? wait : null;
  }

  /**
   * {@code wait} is being served no longer.
   *
   * @param changed keys from which others are about to be served: they stay as they are till then
   */
  void release(Wait wait, Set<DatabaseKey> changed) {
    if (keys.entrySet().removeIf(e -> e.getValue() == wait && !changed.contains(e.getKey()))) {
      runBehind();
    }
  }

  /** Nobody is being served from {@code key}. */
  void release(DatabaseKey key) {
    if (keys.remove(key) != null) {
      runBehind();
    }
  }

  private void runBehind() {
    List<Runnable> tasks = List.copyOf(behind);
    behind.clear();
    tasks.forEach(Runnable::run);
  }

  /** Runs {@code task}, in the order of the calls, when somebody was served. */
  void await(Runnable task) {
    behind.add(task);
  }

  /** Whether a request that is about to run has to wait, as it names such a key. */
  public boolean areBefore(Session session, Command command, Args args) {
    if (keys.isEmpty()) {
      return false;
    }
    boolean isNamed =
        command.isExec()
            ? session.queue().isAny((queued, its) -> isAnyNamed(session, queued, its))
            : isAnyNamed(session, command, args);
    return isNamed && goesBehind(session);
  }

  private boolean isAnyNamed(Session session, Command command, Args args) {
    if (command.is(CommandFlag.READONLY)) {
      return false;
    }
    for (int index : command.keyIndexes(args)) {
      if (isBefore(session, new DatabaseKey(session.database(), args.get(index)))) {
        return true;
      }
    }
    return false;
  }

  /** Whether a request that has run has to wait and run again, as it would write to such a key. */
  public boolean areBefore(Session session, Transaction transaction) {
    return !keys.isEmpty() && isAnyWritten(session, transaction) && goesBehind(session);
  }

  private boolean isAnyWritten(Session session, Transaction transaction) {
    for (KeyspaceEvent event : transaction.events()) {
      if (event.eventClass() != EventClass.KEY_MISS
          && isBefore(session, new DatabaseKey(event.database(), event.key()))) {
        return true;
      }
    }
    for (DatabaseKey key : keys.keySet()) {
      if (transaction.isTouched(key.database()) && isBefore(session, key)) {
        return true;
      }
    }
    return false;
  }

  /** Whether a request has to wait that may write to any key. */
  public boolean areBefore(Session session) {
    for (DatabaseKey key : keys.keySet()) {
      if (isBefore(session, key)) {
        return goesBehind(session);
      }
    }
    return false;
  }

  private boolean isBefore(Session session, DatabaseKey key) {
    Set<DatabaseKey> its = session.servedBefore();
    return keys.containsKey(key) && (its == null || its.contains(key));
  }

  /** The request waits, and for no keys but those that it has had to wait for before. */
  private boolean goesBehind(Session session) {
    Set<DatabaseKey> its = session.servedBefore();
    if (its == null) {
      session.servedBefore(new HashSet<>(keys.keySet()));
    } else {
      its.retainAll(keys.keySet());
    }
    return true;
  }
}
