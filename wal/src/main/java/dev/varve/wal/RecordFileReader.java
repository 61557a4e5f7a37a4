package dev.varve.wal;

import static dev.varve.wal.RecordFileFormat.HEADER_BYTES;
import static dev.varve.wal.RecordFileFormat.PAYLOAD_BYTES_MAX;
import static dev.varve.wal.RecordFileFormat.RECORD_CRC;
import static dev.varve.wal.RecordFileFormat.RECORD_HEADER_BYTES;
import static dev.varve.wal.RecordFileFormat.RECORD_LENGTH;
import static dev.varve.wal.RecordFileFormat.RECORD_POSITION;
import static dev.varve.wal.RecordFileFormat.RECORD_SALT;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Reads the records of one file from the first to the last good one, and tells a torn tail from
 * damage.
 *
 * <p>Belongs to one thread.
 */
public final class RecordFileReader implements Closeable {
  /** The base position of a file in which no good record was met. */
  static final long UNKNOWN = -1;

  private static final int WINDOW_BYTES = 256 << 10;

  private final StorageFile file;
  private final long length;
  private final long number;
  private final int salt;
  private final OffHeap memory;
  private final CRC32C crc = new CRC32C();
  private OffHeapRegion region;

  /** The bytes of the file from {@link #windowOffset} on. */
  private ByteBuffer window;

  private long windowOffset;
  private long basePosition = UNKNOWN;
  private long endOffset = HEADER_BYTES;
  private @Nullable ByteBuffer payload;

  /** What the latest record says of what was synced. */
  private SyncedPoint synced = SyncedPoint.NONE;

  /** Whether the latest record vouches for all before it. */
  private boolean vouched;

  private @Nullable RecordScan tail;

  private RecordFileReader(StorageFile file, long number, long length, int salt, OffHeap memory) {
    this.file = file;
    this.number = number;
    this.length = length;
    this.salt = salt;
    this.memory = memory;
    this.region = memory.allocate(OffHeap.Part.LOG_BUFFER, WINDOW_BYTES);
    this.window = region.buffer().duplicate().limit(0);
    this.windowOffset = HEADER_BYTES;
  }

  /**
   * Opens a file and checks its header.
   *
   * @throws CorruptionException when this is no such file, has another number, or is damaged
   * @throws FormatTooNewException when a later release wrote it
   */
  public static RecordFileReader open(
      StorageDirectory directory, String name, RecordFileKind kind, long number, OffHeap memory)
      throws IOException {
    RecordFileReader reader = openUnlessUnused(directory, name, kind, number, memory);
    if (reader == null) {
      throw new CorruptionException(name, 0, "no file header and no records");
    }
    return reader;
  }

  /** Opens a file; null when it was being created at a crash and never got a record. */
  static @Nullable RecordFileReader openUnlessUnused(
      StorageDirectory directory, String name, RecordFileKind kind, long number, OffHeap memory)
      throws IOException {
    StorageFile file = directory.openReadOnly(name);
    try {
      long length = file.length();
      ByteBuffer header = ByteBuffer.allocate((int) Math.min(length, HEADER_BYTES));
      file.readFully(header, 0);
      String problem = problemOf(header.flip(), name, kind, number);
      if (problem == null) {
        int salt = header.getInt(RecordFileFormat.HEADER_SALT);
        return new RecordFileReader(file, number, length, salt, memory);
      }
      // The header is durable before the first record is written: bytes behind a bad one mean that
      // the header was good once.
      if (length >= HEADER_BYTES && RecordScan.hasContent(file, HEADER_BYTES, length, memory)) {
        throw new CorruptionException(name, 0, problem);
      }
      file.close();
      return null;
    } catch (IOException | RuntimeException | Error e) {
      file.close();
      throw e;
    }
  }

  /** Whether the file holds no record at all, so that nothing is lost with it. */
  static boolean isUnused(
      StorageDirectory directory, String name, RecordFileKind kind, long number, OffHeap memory)
      throws IOException {
    try (RecordFileReader reader = openUnlessUnused(directory, name, kind, number, memory)) {
      return reader == null
          || !RecordScan.hasContent(reader.file, HEADER_BYTES, reader.length, memory);
    }
  }

  private static @Nullable String problemOf(
      ByteBuffer header, String name, RecordFileKind kind, long number) throws IOException {
    if (header.limit() < HEADER_BYTES) {
      return "the file ends inside its header";
    }
    if (header.getLong(0) != kind.magicBits()) {
      return "not a file of this kind: its first bytes are not " + kind.magic();
    }
    // Before the version: a flipped bit there is no later release.
    if (header.getInt(RecordFileFormat.HEADER_CRC) != RecordFileFormat.headerCrc(header)) {
      return "the checksum of the file header differs";
    }
    int version = header.getInt(RecordFileFormat.HEADER_VERSION);
    if (Integer.compareUnsigned(version, kind.version()) > 0) {
      throw new FormatTooNewException(name, version, kind.version());
    }
    long got = header.getLong(RecordFileFormat.HEADER_NUMBER);
    return got == number ? null : "the header says file number " + got + ", expected " + number;
  }

