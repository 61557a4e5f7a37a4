package dev.varve.compaction;

import dev.varve.lsm.MemtableFigures;
import dev.varve.lsm.entry.EntryCursor;
import dev.varve.lsm.entry.KeyComparator;
import dev.varve.lsm.table.PassReads;
import dev.varve.lsm.version.TableMeta;
import dev.varve.lsm.version.Version;
import dev.varve.lsm.version.VersionEdit;
import java.io.IOException;

/**
 * What compaction needs of the tree: the port through which it sees the shape, reads tables, writes
 * new ones and installs the change. Safe for use by several threads.
 */
public interface TableStore extends RangeEstimator {

  /** The tree's shape now. */
  Version version();

  /** The key order of the tree. */
  KeyComparator order();

  /**
   * The published sequence number: every read that starts from now on reads at it or later, and a
   * read that started earlier holds the tables it needs.
   */
  long publishedSequence();

  /**
   * The least sequence number that is not in a table yet, or {@link Long#MAX_VALUE} when all
   * memtables are empty.
   */
  long oldestUnflushedSequence();

  /**
   * Whether a memtable has an entry of the range, whoever sees it. What is written meanwhile may or
   * may not count.
   */
  boolean isInMemory(KeyRange range);

  /** What is in no table yet. */
  MemtableFigures memtables();

  /**
   * Opens a walk over a table of the given version that may wait for the disk and leaves the block
   * cache alone. The table's file stays until the cursor is closed.
   *
   * @throws IOException when the table cannot be opened, or is corrupt
   */
  EntryCursor openForPass(TableMeta table, PassReads reads) throws IOException;

  /**
   * Whether the table may hold the key, by its filter. True when in doubt; must not read the disk.
   */
  boolean mayHold(TableMeta table, byte[] key, int keyLength);

  /**
   * Starts a table with a new number that no version names yet.
   *
   * @param inputs what the pass reads: what was in memory there may be in memory here
   */
  PassOutput createTable(PassReads inputs) throws IOException;

  /** Makes the finished tables' names survive power loss. To be called before {@link #install}. */
  void syncDirectory() throws IOException;

  /**
   * Applies the edit to the current version and makes that durable. Afterwards the files of deleted
   * tables go as soon as no reader holds them.
   *
   * <p>When it fails nothing has changed for this process. The new tables' files are the tree's
   * nevertheless, for the edit may be in force after a restart.
   *
   * @throws IOException when the device fails
   */
  void install(VersionEdit edit) throws IOException;

  /**
   * Deletes the file of a finished output that will not be installed.
   *
   * @throws IOException when the device fails; the store tries again later
   */
  void discard(TableMeta table) throws IOException;
}
