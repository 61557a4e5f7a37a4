package dev.varve.wal;

import static dev.varve.wal.RecordFileFormat.RECORD_CRC;
import static dev.varve.wal.RecordFileFormat.RECORD_HEADER_BYTES;
import static dev.varve.wal.RecordFileFormat.RECORD_LENGTH;
import static dev.varve.wal.RecordFileFormat.RECORD_POSITION;
import static dev.varve.wal.RecordFileFormat.RECORD_SALT;
import static dev.varve.wal.RecordFileFormat.RECORD_SYNCED;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The framed records that are appended but not yet written, in off-heap memory that grows with
 * them.
 *
 * <p>Belongs to one thread.
 */
final class RecordBuffer {
  static final int INITIAL_BYTES = 64 << 10;

  /** A larger buffer is given back once it is written: one huge batch must not stay for good. */
  static final int RETAINED_BYTES_MAX = 4 << 20;

  /** What a {@link ByteBuffer} can hold, rounded down. */
  static final int BYTES_MAX = Integer.MAX_VALUE - 7;

  private final OffHeap memory;
  private final CRC32C crc = new CRC32C();
  private OffHeapRegion region;
  private ByteBuffer target;
  private boolean released;

  RecordBuffer(OffHeap memory) {
    this.memory = memory;
    this.region = memory.allocate(OffHeap.Part.LOG_BUFFER, INITIAL_BYTES);
    this.target = region.buffer().duplicate();
  }

  boolean isEmpty() {
    return target.position() == 0;
  }

  int pendingBytes() {
    return target.position();
  }

  /** Whether a record of that payload fits before the buffer is written. */
  boolean hasRoom(int payloadBytes) {
    return (long) target.position() + RECORD_HEADER_BYTES + payloadBytes <= BYTES_MAX;
  }

  /** Frames and copies what remains of {@code payload}, which is consumed. */
  void append(int salt, long position, long syncedBits, ByteBuffer payload) {
    int length = payload.remaining();
    int start = begin(salt, position, syncedBits, length);
    target.put(payload);
    seal(start);
  }

  void append(int salt, long position, long syncedBits, byte[] payload, int offset, int length) {
    int start = begin(salt, position, syncedBits, length);
    target.put(payload, offset, length);
    seal(start);
  }

  private int begin(int salt, long position, long syncedBits, int length) {
    reserve(RECORD_HEADER_BYTES + length);
    int start = target.position();
    target.putInt(start + RECORD_LENGTH, length);
    target.putInt(start + RECORD_SALT, salt);
    target.putLong(start + RECORD_SYNCED, syncedBits);
    target.putLong(start + RECORD_POSITION, position);
    target.position(start + RECORD_HEADER_BYTES);
    return start;
  }

  private void seal(int start) {
    int end = target.position();
    crc.reset();
    crc.update(target.limit(end).position(start + RECORD_LENGTH));
    target.limit(target.capacity()).position(end);
    target.putInt(start + RECORD_CRC, (int) crc.getValue());
  }

  private void reserve(int bytes) {
    if (target.remaining() >= bytes) {
      return;
    }
    long needed = (long) target.position() + bytes;
    long capacity = Math.min(Math.max(needed, 2L * target.capacity()), BYTES_MAX);
    OffHeapRegion larger = memory.allocate(OffHeap.Part.LOG_BUFFER, (int) capacity);
    ByteBuffer copy = larger.buffer().duplicate().put(target.flip());
    region.release();
    region = larger;
    target = copy;
  }

  /** All bytes to be written, as a view that may be consumed. */
  ByteBuffer pending() {
    return target.duplicate().flip();
  }

  void clear() {
    if (target.capacity() > RETAINED_BYTES_MAX) {
      // Before anything else: if there is no memory, all stays as it is and can be written again.
      OffHeapRegion smaller = memory.allocate(OffHeap.Part.LOG_BUFFER, INITIAL_BYTES);
      region.release();
      region = smaller;
      target = smaller.buffer().duplicate();
    }
    target.clear();
  }

  /** Gives the memory back; releasing twice is not an error. */
  void release() {
    if (!released) {
      released = true;
      region.release();
    }
  }
}
