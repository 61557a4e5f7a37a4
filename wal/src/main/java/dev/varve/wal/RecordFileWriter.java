package dev.varve.wal;

import static dev.varve.wal.RecordFileFormat.HEADER_BYTES;
import static dev.varve.wal.RecordFileFormat.PAYLOAD_BYTES_MAX;
import static dev.varve.wal.RecordFileFormat.RECORD_HEADER_BYTES;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Appends records to one file: {@link #append} to memory, {@link #write} to the operating system,
 * {@link #sync} to the device.
 *
 * <p>One thread appends and writes; {@link #sync} may run on another one at the same time.
 */
public final class RecordFileWriter implements Closeable {
  /** Once so much is pending, it is handed over while the processor has it at hand. */
  static final int PENDING_BYTES_MAX = 1 << 20;

  private static final ByteBuffer ZEROES = ByteBuffer.allocateDirect(64 << 10).asReadOnlyBuffer();

  /** Zeroes are written when less than this part of them is left. */
  private static final int AHEAD_LEFT_SHARE = 4;

  /** Behind more than this none are: what is there to be synced costs more than the length. */
  static final int AHEAD_WRITE_BYTES_MAX = 32 << 10;

  private final StorageFile file;
  private final long number;
  private final int salt;
  private final long basePosition;
  private final RecordBuffer buffer;
  private final Object syncing = new Object();
  private final long aheadBytes;
  private long appendedPosition;

  /** Up to this offset there are zeroes where there are no records. */
  private long filledOffset;

  /** Once more than that would be pending, it is handed over. */
  private long pendingBytesMax = PENDING_BYTES_MAX;

  private volatile long writtenPosition;
  private volatile long syncedPosition;
  private volatile @Nullable Throwable firstSyncFailure;
  private boolean closed;

  /**
   * @param aheadBytes how many zeroes the file has behind its records, at the most
   */
  RecordFileWriter(
      StorageFile file,
      long number,
      int salt,
      long basePosition,
      RecordBuffer buffer,
      long aheadBytes) {
    this.file = file;
    this.number = number;
    this.salt = salt;
    this.basePosition = basePosition;
    this.buffer = buffer;
    this.aheadBytes = aheadBytes;
    this.appendedPosition = basePosition;
    this.writtenPosition = basePosition;
    this.syncedPosition = basePosition;
  }

  /**
   * Creates the file with its header, unsynced: it survives power loss after {@link #sync} and a
   * sync of the directory. Positions start at 0.
   *
   * @param number stored in the header; {@link RecordFileReader#open} wants the same
   * @param salts any source of random bits, the same every time only in tests
   * @throws java.nio.file.FileAlreadyExistsException when there is a file of that name
   * @throws IOException when the header cannot be written; there is no file then
   */
  public static RecordFileWriter create(
      StorageDirectory directory,
      String name,
      RecordFileKind kind,
      long number,
      OffHeap memory,
      RandomGenerator salts)
      throws IOException {
    int salt = salts.nextInt();
    StorageFile file = directory.create(name);
    try {
      file.writeFully(RecordFileFormat.header(kind, salt, number), 0);
      return new RecordFileWriter(file, number, salt, 0, new RecordBuffer(memory), 0);
    } catch (IOException | RuntimeException | Error e) {
      directory.removeAfter(e, file);
      throw e;
    }
  }

  /** The file's name within its directory. */
  public String name() {
    return file.name();
  }

  /**
   * Copies one record into memory and returns the position after it. Writes what is pending first
   * when it would be more than {@link #PENDING_BYTES_MAX}, and if that fails once it has doubled,
   * each time; that it fails is told only where it would be more than 2 GiB.
   *
   * @throws IllegalArgumentException when the payload is empty or larger than {@link
   *     RecordFileFormat#PAYLOAD_BYTES_MAX}
   * @throws LogPoisonedException after a failed sync
   */
  public long append(byte[] payload, int offset, int length) throws IOException {
    return append(payload, offset, length, syncedPoint());
  }

  /** Appends what remains of {@code payload}, and consumes it. */
  public long append(ByteBuffer payload) throws IOException {
    return append(payload, syncedPoint());
  }

  long append(byte[] payload, int offset, int length, SyncedPoint synced) throws IOException {
    checkAppend(length);
    buffer.append(
        salt,
        appendedPosition,
        RecordFileFormat.syncedBits(number, synced),
        payload,
        offset,
        length);
    appendedPosition += RECORD_HEADER_BYTES + length;
    return appendedPosition;
  }

  long append(ByteBuffer payload, SyncedPoint synced) throws IOException {
    int length = payload.remaining();
    checkAppend(length);
    buffer.append(salt, appendedPosition, RecordFileFormat.syncedBits(number, synced), payload);
    appendedPosition += RECORD_HEADER_BYTES + length;
    return appendedPosition;
  }

  private void checkAppend(int length) throws IOException {
    if (length < 1 || length > PAYLOAD_BYTES_MAX) {
      throw new IllegalArgumentException(
          "a record has 1 to " + PAYLOAD_BYTES_MAX + " bytes, not " + length);
    }
    checkNotPoisoned();
    if (!buffer.hasRoom(length)) {
      write();
    } else if (buffer.pendingBytes() + (long) length > pendingBytesMax) {
      writeIfPossible();
    }
  }

  private void writeIfPossible() {
    try {
      write();
    } catch (IOException failure) {
      // It stays pending, and whoever hands it over will hear of it. Not again with each record: a
      // full disk takes a part of all that is pending each time.
      pendingBytesMax = Math.max(PENDING_BYTES_MAX, 2L * buffer.pendingBytes());
    }
  }

  /**
   * Appends a mark that says what is synced so far, so that a reader tells later damage of it from
   * a torn tail. Readers never see it as a record.
   */
  public void appendSyncMark() throws IOException {
    appendSyncMark(syncedPoint());
  }

  void appendSyncMark(SyncedPoint synced) throws IOException {
    checkNotPoisoned();
    if (!buffer.hasRoom(0)) {
      write();
    }
    buffer.append(
        salt,
        appendedPosition,
        RecordFileFormat.syncedBits(number, synced),
        ByteBuffer.allocate(0));
    appendedPosition += RECORD_HEADER_BYTES;
  }

  /**
   * Hands everything appended to the operating system with one call. After an IOException nothing
   * has been lost: call again, and the same bytes go to the same place.
   *
   * @throws LogPoisonedException after a failed sync
   */
  public void write() throws IOException {
    checkNotPoisoned();
    if (buffer.isEmpty()) {
      return;
    }
    int bytes = buffer.pendingBytes();
    file.writeFully(buffer.pending(), offset(writtenPosition));
    buffer.clear();
    pendingBytesMax = PENDING_BYTES_MAX;
    writtenPosition = appendedPosition;
    if (aheadBytes > 0 && bytes <= AHEAD_WRITE_BYTES_MAX) {
      fillAhead(offset(writtenPosition));
    }
  }

  /*
   * Real zeroes instead of a longer length: a sync of records has nothing else to write then. Here,
   * since nobody else knows that no record comes there meanwhile.
   */
  private void fillAhead(long end) {
    if (filledOffset - end >= aheadBytes / AHEAD_LEFT_SHARE) {
      return;
    }
    long from = Math.max(end, filledOffset);
    filledOffset = end + aheadBytes;
    try {
      while (from < filledOffset) {
        int bytes = (int) Math.min(ZEROES.capacity(), filledOffset - from);
        file.writeFully(ZEROES.duplicate().limit(bytes), from);
        from += bytes;
      }
    } catch (IOException noRoom) {
      // There may be for records; where not, who writes them will hear of it.
    }
  }

  /** Record bytes in this file, pending ones included. For the appending thread. */
  public long appendedBytes() {
    return appendedPosition - basePosition;
  }

  /** The offset in the file after all that was appended. For the appending thread. */
  public long endOffset() {
    return offset(appendedPosition);
  }

  /** The position after all that was appended. For the appending thread. */
  public long appendedPosition() {
    return appendedPosition;
  }

  /** Everything before this position is with the operating system: it survives a kill. */
  public long writtenPosition() {
    return writtenPosition;
  }

  /** Everything before this position is on the device: it survives power loss. */
  public long syncedPosition() {
    return syncedPosition;
  }

  /**
   * Makes all that is written so far durable. Callers at the same time share one sync.
   *
   * @throws IOException when the device failed. The file is poisoned then: nothing retries a sync,
   *     since the operating system may have dropped the bytes and would report success.
   * @throws LogPoisonedException after an earlier failure
   */
  public void sync() throws IOException {
    long wanted = writtenPosition;
    synchronized (syncing) {
      checkNotPoisoned();
      if (syncedPosition >= wanted && wanted > basePosition) {
        return;
      }
      long position = writtenPosition;
      try {
        file.sync();
      } catch (IOException | RuntimeException | Error e) {
        // Whatever it was: nobody knows what the device has.
        firstSyncFailure = e;
        throw e;
      }
      syncedPosition = position;
    }
  }

  private void checkNotPoisoned() throws LogPoisonedException {
    Throwable failure = firstSyncFailure;
    if (failure != null) {
      throw new LogPoisonedException(file.name(), failure);
    }
  }

  private SyncedPoint syncedPoint() {
    return syncedPoint(syncedPosition);
  }

  /**
   * That position as a point of this file; one before the file becomes the file's start, which is
   * for the caller to vouch for.
   */
  SyncedPoint syncedPoint(long position) {
    return new SyncedPoint(number, offset(Math.max(position, basePosition)));
  }

  long number() {
    return number;
  }

  /** Cuts zeroes that were written ahead. */
  void truncateToWritten() throws IOException {
    file.truncate(offset(writtenPosition));
  }

  private long offset(long position) {
    return HEADER_BYTES + position - basePosition;
  }

  /** Closes the file as it is; what was only appended is gone. Closing twice is not an error. */
  @Override
  public void close() throws IOException {
    buffer.release();
    closeFile();
  }

  /** Closes the file and leaves the buffer to the next one. */
  void closeFile() throws IOException {
    if (!closed) {
      closed = true;
      file.close();
    }
  }
}
