package dev.varve.lsm;

import dev.varve.lsm.table.TableReader;
import dev.varve.lsm.version.TableMeta;
import dev.varve.wal.StorageDirectory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What nobody needs any more: states that their last reader has released, and the files of tables
 * that have left the tree or never got into it.
 *
 * <p>Thread rule: any thread retires a state, and is not made to wait or to allocate for it. One
 * worker at a time deletes; the rest is for whoever installs.
 */
final class ObsoleteTables {
  private final StorageDirectory directory;

  /** Newest first, each knowing the next. */
  private final AtomicReference<@Nullable TreeState> retired = new AtomicReference<>();

  /** What was taken from there and not apart yet. For the worker. */
  private @Nullable TreeState taken;

  /** Tables that nobody reads any more, of a state that is behind us; from {@link #closed} on. */
  private List<TableReader> unreadTables = List.of();

  private int closed;

  private final ConcurrentLinkedQueue<String> unread = new ConcurrentLinkedQueue<>();

  /** Files of edits that failed and may be in force after a restart. Guarded by this. */
  private final List<String> inDoubt = new ArrayList<>();

  /** Whether a later edit is in force, and none of those can be. Guarded by this. */
  private boolean doubtIsOver;

  ObsoleteTables(StorageDirectory directory) {
    this.directory = directory;
  }

  /** The last reader of a state has released it. Any thread. */
  void retire(TreeState state) {
    TreeState first = retired.get();
    while (true) {
      state.retiredBefore(first);
      TreeState seen = retired.compareAndExchange(first, state);
      if (seen == first) {
        return;
      }
      first = seen;
    }
  }

  /**
   * Deletes the file of a table that will not be in the tree; should that fail, it is tried again.
   */
  void delete(TableMeta table) throws IOException {
    IOException undeleted = tryDelete(table.fileName());
    if (undeleted != null) {
      throw undeleted;
    }
  }

  /** The same by the file's name; returns why it could not be deleted, or null. */
  @Nullable IOException tryDelete(String fileName) {
    try {
      directory.delete(fileName);
      return null;
    } catch (IOException undeleted) {
      unread.add(fileName);
      return undeleted;
    }
  }

  /** Deletes what a failure has left; should that fail, it is tried again with the others. */
  void deleteAfter(Throwable failure, List<TableMeta> tables) {
    for (TableMeta table : tables) {
      IOException undeleted = tryDelete(table.fileName());
      if (undeleted != null) {
        failure.addSuppressed(undeleted);
      }
    }
  }

  /** These may be in force after a restart: they stay until a later edit is in force. */
  synchronized void leaveInDoubt(List<TableMeta> tables) {
    takeSettled();
    tables.forEach(table -> inDoubt.add(table.fileName()));
  }

  /** An edit is in force. It began a fresh manifest if one before it is in doubt: that is past. */
  synchronized void settleDoubt() {
    doubtIsOver = true;
  }

  private synchronized void takeSettled() {
    if (doubtIsOver) {
      unread.addAll(inDoubt);
      inDoubt.clear();
      doubtIsOver = false;
    }
  }

  /**
   * Frees what was let go of, and deletes the files of tables that nobody reads any more. Returns
   * why one could not be deleted, or null; it is tried again the next time, behind all others.
   */
  @Nullable IOException delete() {
    closeUnread(true);
    takeSettled();
    IOException failure = null;
    for (int left = unread.size(); left > 0; left--) {
      String name = unread.remove();
      try {
        directory.delete(name);
      } catch (IOException undeleted) {
        unread.add(name);
        failure = undeleted;
      }
    }
    return failure;
  }

  /** Frees what was let go of, and leaves the files: the tree is closed. */
  void close() {
    closeUnread(false);
  }

  private void closeUnread(boolean areObsolete) {
    while (true) {
      closeTables(areObsolete);
      TreeState next = taken == null ? retired.getAndSet(null) : taken;
      taken = next;
      if (next == null) {
        return;
      }
      unreadTables = next.letGoOfTables();
      closed = 0;
      // Before anything else that may fail, as for want of memory: nothing is given back twice.
      taken = next.retiredBefore();
      next.letGoOfMemtables();
    }
  }

  private void closeTables(boolean areObsolete) {
    while (closed < unreadTables.size()) {
      TableReader reader = unreadTables.get(closed);
      if (areObsolete) {
        unread.add(reader.meta().fileName());
      }
      closed++;
      reader.release();
    }
  }
}
