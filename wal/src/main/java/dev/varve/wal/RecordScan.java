package dev.varve.wal;

import static dev.varve.wal.RecordFileFormat.HEADER_BYTES;
import static dev.varve.wal.RecordFileFormat.PAYLOAD_BYTES_MAX;
import static dev.varve.wal.RecordFileFormat.RECORD_HEADER_BYTES;
import static dev.varve.wal.RecordFileFormat.RECORD_LENGTH;
import static dev.varve.wal.RecordFileFormat.RECORD_POSITION;
import static dev.varve.wal.RecordFileFormat.RECORD_SALT;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * What the bytes behind the last good record tell: good records that still lie there know what was
 * synced when they were appended. Immutable.
 *
 * @param contentEnd the file offset after the last byte that is not zero, at least where the scan
 *     began
 * @param synced the furthest synced point that a good record tells, or {@link SyncedPoint#NONE}
 * @param basePosition of the file, from a good record, or {@link RecordFileReader#UNKNOWN}
 */
record RecordScan(long contentEnd, SyncedPoint synced, long basePosition) {
  private static final int WINDOW_BYTES = 256 << 10;
  private static final int BLOCK_BYTES = 4 << 10;

  /** Whether any byte of the range is not zero. */
  static boolean hasContent(StorageFile file, long from, long to, OffHeap memory)
      throws IOException {
    try (Pass pass = new Pass(file, to, memory)) {
      return pass.contentEnd(from) > from;
    }
  }

  static RecordScan of(StorageFile file, long number, int salt, long from, long to, OffHeap memory)
      throws IOException {
    try (Pass pass = new Pass(file, to, memory)) {
      long contentEnd = pass.contentEnd(from);
      pass.findRecords(number, salt, from, contentEnd);
      return new RecordScan(contentEnd, pass.synced, pass.basePosition);
    }
  }

  /** One walk over the file, with the memory for it. */
  private static final class Pass implements AutoCloseable {
    private final StorageFile file;
    private final long end;
    private final OffHeapRegion region;
    private final ByteBuffer window;
    private long windowOffset;
    private SyncedPoint synced = SyncedPoint.NONE;
    private long basePosition = RecordFileReader.UNKNOWN;

    Pass(StorageFile file, long end, OffHeap memory) {
      this.file = file;
      this.end = end;
      this.region = memory.allocate(OffHeap.Part.LOG_BUFFER, WINDOW_BYTES);
      this.window = region.buffer().duplicate();
    }

    private void load(long offset) throws IOException {
      windowOffset = offset;
      window.clear().limit((int) Math.min(WINDOW_BYTES, end - offset));
      file.readFully(window, offset);
      window.flip();
    }

    long contentEnd(long from) throws IOException {
      long contentEnd = from;
      for (long offset = from; offset < end; offset += window.limit()) {
        load(offset);
        int last = window.limit();
        while (last > 0 && window.get(last - 1) == 0) {
          boolean wholeLong = last >= Long.BYTES && window.getLong(last - Long.BYTES) == 0;
          last -= wholeLong ? Long.BYTES : 1;
        }
        if (last > 0) {
          contentEnd = offset + last;
        }
      }
      return contentEnd;
    }

    /** A record can begin at any byte: framing is lost with the bad record. */
    void findRecords(long number, int salt, long from, long contentEnd) throws IOException {
      long offset = from;
      // A sync mark may end in zeroes, so its header may reach past the content.
      while (offset < contentEnd && end - offset >= RECORD_HEADER_BYTES) {
        load(offset);
        int headersEnd = window.limit() - RECORD_HEADER_BYTES + 1;
        long at = 0;
        while (at < headersEnd) {
          int index = (int) at;
          long recordEnd = window.getInt(index + RECORD_SALT) == salt ? recordEnd(index) : 0;
          if (recordEnd > 0) {
            note(number, index);
            at = recordEnd - windowOffset;
          } else {
            at++;
          }
        }
        // A record may end behind the window.
        offset += at;
      }
    }

    private void note(long number, int index) {
      synced =
          synced.max(
              RecordFileFormat.syncedPoint(
                  number, window.getLong(index + RecordFileFormat.RECORD_SYNCED)));
      basePosition =
          window.getLong(index + RECORD_POSITION) - (windowOffset + index - HEADER_BYTES);
    }

    /** The file offset after the good record at {@code index}, or 0 when there is none. */
    private long recordEnd(int index) throws IOException {
      long offset = windowOffset + index;
      int payloadBytes = window.getInt(index + RECORD_LENGTH);
      if (payloadBytes < 0
          || payloadBytes > PAYLOAD_BYTES_MAX
          || end - offset - RECORD_HEADER_BYTES < payloadBytes
          || window.getLong(index + RECORD_POSITION) < offset - HEADER_BYTES) {
        return 0;
      }
      long recordEnd = offset + RECORD_HEADER_BYTES + payloadBytes;
      return crc(offset + RECORD_LENGTH, recordEnd) == window.getInt(index) ? recordEnd : 0;
    }

    private int crc(long from, long to) throws IOException {
      CRC32C crc = new CRC32C();
      if (to <= windowOffset + window.limit()) {
        int stop = (int) (to - windowOffset);
        crc.update(window.duplicate().limit(stop).position((int) (from - windowOffset)));
        return (int) crc.getValue();
      }
      ByteBuffer piece = ByteBuffer.allocate((int) Math.min(BLOCK_BYTES * 16L, to - from));
      for (long offset = from; offset < to; offset += piece.limit()) {
        piece.clear().limit((int) Math.min(piece.capacity(), to - offset));
        file.readFully(piece, offset);
        crc.update(piece.flip());
      }
      return (int) crc.getValue();
    }

    @Override
    public void close() {
      region.release();
    }
  }
}
