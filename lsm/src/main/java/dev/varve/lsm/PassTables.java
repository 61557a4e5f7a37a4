package dev.varve.lsm;

import dev.varve.lsm.entry.EntryCursor;
import dev.varve.lsm.table.BlockCache;
import dev.varve.lsm.table.KeyHash;
import dev.varve.lsm.table.PassReads;
import dev.varve.lsm.table.TableOptions;
import dev.varve.lsm.table.TableReader;
import dev.varve.lsm.table.TableWriter;
import dev.varve.lsm.version.TableMeta;
import dev.varve.lsm.version.Version;
import dev.varve.wal.StorageDirectory;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What flush and compaction read and write of a tree's tables: they begin new ones, walk over those
 * there are, and ask their indexes and filters. {@link TreeTables} installs what they write.
 *
 * <p>For worker threads, several at a time; may wait for the disk.
 */
public final class PassTables {
  private final TreeTables tables;
  private final OpenTables open;
  private final StorageDirectory directory;
  private final TreeOptions options;
  private final BlockCache cache;
  private final ObsoleteTables obsolete;
  private final AtomicLong nextTableNumber;

  PassTables(
      TreeTables tables,
      OpenTables open,
      StorageDirectory directory,
      TreeOptions options,
      BlockCache cache,
      ObsoleteTables obsolete,
      long nextTableNumber) {
    this.tables = tables;
    this.open = open;
    this.directory = directory;
    this.options = options;
    this.cache = cache;
    this.obsolete = obsolete;
    this.nextTableNumber = new AtomicLong(nextTableNumber);
  }

  /**
   * Starts a table with a number that was never used. The caller finishes or {@link #abandon}s it.
   * Its blocks are in the cache from the start, as far as there is room for what proves to be in
   * use.
   *
   * @param inputs of the pass, if the entries come from tables: then only blocks are cached that
   *     replace such as were in memory
   */
  public TableWriter newTable(@Nullable PassReads inputs) throws IOException {
    return new TableWriter(
            directory,
            nextTableNumber.getAndIncrement(),
            TableOptions.DEFAULT.withBlockBytes(options.blockBytes()),
            options.keyOrder(),
            options.offHeap())
        .keepBlocks(cache, inputs);
  }

  /**
   * Gives up a table that was begun, and deletes its file. Returns why that failed, or null; it is
   * tried later.
   */
  public @Nullable IOException abandon(TableWriter writer) {
    writer.abandon();
    cache.forget(writer.number());
    return obsolete.tryDelete(TableMeta.fileName(writer.number()));
  }

  /**
   * A walk over all entries of a table, for a pass: may wait for the disk, leaves the cache alone.
   * The table's file stays until the cursor is closed. Null when the table has left the tree.
   *
   * @param reads is told what the walk reads
   */
  public @Nullable EntryCursor openForPass(TableMeta table, PassReads reads) {
    TreeState held = tables.hold();
    for (int level = 0; level < Version.LEVELS; level++) {
      if (held.version().level(level).contains(table)) {
        try {
          return new HeldCursor(open.get(table.number()).passCursor(reads), held);
        } catch (RuntimeException | Error e) {
          held.release();
          throw e;
        }
      }
    }
    held.release();
    return null;
  }

  /**
   * About how many bytes of the table's file hold keys of {@code [from, toExclusive)}, from its
   * index. Zero only when it surely holds none; the whole file when it has left the tree.
   */
  public long approximateBytes(TableMeta table, byte[] from, byte[] toExclusive) {
    TableReader reader = open.find(table.number());
    if (reader == null || !reader.tryRetain()) {
      return table.fileBytes();
    }
    try {
      return reader.approximateBytes(from, toExclusive);
    } finally {
      reader.release();
    }
  }

  /** Whether the table may hold the key, by its filter. True when in doubt. */
  public boolean mayHold(TableMeta table, byte[] key, int keyLength) {
    TableReader reader = open.find(table.number());
    if (reader == null || !reader.tryRetain()) {
      return true;
    }
    try {
      return reader.mayContain(KeyHash.hash(key, 0, keyLength));
    } finally {
      reader.release();
    }
  }
}
