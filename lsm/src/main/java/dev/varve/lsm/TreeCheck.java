package dev.varve.lsm;

import dev.varve.lsm.entry.KeyComparator;
import dev.varve.lsm.entry.ReadFailure;
import dev.varve.lsm.table.BlockCache;
import dev.varve.lsm.table.TableCheck;
import dev.varve.lsm.table.TableReader;
import dev.varve.lsm.version.Manifest;
import dev.varve.lsm.version.TableMeta;
import dev.varve.lsm.version.TreeShape;
import dev.varve.lsm.version.Version;
import dev.varve.wal.CorruptionException;
import dev.varve.wal.FormatTooNewException;
import dev.varve.wal.LogReader;
import dev.varve.wal.LogReplay;
import dev.varve.wal.OffHeap;
import dev.varve.wal.StorageDirectory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

/**
 * Reads every byte of a tree that counts, and finds all damage; changes nothing. For one thread,
 * used once, on a directory that nobody has open.
 */
public final class TreeCheck {
  private final StorageDirectory directory;
  private final KeyComparator order;
  private final OffHeap memory;
  private final Consumer<String> onRead;
  private final List<IOException> damage = new ArrayList<>();
  private final BatchReader batch = new BatchReader();

  private TreeCheck(
      StorageDirectory directory, KeyComparator order, OffHeap memory, Consumer<String> onRead) {
    this.directory = directory;
    this.order = order;
    this.memory = memory;
    this.onRead = onRead;
  }

  /**
   * Checks the tree of a directory.
   *
   * @param onRead is told in one line each what was read
   * @return what is wrong, most of it as {@link CorruptionException}, and what a later release
   *     wrote as {@link FormatTooNewException}, which is no damage; empty if nothing is
   * @throws IOException when there is no tree, or one with another key order
   */
  public static List<IOException> run(
      StorageDirectory directory, KeyComparator order, OffHeap memory, Consumer<String> onRead)
      throws IOException {
    TreeCheck check = new TreeCheck(directory, order, memory, onRead);
    check.run();
    return check.damage;
  }

  /** Throws if the directory holds no tree, or may not be read. */
  public static void requireTree(StorageDirectory directory) throws IOException {
    // Where it may not be read, no file seems to be there: this says why.
    directory.list();
    if (!Manifest.exists(directory)) {
      throw new IOException("no data of Varve in " + directory.path() + ": there is no CURRENT");
    }
  }

  private void run() throws IOException {
    requireTree(directory);
    try (Manifest manifest = Manifest.open(directory, order, memory, new Random())) {
      TreeShape shape = manifest.shape();
      onRead.accept(
          "manifest: "
              + shape.version().tableCount()
              + " tables, log from segment "
              + shape.oldestLogSegment());
      checkTables(shape.version());
      checkLog(manifest);
    } catch (CorruptionException | FormatTooNewException wrong) {
      // Which tables and segments count is not known then.
      damage.add(wrong);
    }
  }

  private void checkTables(Version version) {
    try (BlockCache cache = new BlockCache(memory, 0)) {
      for (TableMeta table : version.tables()) {
        checkTable(table, cache);
      }
    }
  }

  private void checkTable(TableMeta meta, BlockCache cache) {
    int before = damage.size();
    try {
      TableReader table = TableReader.open(directory, meta, order, cache, damage::add);
      try {
        TableCheck.readAll(table);
      } finally {
        table.release();
      }
    } catch (ReadFailure failure) {
      damage.add(failure.getCause());
    } catch (IOException failure) {
      if (!damage.contains(failure)) {
        damage.add(failure);
      }
    }
    if (damage.size() == before) {
      onRead.accept(
          meta.fileName() + ": " + meta.entries() + " entries, " + meta.fileBytes() + " bytes");
    }
  }

  private void checkLog(Manifest manifest) {
    try {
      LogReplay replay =
          LogReader.replay(
              directory,
              memory,
              manifest.shape().oldestLogSegment(),
              manifest.durableLog(),
              this::checkBatch);
      String tail =
          replay.cutBytes() == 0
              ? ""
              : ", then "
                  + replay.cutBytes()
                  + " bytes that a crash left: the next start cuts them";
      onRead.accept(
          "log: "
              + replay.recordCount()
              + " records in "
              + replay.segmentCount()
              + " segments"
              + tail);
    } catch (IOException wrong) {
      damage.add(wrong);
    }
  }

  private void checkBatch(long segment, long offset, ByteBuffer payload) throws IOException {
    byte[] copy = new byte[payload.remaining()];
    payload.get(copy);
    batch.resetLogged(copy, copy.length, segment, offset);
  }
}