  /**
   * Goes to the next record. Returns false behind the last good one, be it followed by nothing, by
   * zeroes or by a torn tail: see {@link #cutBytes}.
   *
   * @throws CorruptionException when the bytes that follow are no record but were synced
   */
  public boolean next() throws IOException {
    boolean more = nextUnjudged();
    if (!more && tail != null && tail.synced().compareTo(new SyncedPoint(number, endOffset)) > 0) {
      throw new CorruptionException(
          file.name(), endOffset, "a record that was synced cannot be read");
    }
    return more;
  }

  /** As {@link #next}, for a reader of several files who judges the tail itself. */
  boolean nextUnjudged() throws IOException {
    payload = null;
    if (tail != null) {
      return false;
    }
    while (readRecord()) {
      if (payload != null && payload.hasRemaining()) {
        return true;
      }
    }
    payload = null;
    tail = RecordScan.of(file, number, salt, endOffset, length, memory);
    return false;
  }

  private boolean readRecord() throws IOException {
    if (length - endOffset < RECORD_HEADER_BYTES) {
      return false;
    }
    fill(RECORD_HEADER_BYTES);
    int start = window.position();
    int payloadBytes = window.getInt(start + RECORD_LENGTH);
    long position = window.getLong(start + RECORD_POSITION);
    long fileOffset = endOffset - HEADER_BYTES;
    if (window.getInt(start + RECORD_SALT) != salt
        || payloadBytes < 0
        || payloadBytes > PAYLOAD_BYTES_MAX
        || length - endOffset - RECORD_HEADER_BYTES < payloadBytes
        || (basePosition == UNKNOWN
            ? position < fileOffset
            : position != basePosition + fileOffset)) {
      return false;
    }
    fill(RECORD_HEADER_BYTES + payloadBytes);
    start = window.position();
    int end = start + RECORD_HEADER_BYTES + payloadBytes;
    int limit = window.limit();
    crc.reset();
    crc.update(window.limit(end).position(start + RECORD_LENGTH));
    window.limit(limit).position(start);
    if (window.getInt(start + RECORD_CRC) != (int) crc.getValue()) {
      return false;
    }
    basePosition = position - fileOffset;
    payload = window.slice(start + RECORD_HEADER_BYTES, payloadBytes);
    synced =
        RecordFileFormat.syncedPoint(
            number, window.getLong(start + RecordFileFormat.RECORD_SYNCED));
    vouched = payloadBytes == 0 && synced.compareTo(new SyncedPoint(number, endOffset)) >= 0;
    window.position(end);
    endOffset += RECORD_HEADER_BYTES + payloadBytes;
    return true;
  }

  /** Makes {@code bytes} bytes from {@link #endOffset} on available at the window's position. */
  private void fill(int bytes) throws IOException {
    if (window.remaining() >= bytes) {
      return;
    }
    if (window.capacity() < bytes) {
      // Before the release: if there is no memory, close must not find a region that is gone.
      OffHeapRegion larger = memory.allocate(OffHeap.Part.LOG_BUFFER, bytes);
      region.release();
      region = larger;
      window = larger.buffer().duplicate();
    }
    windowOffset = endOffset;
    window.clear().limit((int) Math.min(window.capacity(), length - windowOffset));
    file.readFully(window, windowOffset);
    window.position(0);
  }

  /**
   * The payload of the current record: from 0 to its limit, direct, big-endian, valid until the
   * next call of {@link #next}.
   */
  public ByteBuffer payload() {
    if (payload == null) {
      throw new IllegalStateException("no current record in " + file.name());
    }
    return payload;
  }

  /** The offset in the file at which the current record begins. */
  public long recordOffset() {
    return endOffset - RECORD_HEADER_BYTES - payload().limit();
  }

  /** The file's name within its directory. */
  public String name() {
    return file.name();
  }

  /** The position after the records read so far. */
  public long endPosition() {
    return basePosition() + endOffset - HEADER_BYTES;
  }

  /** The offset in the file after the records read so far. */
  public long endOffset() {
    return endOffset;
  }

  /**
   * How many bytes of a torn tail follow the last good record, up to the last one that is not zero.
   * 0 is a clean end.
   */
  public long cutBytes() {
    checkAtEnd();
    return tail == null ? 0 : tail.contentEnd() - endOffset;
  }

  /**
   * Whether the last record is a mark which says that all before it was synced: then none of that
   * can be damaged and pass for a torn tail.
   */
  public boolean isEndGuarded() {
    checkAtEnd();
    return vouched;
  }

  long number() {
    return number;
  }

  /** The position of the first record; 0 while none was read. */
  long basePosition() {
    return basePosition == UNKNOWN ? 0 : basePosition;
  }

  /** The base position from any record, also one behind a tear, or {@link #UNKNOWN}. */
  long knownBasePosition() {
    return basePosition != UNKNOWN || tail == null ? basePosition : tail.basePosition();
  }

  /** What the last good record says of what was synced, or {@link SyncedPoint#NONE}. */
  SyncedPoint synced() {
    return synced;
  }

  /** The furthest synced point that a record behind the end tells. */
  SyncedPoint tailSynced() {
    return tail == null ? SyncedPoint.NONE : tail.synced();
  }

  /** What any record of the whole file tells, read or not. */
  RecordScan scanAll() throws IOException {
    return RecordScan.of(file, number, salt, HEADER_BYTES, length, memory);
  }

  long length() {
    return length;
  }

  private void checkAtEnd() {
    if (tail == null) {
      throw new IllegalStateException("not read to the end: " + file.name());
    }
  }

  @Override
  public void close() throws IOException {
    region.release();
    file.close();
  }
}
