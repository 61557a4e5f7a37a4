package dev.varve.server.command.listen;

import dev.varve.codec.Databases;
import dev.varve.codec.KeyspaceEvent;
import dev.varve.codec.Transaction;
import dev.varve.server.command.Command;
import dev.varve.server.command.Name;
import dev.varve.server.command.Session;
import dev.varve.server.resp.Args;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What clients that cache have read within a transaction or a script, until that is applied. What
 * it changed before a read does not make stale what was read; what it changes after it does.
 *
 * <p>Of one run of an executor, and then of the keyspace loop.
 */
public final class TransactionReads {
  /**
   * @param events how many the transaction had by then
   */
  record Read(Session session, Name key, int events) {}

  private final List<Read> ofUnchanged = new ArrayList<>();
  private final List<Read> ofChanged = new ArrayList<>();

  /** By key, the last event so far that changed it. */
  private final Map<Name, Integer> lastChanges = new HashMap<>();

  private int eventsSeen;

  public boolean isEmpty() {
    return ofUnchanged.isEmpty() && ofChanged.isEmpty();
  }

  /** {@code session} has read the keys of a request. */
  public void add(Session session, Command command, Args args, Transaction transaction) {
    lookAt(transaction.events());
    boolean isFlushed = isFlushed(transaction);
    for (int index : command.keyIndexes(args)) {
      Name key = new Name(args.get(index));
      Read read = new Read(session, key, eventsSeen);
      if (isFlushed || lastChanges.containsKey(key)) {
        ofChanged.add(read);
      } else {
        ofUnchanged.add(read);
      }
    }
  }

  private void lookAt(List<KeyspaceEvent> events) {
    while (eventsSeen < events.size()) {
      KeyspaceEvent event = events.get(eventsSeen);
      if (event.isChange()) {
        lastChanges.put(new Name(event.key()), eventsSeen);
      }
      eventsSeen++;
    }
  }

  private static boolean isFlushed(Transaction transaction) {
    Databases databases = transaction.databases();
    for (int database = 0; database < databases.count(); database++) {
      if (transaction.isTouched(database)) {
        return true;
      }
    }
    return false;
  }

  /** Those of keys that the transaction had not changed by then. */
  List<Read> ofUnchanged() {
    return ofUnchanged;
  }

  /** Those of keys that it had changed before. */
  List<Read> ofChanged() {
    return ofChanged;
  }

  /** Whether the transaction, which is at its end, changed the key after it was read. */
  boolean isStale(Read read, Transaction transaction) {
    lookAt(transaction.events());
    return lastChanges.getOrDefault(read.key(), -1) >= read.events();
  }
}
