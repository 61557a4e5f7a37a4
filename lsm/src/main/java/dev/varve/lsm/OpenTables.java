package dev.varve.lsm;

import dev.varve.lsm.table.TableReader;
import dev.varve.lsm.version.TableMeta;
import dev.varve.lsm.version.Version;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The open tables of a tree and how many {@link TreeState}s read each. A table that no state reads
 * has left the version for good: it is closed and its file is deleted.
 *
 * <p>Safe for use by several threads; its lock is held for moments only, never during I/O.
 */
final class OpenTables {

  /** One of them. */
  static final class OpenTable {
    private final Long number;
    private final TableReader reader;

    /** Guarded by the lock of its {@link OpenTables}. */
    private int states;

    private OpenTable(long number, TableReader reader) {
      this.number = number;
      this.reader = reader;
    }

    TableReader reader() {
      return reader;
    }
  }

  private final Map<Long, OpenTable> tables = new HashMap<>();

  /** Makes a table known. No state reads it yet. Its reader is released should that fail. */
  void add(TableReader reader) {
    try {
      OpenTable table = new OpenTable(reader.meta().number(), reader);
      synchronized (this) {
        tables.put(table.number, table);
      }
    } catch (OutOfMemoryError e) {
      reader.release();
      throw e;
    }
  }

  /** Forgets a table that no state in force has read, and closes it. */
  void drop(long number) {
    OpenTable table;
    synchronized (this) {
      table = tables.remove(number);
    }
    if (table != null) {
      table.reader.release();
    }
  }

  /** Closes all of them, before any state reads one. */
  synchronized void closeAll() {
    tables.values().forEach(table -> table.reader.release());
    tables.clear();
  }

  /** The tables of a version, level by level, all of which are known. */
  synchronized OpenTable[][] find(Version version) {
    OpenTable[][] found = new OpenTable[Version.LEVELS][];
    for (int level = 0; level < found.length; level++) {
      List<TableMeta> metas = version.level(level);
      found[level] = new OpenTable[metas.size()];
      for (int i = 0; i < found[level].length; i++) {
        found[level][i] = known(metas.get(i).number());
      }
    }
    return found;
  }

  private OpenTable known(long number) {
    OpenTable table = tables.get(number);
    if (table == null) {
      throw new IllegalStateException("table " + number + " is not open");
    }
    return table;
  }

  /** Says that one more state reads these tables. Cannot fail. */
  synchronized void hold(OpenTable[][] levels) {
    for (OpenTable[] level : levels) {
      for (OpenTable table : level) {
        table.states++;
      }
    }
  }

  /** The reader of a table, or null when it is not known any more. The caller retains it itself. */
  synchronized @Nullable TableReader find(long number) {
    OpenTable table = tables.get(number);
    return table == null ? null : table.reader;
  }

  /** The reader of a known table. The caller holds a state that reads it. */
  synchronized TableReader get(long number) {
    return known(number).reader;
  }

  /**
   * Says that a state no longer reads these tables; returns those that none reads now. When there
   * is no memory for the answer nothing has changed.
   */
  synchronized List<TableReader> letGo(OpenTable[][] levels) {
    int tableCount = 0;
    for (OpenTable[] level : levels) {
      tableCount += level.length;
    }
    List<TableReader> unread = new ArrayList<>(tableCount);
    for (OpenTable[] level : levels) {
      for (OpenTable table : level) {
        table.states--;
        // One that was dropped is not among them any more.
        if (table.states == 0 && tables.remove(table.number, table)) {
          unread.add(table.reader);
        }
      }
    }
    return unread;
  }
}
