package dev.varve.compaction;

import dev.varve.lsm.LsmTree;
import dev.varve.lsm.MemtableFigures;
import dev.varve.lsm.PassTables;
import dev.varve.lsm.TreeTables;
import dev.varve.lsm.entry.EntryCursor;
import dev.varve.lsm.entry.KeyComparator;
import dev.varve.lsm.table.PassReads;
import dev.varve.lsm.table.TableWriter;
import dev.varve.lsm.version.TableMeta;
import dev.varve.lsm.version.Version;
import dev.varve.lsm.version.VersionEdit;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A tree as compaction sees it. Safe for use by several threads. */
public final class TreeTableStore implements TableStore {
  private static final Logger LOG = LoggerFactory.getLogger(TreeTableStore.class);

  private final LsmTree tree;
  private final TreeTables tables;
  private final PassTables passes;

  public TreeTableStore(LsmTree tree) {
    this.tree = tree;
    this.tables = tree.tables();
    this.passes = tables.forPasses();
  }

  @Override
  public Version version() {
    return tables.version();
  }

  @Override
  public KeyComparator order() {
    return tree.options().keyOrder();
  }

  @Override
  public long publishedSequence() {
    return tree.horizon();
  }

  @Override
  public long oldestUnflushedSequence() {
    return tree.oldestUnflushedSequence();
  }

  @Override
  public boolean isInMemory(KeyRange range) {
    return tree.isInMemory(range.start(), range.endExclusive());
  }

  @Override
  public MemtableFigures memtables() {
    return tree.memtables();
  }

  @Override
  public EntryCursor openForPass(TableMeta table, PassReads reads) throws IOException {
    EntryCursor cursor = passes.openForPass(table, reads);
    if (cursor == null) {
      throw new IOException("table " + table + " has left the tree");
    }
    return cursor;
  }

  @Override
  public boolean mayHold(TableMeta table, byte[] key, int keyLength) {
    return passes.mayHold(table, key, keyLength);
  }

  @Override
  public long approximateBytes(TableMeta table, byte[] start, byte[] endExclusive) {
    return passes.approximateBytes(table, start, endExclusive);
  }

  @Override
  public PassOutput createTable(PassReads inputs) throws IOException {
    return new Output(passes, passes.newTable(inputs));
  }

  @Override
  public void syncDirectory() throws IOException {
    tables.syncDirectory();
  }

  @Override
  public void install(VersionEdit edit) throws IOException {
    tables.install(edit);
  }

  @Override
  public void discard(TableMeta table) throws IOException {
    tables.discard(table);
  }

  private record Output(PassTables passes, TableWriter writer) implements PassOutput {
    @Override
    public void add(EntryCursor entry) throws IOException {
      writer.add(entry);
    }

    @Override
    public long fileBytes() {
      return writer.fileBytesEstimate();
    }

    @Override
    public boolean isIndexLongerWith(EntryCursor entry, long bytes) {
      return writer.isIndexLongerWith(entry.keyBuffer(), entry.keyLength(), bytes);
    }

    @Override
    public TableMeta finish(long deadThrough) throws IOException {
      return writer.finish(deadThrough);
    }

    @Override
    public void abandon() {
      IOException undeleted = passes.abandon(writer);
      if (undeleted != null) {
        LOG.warn(
            "could not delete an unfinished table, which is tried again: {}",
            undeleted.getMessage());
      }
    }
  }
}
