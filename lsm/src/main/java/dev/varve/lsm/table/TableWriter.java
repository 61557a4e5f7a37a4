package dev.varve.lsm.table;

import dev.varve.lsm.entry.EntryCursor;
import dev.varve.lsm.entry.KeyComparator;
import dev.varve.lsm.table.TableFormat.Footer;
import dev.varve.lsm.table.TableFormat.Handle;
import dev.varve.lsm.version.TableMeta;
import dev.varve.wal.OffHeap;
import dev.varve.wal.StorageDirectory;
import dev.varve.wal.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Writes one table from entries in order. For one thread; may block.
 *
 * <p>It ends by {@link #finish} or {@link #abandon}; after any exception by {@link #abandon}, and
 * then its file is the caller's to delete.
 */
public final class TableWriter {
  /** The longest value that a table holds. */
  public static final int VALUE_BYTES_MAX = TableFormat.VALUE_BYTES_MAX;

  /**
   * Who writes several tables ends one before its index is longer: it stays in memory, as a whole.
   */
  public static final long INDEX_BYTES_WANTED = 64 << 20;

  /** The same where there are to be no more tables: half of what a block may have. */
  private static final long INDEX_BYTES_MAX = 1 << 30;

  private static final byte[] NOTHING = new byte[0];

  private final StorageFile file;
  private final long number;
  private final TableOptions options;
  private final KeyComparator order;
  private final BlockWriter block;
  private final BlockWriter index;
  private final BloomWriter bloom;
  private final TableOutput output;
  private @Nullable WrittenBlocks kept;
  private final ByteBuffer handleBytes = ByteBuffer.allocate(TableFormat.HANDLE_BYTES);

  private byte[] firstKey = NOTHING;
  private byte[] lastKey = new byte[64];
  private int lastKeyLength;
  private long lastSequence;
  private boolean sameKeyAsLast;
  private byte[] lastSeparator = NOTHING;
  private long entries;
  private long tombstones;
  private long rawBytes;
  private long smallestSequence = Long.MAX_VALUE;
  private long largestSequence;
  private long rawBlockBytes;
  private boolean ended;

  /**
   * Creates the file of table {@code number} in {@code directory}.
   *
   * @throws java.nio.file.FileAlreadyExistsException when there is one
   */
  public TableWriter(
      StorageDirectory directory,
      long number,
      TableOptions options,
      KeyComparator order,
      OffHeap offHeap)
      throws IOException {
    if (number < 0 || number > TableFormat.NUMBER_MAX) {
      throw new IllegalArgumentException("table number " + number + " is out of range");
    }
    this.number = number;
    this.options = options;
    this.order = order;
    this.block = new BlockWriter(offHeap, options.blockBytes());
    this.index = BlockWriter.ofIndex(offHeap, 64 << 10);
    this.bloom = new BloomWriter(offHeap, options.bloomBitsPerKey());
    this.file = directory.create(TableMeta.fileName(number));
    try {
      this.output = new TableOutput(file, offHeap);
    } catch (RuntimeException | Error e) {
      directory.removeAfter(e, file);
      throw e;
    }
  }

  /**
   * Before the first entry: blocks of the table go into {@code cache} as they are written.
   *
   * @param inputs the pass that the entries come from, so that only blocks are kept whose entries
   *     were in memory there; null if they come from a memtable, and all are
   */
  public TableWriter keepBlocks(BlockCache cache, @Nullable PassReads inputs) {
    kept = new WrittenBlocks(cache, number, inputs);
    return this;
  }

  /**
   * Adds an entry behind all others. The value is {@code value[valueOffset, +valueLength)},
   * whatever the buffer's position.
   *
   * @throws IllegalArgumentException when the entry is not behind the last one in the tree's order,
   *     or the order is not that of unsigned bytes, or key or value is too long; the table is as it
   *     was then
   */
  public void add(
      byte[] key,
      int keyOffset,
      int keyLength,
      long sequence,
      boolean tombstone,
      ByteBuffer value,
      int valueOffset,
      int valueLength)
      throws IOException {
    int shared = startEntry(key, keyOffset, keyLength, sequence, valueLength);
    block.add(
        key, keyOffset, keyLength, shared, sequence, tombstone, value, valueOffset, valueLength);
    endEntry(key, keyOffset, keyLength, sequence, tombstone, valueLength);
  }

  /** Adds the entry that {@code source} is at. */
  public void add(EntryCursor source) throws IOException {
    add(
        source.keyBuffer(),
        0,
        source.keyLength(),
        source.sequence(),
        source.isTombstone(),
        source.valueBuffer(),
        source.valueOffset(),
        source.valueLength());
  }

  /** Checks the entry, makes room for it; returns how many bytes it shares with the last key. */
  private int startEntry(byte[] key, int offset, int length, long sequence, int valueLength)
      throws IOException {
    if (ended) {
      throw new IllegalStateException("table " + number + " is finished or abandoned");
    }
    if (length > TableFormat.KEY_BYTES_MAX || valueLength > VALUE_BYTES_MAX) {
      throw new IllegalArgumentException(
          "entry of " + length + " and " + valueLength + " bytes is too long for a table");
    }
    if (sequence < 0 || sequence > EntryCursor.SEQUENCE_MAX) {
      throw new IllegalArgumentException("sequence number " + sequence + " is out of range");
    }
    int shared = 0;
    if (entries > 0) {
      shared = Arrays.mismatch(lastKey, 0, lastKeyLength, key, offset, offset + length);
      checkOrder(key, offset, length, sequence, shared);
      sameKeyAsLast = shared < 0;
      shared = sameKeyAsLast ? length : shared;
    }
    long entryBytes = (long) length + valueLength;
    if (block.entries() > 0 && block.estimatedBytes() + entryBytes > options.blockBytes()) {
      finishBlock(key, offset, length);
    }
    return shared;
  }

  private void checkOrder(byte[] key, int offset, int length, long sequence, int mismatch) {
    boolean sameKey = mismatch < 0;
    boolean bytesAscend =
        !sameKey
            && mismatch < length
            && (mismatch == lastKeyLength
                || (lastKey[mismatch] & 0xFF) < (key[offset + mismatch] & 0xFF));
    int byOrder =
        order == KeyComparator.BYTEWISE
            ? (sameKey ? 0 : bytesAscend ? -1 : 1)
            : order.compare(lastKey, 0, lastKeyLength, key, offset, length);
    if (sameKey ? byOrder != 0 : byOrder < 0 != bytesAscend || byOrder == 0) {
      throw new IllegalArgumentException(
          "key order " + order.name() + " is not that of unsigned bytes");
    }
    if (byOrder > 0 || (byOrder == 0 && sequence >= lastSequence)) {
      throw new IllegalArgumentException("entries must be added in order");
    }
  }

  private void endEntry(
      byte[] key, int offset, int length, long sequence, boolean tombstone, int valueLength) {
    if (!sameKeyAsLast) {
      bloom.add(KeyHash.hash(key, offset, length));
      if (length > lastKey.length) {
        lastKey = new byte[Math.max(length, Math.min(2 * lastKey.length, 1 << 20))];
      }
      System.arraycopy(key, offset, lastKey, 0, length);
      lastKeyLength = length;
    }
    if (entries == 0) {
      firstKey = Arrays.copyOfRange(key, offset, offset + length);
    }
    lastSequence = sequence;
    smallestSequence = Math.min(smallestSequence, sequence);
    largestSequence = Math.max(largestSequence, sequence);
    entries++;
    tombstones += tombstone ? 1 : 0;
    rawBytes += (long) length + valueLength;
  }

  /** Stores the block; {@code nextKey} is what the next one will start with, null for the last. */
  private void finishBlock(byte @Nullable [] nextKey, int offset, int length) throws IOException {
    if (index.entries() == TableFormat.BLOCKS_MAX) {
      throw new IllegalStateException("table " + number + " has too many blocks");
    }
    int bytes = block.finish();
    Handle handle = output.writeBlock(block.raw(), bytes, options.compress());
    if (kept != null) {
      kept.add(block.raw(), bytes, file.name());
    }
    block.reset();
    rawBlockBytes += bytes;

    byte[] separator =
        nextKey == null
            ? Arrays.copyOf(lastKey, lastKeyLength)
            : separator(lastKey, lastKeyLength, nextKey, offset, length);
    int shared = Arrays.mismatch(lastSeparator, separator);
    TableFormat.putHandle(handleBytes, 0, handle);
    index.add(
        separator,
        0,
        separator.length,
        shared < 0 ? separator.length : shared,
        // Zero is after all entries of the separator. But if the key goes on in the next block,
        // only the sequence number tells which of its entries are where.
        nextKey != null && sameKeyAsLast ? lastSequence : 0,
        false,
        handleBytes,
        0,
        TableFormat.HANDLE_BYTES);
    lastSeparator = separator;
  }

  /** A short key that is not before {@code last} and is before {@code next}, if they differ. */
  static byte[] separator(byte[] last, int lastLength, byte[] next, int offset, int length) {
    int same = Arrays.mismatch(last, 0, lastLength, next, offset, offset + length);
    if (same < 0 || same + 1 >= lastLength) {
      return Arrays.copyOf(last, lastLength);
    }
    if (same + 1 < length) {
      return Arrays.copyOfRange(next, offset, offset + same + 1);
    }
    byte[] separator = Arrays.copyOf(last, same + 1);
    separator[same]++;
    boolean belowNext = (separator[same] & 0xFF) < (next[offset + same] & 0xFF);
    return belowNext ? separator : Arrays.copyOf(last, lastLength);
  }

  /** The key of the first entry. Nobody changes it. */
  public byte[] smallestKey() {
    return firstKey;
  }

  /** About how long the file would be if it were finished now. */
  public long fileBytesEstimate() {
    long pending = block.estimatedBytes();
    if (rawBlockBytes > 0) {
      pending = (long) ((double) pending * output.bytes() / rawBlockBytes);
    }
    return output.bytes() + pending + index.estimatedBytes() + bloom.filterBytes();
  }

  /**
   * How long the index of a table may be.
   *
   * @param isLast whether who writes it would rather have no more tables
   */
  public static long indexBytesMax(boolean isLast) {
    return isLast ? INDEX_BYTES_MAX : INDEX_BYTES_WANTED;
  }

  /**
   * Whether the index would be longer than {@code bytes} if the table went on with {@code key[0,
   * length)}, which is behind all others. What all its keys start with is there once: with a key
   * that starts otherwise it grows by that much for each block.
   */
  public boolean isIndexLongerWith(byte[] key, int length, long bytes) {
    if (index.estimatedBytes(0) <= bytes) {
      return false;
    }
    int shared = Arrays.mismatch(lastSeparator, 0, lastSeparator.length, key, 0, length);
    return index.estimatedBytes(shared < 0 ? length : shared) > bytes;
  }

  /**
   * Writes what is left and syncs the file; the caller syncs the directory.
   *
   * @param deadThrough goes to {@link TableMeta#deadThrough()}
   * @throws IllegalStateException when there is no entry
   */
  public TableMeta finish(long deadThrough) throws IOException {
    if (ended || entries == 0) {
      throw new IllegalStateException("table " + number + " is empty, or has ended");
    }
    finishBlock(null, 0, 0);
    Handle filter = output.writeBlock(bloom.finish(), bloom.filterBytes(), false);
    int indexBytes = index.finish();
    Handle indexHandle = output.writeBlock(index.raw(), indexBytes, options.compress());
    TableProperties properties =
        new TableProperties(meta(deadThrough, 0), index.entries(), order.name());
    ByteBuffer encoded = properties.encoded();
    Handle propertiesHandle = output.writeBlock(encoded, encoded.remaining(), false);
    output.write(TableFormat.footer(new Footer(filter, indexHandle, propertiesHandle)));
    output.flush();
    file.sync();
    file.close();
    if (kept != null) {
      kept.complete();
      kept = null;
    }
    end();
    return meta(deadThrough, output.bytes());
  }

  private TableMeta meta(long deadThrough, long fileBytes) {
    return new TableMeta(
        number,
        fileBytes,
        rawBytes,
        firstKey,
        Arrays.copyOf(lastKey, lastKeyLength),
        smallestSequence,
        largestSequence,
        entries,
        tombstones,
        deadThrough);
  }

  /**
   * Gives up: frees everything and closes the file, which is left to the caller. Does nothing once
   * the table is finished.
   */
  public void abandon() {
    if (!ended) {
      end();
      try {
        file.close();
      } catch (IOException failure) {
        // Of a file that is to be deleted it says nothing.
      }
    }
  }

  /** What the table is numbered by, and its file named after. */
  public long number() {
    return number;
  }

  private void end() {
    ended = true;
    if (kept != null) {
      kept.drop();
    }
    block.close();
    index.close();
    bloom.close();
    output.close();
  }
}
