package dev.varve.server.command;

import dev.varve.codec.Databases;
import dev.varve.codec.EventClass;
import dev.varve.codec.KeyspaceEvent;
import dev.varve.codec.Meta;
import dev.varve.codec.Transaction;
import dev.varve.lsm.entry.ColdBlockSignal;
import dev.varve.server.resp.Args;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Who watches which keys: marks clients whose watched keys change.
 *
 * <p>Keyspace loop only.
 */
public final class WatchTable implements ChangeListener {
  private final Map<DatabaseKey, List<Watch>> watchers = new HashMap<>();
  private final NameRoom room;
  private final OneThread thread = new OneThread();

  WatchTable(NameRoom room) {
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
    DatabaseKey watched = new DatabaseKey(database, key);
    List<Watch> its = watchers.computeIfAbsent(watched, missing -> new ArrayList<>(1));
    if (!its.contains(watch)) {
      long expiryMillis = meta == null ? Meta.NO_EXPIRY : meta.expiryMillis();
      // First: what is here and not there would stay for ever.
      watch.entries().add(new Watch.Entry(watched, meta != null, expiryMillis));
      room.taken(key);
      its.add(watch);
    }
  }

  /** {@code watch} watches nothing any more. */
  void remove(Watch watch) {
    assert thread.isHere();
    for (Watch.Entry entry : watch.entries()) {
      room.given(entry.key().key());
      List<Watch> its = watchers.get(entry.key());
      if (its != null) {
        its.remove(watch);
        if (its.isEmpty()) {
          watchers.remove(entry.key());
        }
      }
    }
    watch.clear();
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

  /** Marks those who watch what has changed. */
  @Override
  public void changed(Transaction transaction, Databases before) {
    assert thread.isHere();
    for (KeyspaceEvent event : transaction.events()) {
      if (event.isChange()) {
        changed(event);
      }
    }
    for (int database = 0; database < before.count(); database++) {
      if (transaction.isTouched(database)) {
        // The new id was nobody's before a flush, and another number's before a swap.
        boolean flushed = before.number(transaction.databases().id(database)) < 0;
        changed(database, transaction, flushed);
      }
    }
  }

  private void changed(KeyspaceEvent event) {
    DatabaseKey key = new DatabaseKey(event.database(), event.key());
    List<Watch> its = watchers.get(key);
    if (its == null) {
      return;
    }
    for (Watch watch : its) {
      // What had expired before it was watched was nothing then and is nothing now.
      if (event.eventClass() != EventClass.EXPIRED || existed(watch, key)) {
        watch.change();
      }
    }
  }

  /** A key that was not there is as it was, unless a database was swapped in that has it. */
  private void changed(int database, Transaction transaction, boolean flushed) {
    watchers.forEach(
        (key, its) -> {
          if (key.database() == database) {
            boolean isThere = !flushed && mayBeThere(transaction, key);
            for (Watch watch : its) {
              if (isThere || existed(watch, key)) {
                watch.change();
              }
            }
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

  private static boolean existed(Watch watch, DatabaseKey key) {
    for (Watch.Entry entry : watch.entries()) {
      if (entry.key().equals(key)) {
        return entry.existed();
      }
    }
    return false;
  }
}
