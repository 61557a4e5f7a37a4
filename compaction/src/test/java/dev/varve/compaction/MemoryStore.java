package dev.varve.compaction;

import dev.varve.lsm.MemtableFigures;
import dev.varve.lsm.entry.DeadEntryRule;
import dev.varve.lsm.entry.DeadRanges;
import dev.varve.lsm.entry.EntryCursor;
import dev.varve.lsm.entry.KeyComparator;
import dev.varve.lsm.entry.PassWalk;
import dev.varve.lsm.table.PassReads;
import dev.varve.lsm.version.TableMeta;
import dev.varve.lsm.version.Version;
import dev.varve.lsm.version.VersionEdit;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A tree whose tables are lists: files have as many bytes as their keys and values. */
final class MemoryStore implements TableStore {
  private final Map<Long, List<Entry>> files = new HashMap<>();
  private final List<Long> tablesOpened = new ArrayList<>();
  private Version version = Version.empty(KeyComparator.BYTEWISE);
  private long nextTable = 1;
  private TreeSet<Entry> memtable = new TreeSet<>();

  long nextSequence = 1;
  long published;
  long flushedBytes;
  long damagedTable = -1;

  /** So many more tables can be created before the disk is full. */
  int tablesLeft = Integer.MAX_VALUE;

  boolean installFails;

  /** Happens whenever a pass begins a table. */
  Runnable onCreateTable = () -> {};

  /** Has keys in another order, as long as it is empty. */
  void order(KeyComparator order) {
    version = Version.empty(order);
  }

  // ---- writing ----------------------------------------------------------------------------------

  long put(byte[] key, byte[] value) {
    memtable.add(new Entry(key, nextSequence, false, value));
    return nextSequence++;
  }

  long delete(byte[] key) {
    memtable.add(new Entry(key, nextSequence, true, new byte[0]));
    return nextSequence++;
  }

  void publishAll() {
    published = nextSequence - 1;
  }

  /** Flushes the memtable as the tree does. */
  void flush(DeadEntryRule rule) throws IOException {
    long horizon = published;
    List<Entry> kept = new ArrayList<>();
    List<Entry> input = new ArrayList<>(memtable);
    try (ListCursor cursor = new ListCursor(input, new PassReads(), -1);
        DeadRanges dead = rule.deadRanges(horizon)) {
      Version below = version;
      PassWalk walk =
          new PassWalk(
              order(),
              cursor,
              nextSequence,
              horizon,
              dead,
              (key, length) -> mayHoldAnywhere(below, key, length));
      while (walk.next()) {
        kept.add(entryAt(cursor));
      }
    }
    memtable = new TreeSet<>();
    if (!kept.isEmpty()) {
      addTable(0, kept, horizon);
    }
  }

  /** Puts a table of these entries at a level. */
  TableMeta addTable(int level, List<Entry> entries, long deadThrough) throws IOException {
    Output output = new Output();
    List<Entry> sorted = new ArrayList<>(entries);
    Collections.sort(sorted);
    output.entries.addAll(sorted);
    TableMeta table = output.finish(deadThrough);
    install(new VersionEdit().add(level, table));
    flushedBytes += table.fileBytes();
    return table;
  }

  private boolean mayHoldAnywhere(Version below, byte[] key, int length) {
    for (int level = 0; level < Version.LEVELS; level++) {
      for (TableMeta table : below.level(level)) {
        if (mayHold(table, key, length)) {
          return true;
        }
      }
    }
    return false;
  }

  // ---- reading ----------------------------------------------------------------------------------

  /** What a reader at {@code sequence} sees of all tables and the memtable. */
  TreeMap<byte[], byte[]> visible(long sequence) {
    TreeSet<Entry> all = new TreeSet<>(memtable);
    for (int level = 0; level < Version.LEVELS; level++) {
      for (TableMeta table : version.level(level)) {
        for (Entry entry : entries(table)) {
          if (!all.add(entry)) {
            throw new AssertionError("an entry is in two tables");
          }
        }
      }
    }
    TreeMap<byte[], byte[]> visible = new TreeMap<>(java.util.Arrays::compareUnsigned);
    byte @Nullable [] last = null;
    for (Entry entry : all) {
      boolean newest = last == null || !java.util.Arrays.equals(last, entry.key());
      if (entry.sequence() <= sequence && newest) {
        last = entry.key();
        if (!entry.tombstone()) {
          visible.put(entry.key(), entry.value());
        }
      }
    }
    return visible;
  }

  List<Entry> entries(TableMeta table) {
    List<Entry> entries = files.get(table.number());
    if (entries == null) {
      throw new AssertionError("the file of " + table + " is gone");
    }
    return entries;
  }

  long totalEntries() {
    long sum = 0;
    for (int level = 0; level < Version.LEVELS; level++) {
      for (TableMeta table : version.level(level)) {
        sum += table.entries();
      }
    }
    return sum;
  }

  long totalBytes() {
    long sum = 0;
    for (int level = 0; level < Version.LEVELS; level++) {
      sum += version.levelBytes(level);
    }
    return sum;
  }

