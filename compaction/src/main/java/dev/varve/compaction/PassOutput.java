package dev.varve.compaction;

import dev.varve.lsm.entry.EntryCursor;
import dev.varve.lsm.version.TableMeta;
import java.io.IOException;

/** One table being written by a pass. For one thread. */
public interface PassOutput {

  /** Appends the entry the cursor is at. Entries come in entry order. */
  void add(EntryCursor entry) throws IOException;

  /** Bytes the file would have if it were finished now, about. */
  long fileBytes();

  /**
   * Whether the table's index, which stays in memory, would be longer than {@code bytes} if the
   * table went on with the entry that the cursor is at.
   */
  boolean isIndexLongerWith(EntryCursor entry, long bytes);

  /**
   * Writes what remains and syncs the file.
   *
   * @param deadThrough see {@link TableMeta#deadThrough()}
   */
  TableMeta finish(long deadThrough) throws IOException;

  /**
   * Deletes what was written so far. Does not throw: a file that cannot be deleted is tried again.
   */
  void abandon();
}
