package dev.varve.server.command.listen;

import dev.varve.codec.Databases;
import dev.varve.codec.KeyspaceEvent;
import dev.varve.codec.Transaction;
import dev.varve.server.command.Command;
import dev.varve.server.command.Name;
import dev.varve.server.command.Session;
import dev.varve.server.resp.Args;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a client that caches has read within a transaction or a script, until that is applied. What
 * it changed before a read does not make stale what was read; what it changes after it does.
 *
 * <p>However often a key is read it is noted once. Of more keys than have room none is noted: then
 * the client is to forget all that it caches.
 *
 * <p>Of one run of an executor, and then of the keyspace loop.
 */
public final class TransactionReads {
  /**
   * Reads of a key behind a change of it: by how many events the transaction had by then.
   *
   * @param first of the first of them
   * @param last of the last
   */
  private record Reads(int first, int last) {}

  /** What the keys may take that are noted of one run. */
  static final long HEAP_BYTES_MAX = Runtime.getRuntime().maxMemory() / 32;

  /** What a key takes besides its bytes, about. */
  private static final int KEY_HEAP_BYTES = 120;

  private final Set<Name> ofUnchanged = new LinkedHashSet<>(0);
  private final Map<Name, Reads> ofChanged = new LinkedHashMap<>(0);

  /** By key, the last event so far that changed it. */
  private final Map<Name, Integer> lastChanges = new HashMap<>(0);

  private @Nullable Session reader;
  private boolean isTooMuch;
  private long heapBytes;
  private int eventsSeen;

  /** The script whose keys are {@link #declared}; it declares them again with each read. */
  private @Nullable Args script;

  private final Set<Name> declared = new HashSet<>(0);
  private int eventsSeenByScript;
  private boolean isFlushedBeforeScript;

  public boolean isEmpty() {
    return reader == null;
  }

  /** Whose reads these are, or null if there are none. */
  @Nullable Session reader() {
    return reader;
  }

  /** Whether it has read more keys than have room here: none is noted. */
  boolean isTooMuch() {
    return isTooMuch;
  }

  /** {@code session}, the same in all of a run, has read the keys of a request. */
  public void add(Session session, Command command, Args args, Transaction transaction) {
    reader = session;
    lookAt(transaction.events());
    boolean isFlushed = isFlushed(transaction);
    for (int index : command.keyIndexes(args)) {
      add(new Name(args.get(index)), isFlushed);
    }
  }

  /** A script of {@code session}'s has read something: so it has all keys that it declares. */
  public void addDeclared(Session session, Command command, Args its, Transaction transaction) {
    reader = session;
    List<KeyspaceEvent> events = transaction.events();
    lookAt(events);
    boolean isFlushed = isFlushed(transaction);
    if (script != its) {
      script = its;
      declared.clear();
      for (int index : command.keyIndexes(its)) {
        declared.add(new Name(its.get(index)));
      }
      addAll(declared, isFlushed);
    } else if (isFlushed != isFlushedBeforeScript) {
      addAll(declared, isFlushed);
    } else {
      // To the others the same would be done as last time.
      for (int i = eventsSeenByScript; i < events.size() && !isTooMuch; i++) {
        Name key = new Name(events.get(i).key());
        if (declared.contains(key)) {
          add(key, isFlushed);
        }
      }
    }
    eventsSeenByScript = eventsSeen;
    isFlushedBeforeScript = isFlushed;
  }

  private void addAll(Collection<Name> keys, boolean isFlushed) {
    keys.forEach(key -> add(key, isFlushed));
  }

  private void add(Name key, boolean isFlushed) {
    if (isTooMuch) {
      return;
    }
    boolean isNew;
    if (isFlushed || lastChanges.containsKey(key)) {
      Reads before = ofChanged.get(key);
      int first = before == null ? eventsSeen : before.first;
      isNew = ofChanged.put(key, new Reads(first, eventsSeen)) == null;
    } else {
      isNew = ofUnchanged.add(key);
    }
    if (isNew) {
      heapBytes += KEY_HEAP_BYTES + key.bytes().length;
      if (heapBytes > HEAP_BYTES_MAX) {
        isTooMuch = true;
        ofUnchanged.clear();
        ofChanged.clear();
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

  /** The keys that it has read before the transaction changed them, if it did. */
  Collection<Name> ofUnchanged() {
    return ofUnchanged;
  }

  /** Those that it has read when the transaction had changed them. */
  Collection<Name> ofChanged() {
    return ofChanged.keySet();
  }

  /**
   * Whether the transaction, which is at its end, changed a key again after it was read,
   * {@linkplain #ofChanged changed} as it was.
   */
  boolean isStale(Name key, Transaction transaction) {
    Reads its = ofChanged.get(key);
    return its != null && lastChange(key, transaction) >= its.first;
  }

  /** Whether it was read once more after the last of these changes. */
  boolean isReadLast(Name key, Transaction transaction) {
    Reads its = ofChanged.get(key);
    return its != null && lastChange(key, transaction) < its.last;
  }

  private int lastChange(Name key, Transaction transaction) {
    lookAt(transaction.events());
    return lastChanges.getOrDefault(key, -1);
  }
}
