package dev.varve.lsm.table;

import dev.varve.lsm.entry.KeyComparator;
import dev.varve.lsm.table.TableFormat.Footer;
import dev.varve.lsm.table.TableFormat.Handle;
import dev.varve.wal.CorruptionException;
import dev.varve.wal.OffHeap;
import dev.varve.wal.OffHeapRegion;
import dev.varve.wal.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The steps of opening a table: footer, properties, index, filter, each checked as it is read. For
 * one thread, used once.
 */
final class TableOpening {
  private final StorageFile file;
  private final String name;
  private final BlockCache cache;
  private final CorruptionListener listener;
  private final StoredBlocks stored;
  private final BlockMemory resident;

  TableOpening(StorageFile file, BlockCache cache, CorruptionListener listener) {
    this.file = file;
    this.name = file.name();
    this.cache = cache;
    this.listener = listener;
    this.stored = new StoredBlocks(file, cache.scratch());
    this.resident = BlockMemory.unpooled(cache.offHeap(), OffHeap.Part.INDEX_AND_FILTER);
  }

  /**
   * The open table. The file stays the caller's if this fails, and nothing else is left then.
   *
   * @param order that it must have been written in
   */
  TableReader open(long number, KeyComparator order) throws IOException {
    long fileBytes = file.length();
    if (fileBytes < TableFormat.FOOTER_BYTES) {
      throw new CorruptionException(name, 0, "a table of " + fileBytes + " bytes");
    }
    ByteBuffer bytes = ByteBuffer.allocate(TableFormat.FOOTER_BYTES);
    stored.read(bytes, fileBytes - TableFormat.FOOTER_BYTES);
    Footer footer = TableFormat.footer(bytes, name, fileBytes);
    TableProperties properties = properties(footer.properties(), fileBytes);
    if (!properties.comparatorName().equals(order.name())) {
      throw new IOException(
          "file "
              + name
              + " was written in key order "
              + properties.comparatorName()
              + ", but is opened in "
              + order.name());
    }
    if (properties.meta().number() != number) {
      throw new CorruptionException(
          name, footer.properties().offset(), "is table " + properties.meta().number());
    }
    Block index = stored.readBlock(footer.index(), resident);
    BloomFilter filter = null;
    try {
      checkIndex(index, properties.blocks(), footer);
      filter = filter(footer.filter());
      return new TableReader(
          properties.meta(),
          file,
          stored,
          index,
          filter,
          cache,
          listener,
          footer.filter().offset());
    } catch (IOException | RuntimeException | Error e) {
      index.release();
      if (filter != null) {
        filter.close();
      }
      throw e;
    }
  }

  private TableProperties properties(Handle handle, long fileBytes) throws IOException {
    StoredBlocks.Raw raw = stored.readRaw(handle, resident);
    try {
      ByteBuffer bytes = raw.region().buffer().duplicate().limit(raw.rawBytes());
      return TableProperties.decode(bytes, fileBytes, name, handle.offset());
    } finally {
      raw.region().release();
    }
  }

  private BloomFilter filter(Handle handle) throws IOException {
    StoredBlocks.Raw raw = stored.readRaw(handle, resident);
    OffHeapRegion region = raw.region();
    try {
      return new BloomFilter(
          region.buffer(), raw.rawBytes(), cache.offHeap(), name, handle.offset());
    } finally {
      region.release();
    }
  }

  /** So that reads need not look twice at a handle. */
  private void checkIndex(Block index, int blocks, Footer footer) throws CorruptionException {
    long at = footer.index().offset();
    if (index.entries() != blocks) {
      throw new CorruptionException(
          name, at, "the index has " + index.entries() + " blocks, not " + blocks);
    }
    long end = 0;
    for (int i = 0; i < blocks; i++) {
      if (index.valueLength(i) != TableFormat.HANDLE_BYTES) {
        throw new CorruptionException(name, at, "the index has an entry without a handle");
      }
      Handle handle =
          TableFormat.handle(
              index.buffer(), index.valueOffset(i), footer.filter().offset(), name, at);
      if (handle.offset() != end) {
        throw new CorruptionException(name, at, "the index has a gap at offset " + end);
      }
      end = handle.end();
    }
    if (end != footer.filter().offset()) {
      throw new CorruptionException(name, at, "the index ends at offset " + end);
    }
  }
}
