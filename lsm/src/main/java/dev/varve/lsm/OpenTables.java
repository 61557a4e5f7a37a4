package dev.varve.lsm;

import dev.varve.lsm.table.TableReader;
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

  private static final class Holder {
    final TableReader reader;
    int states;

    Holder(TableReader reader) {
      this.reader = reader;
    }
  }

  private final Map<Long, Holder> tables = new HashMap<>();

  /** Makes a table known. No state reads it yet. */
  synchronized void add(long number, TableReader reader) {
    tables.put(number, new Holder(reader));
  }

  /** Forgets a table that no state has read, and closes it. */
  void drop(long number) {
    TableReader reader;
    synchronized (this) {
      Holder holder = tables.remove(number);
      if (holder == null) {
        return;
      }
      reader = holder.reader;
    }
    reader.release();
  }

  /** The reader of a known table, with one more state that reads it. */
  synchronized TableReader hold(long number) {
    Holder holder = tables.get(number);
    if (holder == null) {
      throw new IllegalStateException("table " + number + " is not open");
    }
    holder.states++;
    return holder.reader;
  }

  /** The reader of a table, or null when it is not known any more. The caller retains it itself. */
  synchronized @Nullable TableReader find(long number) {
    Holder holder = tables.get(number);
    return holder == null ? null : holder.reader;
  }

  /** The reader of a known table. The caller holds a state that reads it. */
  synchronized TableReader get(long number) {
    Holder holder = tables.get(number);
    if (holder == null) {
      throw new IllegalStateException("table " + number + " is not open");
    }
    return holder.reader;
  }

  /** Says that a state no longer reads these tables; returns those that none reads now. */
  synchronized List<TableReader> letGo(TableReader[][] levels) {
    List<TableReader> unread = new ArrayList<>();
    for (TableReader[] level : levels) {
      for (TableReader reader : level) {
        Holder holder = tables.get(reader.meta().number());
        if (holder != null && --holder.states == 0) {
          tables.remove(reader.meta().number());
          unread.add(reader);
        }
      }
    }
    return unread;
  }

  /** Off-heap bytes of all indexes and filters. */
  synchronized long offHeapBytes() {
    long sum = 0;
    for (Holder holder : tables.values()) {
      sum += holder.reader.offHeapBytes();
    }
    return sum;
  }
}
