package dev.varve.lsm;

import dev.varve.lsm.entry.DeadRanges;
import dev.varve.lsm.entry.EntryCursor;
import dev.varve.lsm.entry.PassWalk;
import dev.varve.lsm.entry.ReadFailure;
import dev.varve.lsm.table.TableWriter;
import dev.varve.lsm.version.TableMeta;
import dev.varve.lsm.version.VersionEdit;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Writes an immutable memtable as tables of level 0. On a worker thread, one at a time, oldest
 * first.
 *
 * <p>Drops by the same rules as compaction: what is shadowed, what is dead, and tombstones with
 * nothing below them, so that a queue which is pushed and popped within one memtable leaves no
 * trace.
 */
final class FlushPass {

  /** Whether anybody waits is looked at after so many bytes of keys and values. */
  private static final int RAW_BYTES_BETWEEN_STEPS = 32 << 10;

  /** Flushes {@code slot} and installs the outcome. When it fails all is as before. */
  static void run(LsmTree tree, TreeTables tables, MemtableSlot slot, FlushTotals totals)
      throws IOException {
    VersionEdit edit =
        new VersionEdit().flushedThrough(slot.lastSequence(), tables.firstLogSegmentAfter(slot));
    slot.counterDeltas().forEach(edit::addToCounter);
    long horizon = tree.horizon();
    List<TableMeta> written = new ArrayList<>();
    long dropped;
    long droppedRawBytes;
    // Every table is below a memtable that is the oldest.
    TreeState below = tables.hold();
    try (EntryCursor entries = slot.table().cursor();
        DeadRanges dead = tree.deadEntryRule().deadRanges(horizon)) {
      PassWalk walk =
          new PassWalk(
              tree.options().keyOrder(),
              entries,
              slot.lastSequence(),
              horizon,
              dead,
              below::mayTablesHold);
      LongSupplier deadThrough = () -> dead.areAll() ? horizon : TableMeta.DEAD_RULE_NEVER_APPLIED;
      long kept = writeTables(tree, tables, walk, entries, deadThrough, written);
      // A seek past the rest of a dead range does not count what it passes.
      dropped = slot.table().entries() - kept - walk.shadowedEntries() - walk.spentTombstones();
      droppedRawBytes =
          walk.deadEntriesMet() == 0 ? 0 : dropped * walk.deadRawBytesMet() / walk.deadEntriesMet();
      if (!written.isEmpty()) {
        tables.syncDirectory();
      }
    } catch (IOException | RuntimeException | Error e) {
      tables.discardAfter(e, written);
      if (e instanceof ReadFailure failure) {
        throw failure.getCause();
      }
      throw e;
    } finally {
      below.release();
    }
    for (TableMeta table : written) {
      edit.add(0, table);
    }
    tables.installFlush(slot, edit);
    totals.add(written, dropped, droppedRawBytes);
  }

  /** Returns how many entries were kept. */
  private static long writeTables(
      LsmTree tree,
      TreeTables tables,
      PassWalk walk,
      EntryCursor entries,
      LongSupplier deadThrough,
      List<TableMeta> written)
      throws IOException {
    TableWriter writer = null;
    long borderBytes = 0;
    long kept = 0;
    long rawBytes = 0;
    try {
      while (walk.next()) {
        // Versions of one key stay in one table, so that a level has a key in one place only.
        if (writer != null
            && walk.keyIsNew()
            && endsBefore(tree, writer, entries, borderBytes >= VersionEdit.BORDER_BYTES_WANTED)) {
          TableMeta table = writer.finish(deadThrough.getAsLong());
          written.add(table);
          borderBytes += table.borderBytes();
          writer = null;
        }
        if (writer == null) {
          writer = tables.forPasses().newTable(null);
        }
        writer.add(entries);
        kept++;
        rawBytes += entries.keyLength() + entries.valueLength();
        if (rawBytes >= RAW_BYTES_BETWEEN_STEPS) {
          rawBytes = 0;
          if (!tables.isFlushAwaited()) {
            tree.options().onFlushStep().run();
          }
        }
      }
      if (writer != null) {
        written.add(writer.finish(deadThrough.getAsLong()));
        writer = null;
      }
      return kept;
    } catch (IOException | RuntimeException | Error e) {
      IOException undeleted = writer == null ? null : tables.forPasses().abandon(writer);
      if (undeleted != null) {
        e.addSuppressed(undeleted);
      }
      throw e;
    }
  }

  /**
   * Whether a table ends before an entry, a new key; {@code isLast} if it is to be the last one.
   */
  private static boolean endsBefore(
      LsmTree tree, TableWriter writer, EntryCursor entry, boolean isLast) {
    return writer.isIndexLongerWith(
            entry.keyBuffer(), entry.keyLength(), TableWriter.indexBytesMax(isLast))
        || (!isLast
            && (writer.fileBytesEstimate() >= tree.options().flushedTableBytes()
                || isApart(tree, writer, entry)));
  }

  private static boolean isApart(LsmTree tree, TableWriter writer, EntryCursor entry) {
    return tree.options()
        .keyOrder()
        .isApart(writer.smallestKey(), entry.keyBuffer(), 0, entry.keyLength());
  }

  private FlushPass() {}
}
