package dev.varve.lsm;

import dev.varve.lsm.OpenTables.OpenTable;
import dev.varve.lsm.entry.EntryCursor;
import dev.varve.lsm.entry.KeyComparator;
import dev.varve.lsm.entry.Lookup;
import dev.varve.lsm.entry.MergingCursor;
import dev.varve.lsm.entry.ValueCopy;
import dev.varve.lsm.table.KeyHash;
import dev.varve.lsm.table.ReadContext;
import dev.varve.lsm.table.TableReader;
import dev.varve.lsm.version.TableMeta;
import dev.varve.lsm.version.Version;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Everything a read looks at: the memtables and the open tables of one moment. Immutable and shared
 * by reference count; the last to release it hands it to a worker, which frees what nobody else
 * holds, for closing files has no place on an event loop.
 */
final class TreeState {
  private final MemtableSlot active;
  private final MemtableSlot[] immutables;
  private final Version version;
  private final TableReader[][] readers;

  /** Those of level 0 once more, run by run. */
  private final TableReader[][] levelZeroRuns;

  /** The first bytes of the keys of each table of level 0, from the least on to the largest. */
  private final byte[] levelZeroFirst;

  private final byte[] levelZeroLast;
  private final OpenTables open;
  private final OpenTable[][] tables;
  private final ObsoleteTables obsolete;
  private final AtomicInteger holders = new AtomicInteger(1);

  /** The state that was retired before this one. */
  private @Nullable TreeState retiredBefore;

  /**
   * Takes a reference on every memtable and table.
   *
   * @param immutables rotated memtables, newest first
   * @param open where the tables of {@code version} are
   * @param obsolete where it goes in the end
   */
  TreeState(
      MemtableSlot active,
      List<MemtableSlot> immutables,
      Version version,
      OpenTables open,
      ObsoleteTables obsolete) {
    this.active = active;
    this.immutables = immutables.toArray(MemtableSlot[]::new);
    this.version = version;
    this.open = open;
    this.obsolete = obsolete;
    this.tables = open.find(version);
    this.readers = new TableReader[Version.LEVELS][];
    for (int level = 0; level < Version.LEVELS; level++) {
      readers[level] = new TableReader[tables[level].length];
      for (int i = 0; i < readers[level].length; i++) {
        readers[level][i] = tables[level][i].reader();
      }
    }
    this.levelZeroRuns = levelZeroRuns();
    this.levelZeroFirst = new byte[readers[0].length];
    this.levelZeroLast = new byte[readers[0].length];
    for (int i = 0; i < readers[0].length; i++) {
      byte[] smallest = version.level(0).get(i).smallestKey();
      byte[] largest = version.level(0).get(i).largestKey();
      levelZeroFirst[i] = firstByte(smallest, smallest.length);
      levelZeroLast[i] = firstByte(largest, largest.length);
    }
    // Last, and without another allocation: a state that there is no memory for holds nothing.
    open.hold(tables);
    active.table().retain();
    for (MemtableSlot slot : this.immutables) {
      slot.table().retain();
    }
  }

  private TableReader[][] levelZeroRuns() {
    Map<TableMeta, TableReader> byTable = new HashMap<>();
    for (int i = 0; i < readers[0].length; i++) {
      byTable.put(version.level(0).get(i), readers[0][i]);
    }
    List<List<TableMeta>> runs = version.levelZeroRuns();
    TableReader[][] found = new TableReader[runs.size()][];
    for (int run = 0; run < found.length; run++) {
      found[run] = runs.get(run).stream().map(byTable::get).toArray(TableReader[]::new);
    }
    return found;
  }

  /** A key's first byte; the order of keys is never against that of these. */
  private static byte firstByte(byte[] key, int keyLength) {
    return keyLength == 0 ? 0 : key[0];
  }

  MemtableSlot active() {
    return active;
  }

  /** Rotated memtables, newest first. */
  List<MemtableSlot> immutables() {
    return List.of(immutables);
  }

  /** How many of them there are. */
  int immutableCount() {
    return immutables.length;
  }

  /** As {@link LsmTree#oldestUnflushedSequence}. */
  long oldestUnflushedSequence() {
    for (int i = immutables.length - 1; i >= 0; i--) {
      if (immutables[i].table().entries() > 0) {
        return immutables[i].firstSequence();
      }
    }
    return active.table().entries() > 0 ? active.firstSequence() : Long.MAX_VALUE;
  }

  /** As {@link LsmTree#isInMemory}. The caller holds a reference. */
  boolean isInMemory(KeyComparator order, byte[] from, byte[] toExclusive) {
    boolean found = active.holds(order, from, toExclusive);
    for (MemtableSlot slot : immutables) {
      found |= slot.holds(order, from, toExclusive);
    }
    return found;
  }

  /** As {@link LsmTree#memtables}. */
  MemtableFigures memtables() {
    MemtableFigures sum = MemtableFigures.of(active.table());
    for (MemtableSlot slot : immutables) {
      sum = sum.plus(MemtableFigures.of(slot.table()));
    }
    return sum;
  }

  /** How many sorted runs the tables of level 0 are. */
  int levelZeroRunCount() {
    return levelZeroRuns.length;
  }

  Version version() {
    return version;
  }

  /**
   * The newest value of the key with a sequence number up to {@code sequence}, or null when there
   * is none or it is a tombstone.
   */
  byte @Nullable [] get(byte[] key, long sequence, ReadContext context, ValueCopy copy) {
    byte[] found = active.table().get(key, sequence, copy);
    for (int i = 0; found == null && i < immutables.length; i++) {
      found = immutables[i].table().get(key, sequence, copy);
    }
    if (found == null) {
      found = getFromTables(key, sequence, context, copy);
    }
    return found == Lookup.TOMBSTONE ? null : found;
  }

