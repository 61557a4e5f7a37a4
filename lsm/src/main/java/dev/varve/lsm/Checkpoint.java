package dev.varve.lsm;

import dev.varve.lsm.version.Manifest;
import dev.varve.lsm.version.TableMeta;
import dev.varve.lsm.version.TreeShape;
import dev.varve.lsm.version.Version;
import dev.varve.wal.LogCopy;
import dev.varve.wal.StorageDirectory;
import java.io.Closeable;
import java.io.IOException;
import java.util.function.BooleanSupplier;

/**
 * A second directory with the tree as it was at one moment, made while it is in use. Belongs to one
 * worker.
 */
final class Checkpoint implements Closeable {
  /*
   * Tables alone would not do: a pass drops what died by records that are synced in the log and may
   * be in no table yet. So the shape comes first, and then the log up to where it is written by
   * then: whatever a pass of that shape has heeded is in there. A start on the checkpoint finds
   * what it finds after a kill.
   *
   * Nothing is flushed while the log is copied, or segments would go that the shape still needs.
   * Tables do not change and are held: they need no lock.
   */

  private final StorageDirectory source;
  private final StorageDirectory target;
  private final TreeOptions options;
  private final TreeShape shape;
  private final TreeState tables;
  private final LogCopy log;

  private Checkpoint(
      StorageDirectory source,
      StorageDirectory target,
      TreeOptions options,
      TreeTables.HeldShape held,
      LogCopy log) {
    this.source = source;
    this.target = target;
    this.options = options;
    this.shape = held.shape();
    this.tables = held.state();
    this.log = log;
  }

  /** Takes the moment, and copies the log. The caller lets no flush run meanwhile. */
  static Checkpoint begin(
      StorageDirectory source,
      StorageDirectory target,
      TreeOptions options,
      TreeTables tables,
      TreeLog log)
      throws IOException {
    TreeTables.HeldShape held = tables.holdShape();
    try {
      LogCopy copy = log.copyTo(target, held.shape().oldestLogSegment());
      return new Checkpoint(source, target, options, held, copy);
    } catch (IOException | RuntimeException e) {
      held.state().release();
      throw e;
    }
  }

  /** Adds the tables, and last of all what makes it a tree. Durable when this returns. */
  void finish(BooleanSupplier isEnding) throws IOException {
    Version version = shape.version();
    for (int level = 0; level < Version.LEVELS; level++) {
      for (TableMeta table : version.level(level)) {
        if (isEnding.getAsBoolean()) {
          throw new IOException("given up, with tables still to come");
        }
        source.duplicate(table.fileName(), target);
      }
    }
    Manifest.write(target, shape, log.sync(), options.offHeap(), options.salts());
  }

  @Override
  public void close() throws IOException {
    tables.release();
    log.close();
  }
}
