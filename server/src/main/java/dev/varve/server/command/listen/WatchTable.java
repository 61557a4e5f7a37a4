package dev.varve.server.command.listen;

import dev.varve.codec.Databases;
import dev.varve.codec.EventClass;
import dev.varve.codec.KeyspaceEvent;
import dev.varve.codec.Meta;
import dev.varve.codec.Transaction;
import dev.varve.lsm.entry.ColdBlockSignal;
import dev.varve.server.command.DatabaseKey;
import dev.varve.server.command.Watch;
import dev.varve.server.resp.Args;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Who watches which keys: marks clients whose watched keys change. A client that is marked watches
 * nothing any more: what happens next to a key that many watch costs nothing.
 *
 * <p>Keyspace loop only.
 */
public final class WatchTable implements ChangeListener {
  private final Map<DatabaseKey, Map<Watch, Watch.Entry>> watchers = new HashMap<>();
  private final NameRoom room;
  private final OneThread thread = new OneThread();

  public WatchTable(NameRoom room) {
    this.room = room;
  }

  /**
   * Makes sure that there is room to watch the keys of a request.
   *
   * @throws dev.varve.codec.DataException when there is not
   */
  public void requireRoom(Args request) {
    assert thread.isHere();
    room.require(request);
  }

  @Override
  public boolean isListening() {
    assert thread.isHere();
    return !watchers.isEmpty();
  }

  /** {@code watch} begins to watch a key that holds {@code meta} now. */
  public void add(Watch watch, int database, byte[] key, @Nullable Meta meta) {
    assert thread.isHere();
    if (watch.isChanged()) {
      return;
    }
    DatabaseKey watched = new DatabaseKey(database, key);
    Map<Watch, Watch.Entry> its = watchers.computeIfAbsent(watched, missing -> new HashMap<>(2));
    if (!its.containsKey(watch)) {
      long expiryMillis = meta == null ? Meta.NO_EXPIRY : meta.expiryMillis();
      Watch.Entry entry = new Watch.Entry(watched, meta != null, expiryMillis);
      // First: what is here and not there would stay for ever.
      watch.entries().add(entry);
      room.taken(key);
      its.put(watch, entry);
    }
  }

  /** {@code watch} watches nothing any more, and nothing has changed. */
  public void remove(Watch watch) {
    assert thread.isHere();
    leave(watch);
    watch.clear();
  }

  private void leave(Watch watch) {
    for (Watch.Entry entry : watch.entries()) {
      room.given(entry.key().key());
      Map<Watch, Watch.Entry> its = watchers.get(entry.key());
      if (its != null && its.remove(watch) != null && its.isEmpty()) {
        watchers.remove(entry.key());
      }
    }
    watch.entries().clear();
  }

  /** Whether a watched key has expired by itself. */
  public static boolean hasExpired(Watch watch, long nowMillis) {
    for (Watch.Entry entry : watch.entries()) {
      if (entry.expiryMillis() != Meta.NO_EXPIRY && entry.expiryMillis() <= nowMillis) {
        return true;
      }
    }
    return false;
  }

  /** How many are looked at when something happens to a key. */
  int watchers(int database, byte[] key) {
    return watchers.getOrDefault(new DatabaseKey(database, key), Map.of()).size();
  }

  /** Marks those who watch what has changed. */
  @Override
  public void changed(Transaction transaction, Databases before) {
    assert thread.isHere();
    List<Watch> changed = new ArrayList<>(0);
    for (KeyspaceEvent event : transaction.events()) {
      if (event.isChange()) {
        changed(event, changed);
      }
    }
    for (int database = 0; database < before.count(); database++) {
      if (transaction.isTouched(database)) {
        // The new id was nobody's before a flush, and another number's before a swap.
        boolean flushed = before.number(transaction.databases().id(database)) < 0;
        changed(database, transaction, flushed, changed);
      }
    }
    changed.forEach(this::leave);
  }

  @Override
  public void anythingChanged() {
    assert thread.isHere();
    List<Watch> changed = new ArrayList<>();
    watchers.values().forEach(its -> mark(its, true, changed));
    changed.forEach(this::leave);
  }

  private void changed(KeyspaceEvent event, List<Watch> changed) {
    Map<Watch, Watch.Entry> its = watchers.get(new DatabaseKey(event.database(), event.key()));
    if (its != null) {
      // What had expired before it was watched was nothing then and is nothing now.
      mark(its, event.eventClass() != EventClass.EXPIRED, changed);
    }
  }

  /** A key that was not there is as it was, unless a database was swapped in that has it. */
  private void changed(
      int database, Transaction transaction, boolean flushed, List<Watch> changed) {
    watchers.forEach(
        (key, its) -> {
          if (key.database() == database) {
            mark(its, !flushed && mayBeThere(transaction, key), changed);
          }
        });
  }

  /** Marks who watches a key, or those only for whom it held something. */
  private static void mark(Map<Watch, Watch.Entry> its, boolean isForAll, List<Watch> changed) {
    its.forEach(
        (watch, entry) -> {
          if ((isForAll || entry.existed()) && watch.change()) {
            changed.add(watch);
          }
        });
  }

  /** Whether the key is there now, or only a disk could tell: to end a watch is always safe. */
  private static boolean mayBeThere(Transaction transaction, DatabaseKey key) {
    if (transaction.mayWait()) {
      return true;
    }
    try {
      return transaction.peek(key.database(), key.key()) != null;
    } catch (ColdBlockSignal cold) {
      return true;
    }
  }
}