  private byte @Nullable [] getFromTables(
      byte[] key, long sequence, ReadContext context, ValueCopy copy) {
    if (version.tableCount() == 0) {
      return null;
    }
    long hash = KeyHash.hash(key, 0, key.length);
    for (int i = 0; i < readers[0].length; i++) {
      if (isWithin(i, key, key.length)) {
        byte[] found = readers[0][i].get(key, hash, sequence, context, copy);
        if (found != null) {
          return found;
        }
      }
    }
    for (int level = 1; level < Version.LEVELS; level++) {
      TableReader reader = reader(level, key, key.length);
      byte[] found = reader == null ? null : reader.get(key, hash, sequence, context, copy);
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  /**
   * Whether a table may hold an entry of {@code key[0, keyLength)}, by ranges and filters: true
   * when in doubt. Reads no disk.
   */
  boolean mayTablesHold(byte[] key, int keyLength) {
    if (version.tableCount() == 0) {
      return false;
    }
    long hash = KeyHash.hash(key, 0, keyLength);
    for (int i = 0; i < readers[0].length; i++) {
      if (isWithin(i, key, keyLength) && readers[0][i].mayContain(hash)) {
        return true;
      }
    }
    for (int level = 1; level < Version.LEVELS; level++) {
      TableReader reader = reader(level, key, keyLength);
      if (reader != null && reader.mayContain(hash)) {
        return true;
      }
    }
    return false;
  }

  /** Whether a key is in the range of a table of level 0. */
  private boolean isWithin(int index, byte[] key, int keyLength) {
    // Most tables are of another keyspace: their keys need not be fetched to say so.
    byte first = firstByte(key, keyLength);
    if (Byte.compareUnsigned(first, levelZeroFirst[index]) < 0
        || Byte.compareUnsigned(first, levelZeroLast[index]) > 0) {
      return false;
    }
    TableMeta table = version.level(0).get(index);
    return compare(table.smallestKey(), key, keyLength) <= 0
        && compare(table.largestKey(), key, keyLength) >= 0;
  }

  private int compare(byte[] bound, byte[] key, int keyLength) {
    return version.order().compare(bound, 0, bound.length, key, 0, keyLength);
  }

  /** The one table of a level below 0 that a key could be in. */
  private @Nullable TableReader reader(int level, byte[] key, int keyLength) {
    int at = version.firstNotBefore(level, key, keyLength);
    return at < readers[level].length
            && compare(version.level(level).get(at).smallestKey(), key, keyLength) <= 0
        ? readers[level][at]
        : null;
  }

  /** Answers what is asked, as far as memory has the answers. */
  void get(MultiGet asked, long sequence) {
    asked.lookIn(active.table(), sequence);
    for (MemtableSlot slot : immutables) {
      asked.lookIn(slot.table(), sequence);
    }
    for (int i = 0; i < readers[0].length; i++) {
      int index = i;
      asked.lookIn(key -> isWithin(index, key, key.length) ? readers[0][index] : null, sequence);
    }
    for (int level = 1; level < Version.LEVELS; level++) {
      if (readers[level].length > 0) {
        int its = level;
        asked.lookIn(key -> reader(its, key, key.length), sequence);
      }
    }
    asked.answered();
  }

  /** A walk over all entries. The caller holds this state until it has closed the cursor. */
  EntryCursor cursor(ReadContext context) {
    List<EntryCursor> sources = new ArrayList<>();
    sources.add(active.table().cursor());
    for (MemtableSlot slot : immutables) {
      sources.add(slot.table().cursor());
    }
    for (int run = 0; run < levelZeroRuns.length; run++) {
      sources.add(cursor(version.levelZeroRuns().get(run), levelZeroRuns[run], context));
    }
    for (int level = 1; level < Version.LEVELS; level++) {
      if (readers[level].length > 0) {
        sources.add(cursor(version.level(level), readers[level], context));
      }
    }
    return MergingCursor.of(version.order(), sources);
  }

  private EntryCursor cursor(List<TableMeta> run, TableReader[] itsReaders, ReadContext context) {
    return itsReaders.length == 1
        ? itsReaders[0].cursor(context)
        : new TableRunCursor(version, run, itsReaders, context);
  }

  /** Takes a reference, unless the state is being taken apart already. */
  boolean tryRetain() {
    int seen = holders.get();
    while (seen > 0) {
      int now = holders.compareAndExchange(seen, seen + 1);
      if (now == seen) {
        return true;
      }
      seen = now;
    }
    return false;
  }

  /** For {@link ObsoleteTables}. */
  void retiredBefore(@Nullable TreeState state) {
    retiredBefore = state;
  }

  @Nullable TreeState retiredBefore() {
    return retiredBefore;
  }

  void release() {
    int left = holders.decrementAndGet();
    if (left == 0) {
      obsolete.retire(this);
    } else if (left < 0) {
      throw new IllegalStateException("a tree state was released more often than retained");
    }
  }

  /**
   * Gives back the references to tables, after the last holder has released the state. On a worker,
   * once. Returns the tables that nobody reads any more, for the caller to close and delete. When
   * memory runs out nothing has been given back.
   */
  List<TableReader> letGoOfTables() {
    return open.letGo(tables);
  }

  /** The same for memtables; once, whatever it throws. */
  void letGoOfMemtables() {
    active.table().release();
    for (MemtableSlot slot : immutables) {
      slot.table().release();
    }
  }
}
