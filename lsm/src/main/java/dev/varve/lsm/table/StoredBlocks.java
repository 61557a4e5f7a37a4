package dev.varve.lsm.table;

import static dev.varve.lsm.table.TableFormat.TRAILER_BYTES;

import dev.varve.lsm.table.TableFormat.Handle;
import dev.varve.wal.CorruptionException;
import dev.varve.wal.OffHeapRegion;
import dev.varve.wal.StorageFile;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;

/**
 * Reads stored blocks of one file: checks them, and gives their raw bytes. Safe for use by several
 * threads; may block.
 */
final class StoredBlocks {
  private final StorageFile file;
  private final ScratchPool scratch;
  // The native one; of the Java ones only this kind checks that it stays inside its buffers.
  private final LZ4SafeDecompressor decompressor = LZ4Factory.fastestInstance().safeDecompressor();

  StoredBlocks(StorageFile file, ScratchPool scratch) {
    this.file = file;
    this.scratch = scratch;
  }

  /** A block's raw bytes: the first {@code rawBytes} of a region that the caller gives back. */
  record Raw(OffHeapRegion region, int rawBytes) {}

  /** Reads a block of {@link BlockFormat}; the caller has its only reference. */
  Block readBlock(Handle handle, BlockMemory memory) throws IOException {
    return toBlock(readRaw(handle, memory), memory, handle);
  }

  Raw readRaw(Handle handle, BlockMemory memory) throws IOException {
    int bytes = Math.addExact(handle.storedBytes(), TRAILER_BYTES);
    OffHeapRegion region = scratch.take(bytes);
    try {
      ByteBuffer stored = region.buffer().duplicate().limit(bytes);
      read(stored, handle.offset());
      return decode(region.buffer(), 0, handle, memory);
    } finally {
      scratch.giveBack(region);
    }
  }

  /** Fills {@code target} from the file. */
  void read(ByteBuffer target, long offset) throws IOException {
    try {
      file.readFully(target, offset);
    } catch (EOFException e) {
      throw new CorruptionException(file.name(), offset, "the file ends early");
    }
  }

  /** Decodes the stored block at {@code stored[at, …)}, which was read already. */
  Block decodeBlock(ByteBuffer stored, int at, Handle handle, BlockMemory memory)
      throws CorruptionException {
    return toBlock(decode(stored, at, handle, memory), memory, handle);
  }

  private Block toBlock(Raw raw, BlockMemory memory, Handle handle) throws CorruptionException {
    return Block.of(raw.region, memory, raw.rawBytes, file.name(), handle.offset());
  }

  private Raw decode(ByteBuffer stored, int at, Handle handle, BlockMemory memory)
      throws CorruptionException {
    int storedBytes = handle.storedBytes();
    int trailer = at + storedBytes;
    int checksum = TableFormat.checksum(stored, at, storedBytes + 5);
    if (stored.getInt(trailer + 5) != checksum) {
      throw corrupt(handle, "the checksum of " + storedBytes + " stored bytes differs");
    }
    byte compression = stored.get(trailer);
    int rawBytes = stored.getInt(trailer + 1);
    boolean sound =
        switch (compression) {
          case TableFormat.COMPRESSION_NONE -> rawBytes == storedBytes;
          case TableFormat.COMPRESSION_LZ4 ->
              rawBytes >= 0
                  && rawBytes <= TableFormat.RAW_BYTES_MAX
                  && rawBytes <= (long) storedBytes * TableFormat.LZ4_RATIO_MAX;
          default -> false;
        };
    if (!sound) {
      throw corrupt(
          handle,
          "compression "
              + compression
              + " of "
              + rawBytes
              + " to "
              + storedBytes
              + " bytes makes no sense");
    }
    OffHeapRegion raw = memory.take(rawBytes);
    boolean decoded = false;
    try {
      if (compression == TableFormat.COMPRESSION_NONE) {
        raw.buffer().put(0, stored, at, rawBytes);
      } else {
        int got = decompressor.decompress(stored, at, storedBytes, raw.buffer(), 0, rawBytes);
        if (got != rawBytes) {
          throw corrupt(handle, got + " bytes came out of LZ4, not " + rawBytes);
        }
      }
      decoded = true;
      return new Raw(raw, rawBytes);
    } catch (LZ4Exception e) {
      throw corrupt(handle, "not an LZ4 block");
    } finally {
      if (!decoded) {
        memory.giveBack(raw);
      }
    }
  }

  private CorruptionException corrupt(Handle handle, String what) {
    return new CorruptionException(file.name(), handle.offset(), what);
  }
}
