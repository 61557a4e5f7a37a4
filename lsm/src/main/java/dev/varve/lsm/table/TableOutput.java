package dev.varve.lsm.table;

import static dev.varve.lsm.table.TableFormat.TRAILER_BYTES;

import dev.varve.lsm.table.TableFormat.Handle;
import dev.varve.wal.OffHeap;
import dev.varve.wal.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Factory;

/** Stores blocks one behind another in a table's file, in large writes. For one thread. */
final class TableOutput implements AutoCloseable {
  /** How much is gathered before it is written: large enough that the call does not count. */
  private static final int CHUNK_BYTES = 1 << 20;

  private final StorageFile file;
  private final LZ4Compressor compressor = LZ4Factory.fastestInstance().fastCompressor();
  private final GrowableRegion chunk;
  private long writtenBytes;
  private int pendingBytes;

  TableOutput(StorageFile file, OffHeap offHeap) {
    this.file = file;
    this.chunk = new GrowableRegion(offHeap, CHUNK_BYTES);
  }

  /** Length of the file once all is written. */
  long bytes() {
    return writtenBytes + pendingBytes;
  }

  /** Stores {@code raw[0, rawBytes)} as a block. */
  Handle writeBlock(ByteBuffer raw, int rawBytes, boolean compress) throws IOException {
    int bound = compress ? compressor.maxCompressedLength(rawBytes) : rawBytes;
    ByteBuffer out = makeRoom((long) bound + TRAILER_BYTES);
    long offset = bytes();
    int start = pendingBytes;
    int storedBytes = rawBytes;
    byte compression = TableFormat.COMPRESSION_NONE;
    if (compress) {
      int packed = compressor.compress(raw, 0, rawBytes, out, start, bound);
      if (packed <= rawBytes - (rawBytes >>> 3)) {
        storedBytes = packed;
        compression = TableFormat.COMPRESSION_LZ4;
      }
    }
    if (compression == TableFormat.COMPRESSION_NONE) {
      out.put(start, raw, 0, rawBytes);
    }
    int trailer = start + storedBytes;
    out.put(trailer, compression).putInt(trailer + 1, rawBytes);
    out.putInt(trailer + 5, TableFormat.checksum(out, start, storedBytes + 5));
    pendingBytes = trailer + TRAILER_BYTES;
    return new Handle(offset, storedBytes);
  }

  /** Writes bytes as they are. */
  void write(ByteBuffer bytes) throws IOException {
    int length = bytes.remaining();
    makeRoom(length).put(pendingBytes, bytes, bytes.position(), length);
    pendingBytes += length;
  }

  /** Hands everything to the file. */
  void flush() throws IOException {
    if (pendingBytes > 0) {
      file.writeFully(chunk.buffer().duplicate().limit(pendingBytes), writtenBytes);
      writtenBytes += pendingBytes;
      pendingBytes = 0;
      chunk.reset();
    }
  }

  private ByteBuffer makeRoom(long bytes) throws IOException {
    if (pendingBytes + bytes > CHUNK_BYTES) {
      flush();
    }
    return chunk.ensure(pendingBytes + bytes, pendingBytes);
  }

  @Override
  public void close() {
    chunk.close();
  }
}