  int fileCount() {
    return files.size();
  }

  List<Long> tablesOpened() {
    return tablesOpened;
  }

  static Entry entryAt(EntryCursor cursor) {
    return new Entry(cursor.copyKey(), cursor.sequence(), cursor.isTombstone(), cursor.copyValue());
  }

  // ---- the port ---------------------------------------------------------------------------------

  @Override
  public synchronized Version version() {
    return version;
  }

  @Override
  public KeyComparator order() {
    return version.order();
  }

  @Override
  public long publishedSequence() {
    return published;
  }

  @Override
  public long oldestUnflushedSequence() {
    long oldest = Long.MAX_VALUE;
    for (Entry entry : memtable) {
      oldest = Math.min(oldest, entry.sequence());
    }
    return oldest;
  }

  @Override
  public boolean isInMemory(KeyRange range) {
    for (Entry entry : memtable) {
      if (Arrays.compareUnsigned(range.start(), entry.key()) <= 0
          && Arrays.compareUnsigned(entry.key(), range.endExclusive()) < 0) {
        return true;
      }
    }
    return false;
  }

  @Override
  public MemtableFigures memtables() {
    long bytes = 0;
    long tombstones = 0;
    for (Entry entry : memtable) {
      bytes += entry.rawBytes();
      tombstones += entry.tombstone() ? 1 : 0;
    }
    return new MemtableFigures(bytes, memtable.size(), tombstones);
  }

  @Override
  public synchronized EntryCursor openForPass(TableMeta table, PassReads counter) {
    tablesOpened.add(table.number());
    List<Entry> entries = entries(table);
    int damage = table.number() == damagedTable ? entries.size() / 2 : -1;
    return new ListCursor(entries, counter, damage);
  }

  @Override
  public boolean mayHold(TableMeta table, byte[] key, int keyLength) {
    ListCursor cursor = new ListCursor(entries(table), new PassReads(), -1);
    return cursor.seek(key, 0, keyLength, EntryCursor.SEQUENCE_MAX)
        && cursor.keyLength() == keyLength
        && java.util.Arrays.equals(cursor.keyBuffer(), 0, keyLength, key, 0, keyLength);
  }

  @Override
  public long approximateBytes(TableMeta table, byte[] start, byte[] endExclusive) {
    long sum = 0;
    for (Entry entry : entries(table)) {
      if (order().compare(entry.key(), start) >= 0
          && order().compare(entry.key(), endExclusive) < 0) {
        sum += entry.rawBytes();
      }
    }
    return sum;
  }

  @Override
  public PassOutput createTable(PassReads inputs) throws IOException {
    if (tablesLeft == 0) {
      throw new IOException("no space left on device");
    }
    tablesLeft--;
    onCreateTable.run();
    return new Output();
  }

  @Override
  public void syncDirectory() {}

  @Override
  public synchronized void install(VersionEdit edit) throws IOException {
    if (installFails) {
      throw new IOException("the manifest could not be synced");
    }
    version = version.apply(edit);
    for (int level = 0; level < Version.LEVELS; level++) {
      for (long number : edit.deletedTables(level)) {
        if (!isAdded(edit, number)) {
          files.remove(number);
        }
      }
    }
  }

  private static boolean isAdded(VersionEdit edit, long number) {
    for (int level = 0; level < Version.LEVELS; level++) {
      if (edit.addedTables(level).stream().anyMatch(table -> table.number() == number)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public synchronized void discard(TableMeta table) {
    files.remove(table.number());
  }

  private final class Output implements PassOutput {
    private final long number;
    private final List<Entry> entries = new ArrayList<>();
    private long fileBytes;

    Output() {
      synchronized (MemoryStore.this) {
        number = nextTable++;
        files.put(number, entries);
      }
    }

    @Override
    public void add(EntryCursor entry) {
      Entry copy = entryAt(entry);
      if (!entries.isEmpty() && entries.get(entries.size() - 1).compareTo(copy) >= 0) {
        throw new AssertionError("entries out of order");
      }
      entries.add(copy);
      fileBytes += copy.rawBytes();
    }

    @Override
    public long fileBytes() {
      return fileBytes;
    }

    @Override
    public boolean isIndexLongerWith(EntryCursor entry, long bytes) {
      return false;
    }

    @Override
    public TableMeta finish(long deadThrough) {
      long rawBytes = entries.stream().mapToLong(Entry::rawBytes).sum();
      return new TableMeta(
          number,
          rawBytes,
          rawBytes,
          entries.get(0).key(),
          entries.get(entries.size() - 1).key(),
          entries.stream().mapToLong(Entry::sequence).min().orElseThrow(),
          entries.stream().mapToLong(Entry::sequence).max().orElseThrow(),
          entries.size(),
          entries.stream().filter(Entry::tombstone).count(),
          deadThrough);
    }

    @Override
    public void abandon() {
      synchronized (MemoryStore.this) {
        files.remove(number);
      }
    }
  }
}
