package dev.varve.lsm;

import dev.varve.lsm.version.Manifest;
import dev.varve.lsm.version.TableMeta;
import dev.varve.lsm.version.TreeShape;
import dev.varve.wal.LogPrefix;
import dev.varve.wal.StorageDirectory;
import dev.varve.wal.SyncedPoint;
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
   * Only that moment keeps a flush waiting, for segments that the shape needs must not go before
   * they are held. Tables do not change; what is held stays, however long the copying takes.
   */

  private final StorageDirectory source;
  private final TreeOptions options;
  private final TreeShape shape;
  private final TreeState tables;
  private final LogPrefix log;

  private Checkpoint(
      StorageDirectory source, TreeOptions options, TreeTables.HeldShape held, LogPrefix log) {
    this.source = source;
    this.options = options;
    this.shape = held.shape();
    this.tables = held.state();
    this.log = log;
  }

  /** Takes the moment. The caller lets no flush run meanwhile. */
  static Checkpoint begin(
      StorageDirectory source, TreeOptions options, TreeTables tables, TreeLog log)
      throws IOException {
    TreeTables.HeldShape held = tables.holdShape();
    try {
      LogPrefix prefix = log.prefix(held.shape().oldestLogSegment());
      return new Checkpoint(source, options, held, prefix);
    } catch (IOException | RuntimeException | Error e) {
      held.state().release();
      throw e;
    }
  }

  /**
   * Brings all of it to an empty directory, last of all what makes that a tree. Durable when this
   * returns.
   */
  void writeTo(StorageDirectory target, BooleanSupplier isEnding) throws IOException {
    SyncedPoint durableLog = log.copyTo(target);
    for (TableMeta table : shape.version().tables()) {
      if (isEnding.getAsBoolean()) {
        throw new IOException("the checkpoint was given up before it was whole");
      }
      source.duplicate(table.fileName(), target);
    }
    Manifest.write(target, shape, durableLog, options.offHeap(), options.salts());
  }

  @Override
  public void close() {
    tables.release();
    log.close();
  }
}
