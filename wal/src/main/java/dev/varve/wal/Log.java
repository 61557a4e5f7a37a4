package dev.varve.wal;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.OptionalLong;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The write side of the log: records go to the current segment, and {@link #roll} starts the next.
 *
 * <p>One thread, the writer, calls append, write, roll and close. {@link #sync} may run on any
 * other thread at the same time, {@link #prepareNextSegment} and {@link #deleteSegmentsBelow} on a
 * worker. Positions may be read by all.
 */
public final class Log implements Closeable {
  /*
   * After a failed sync the log is poisoned, and a fresh one takes over. Its owner first makes
   * everything it ever appended durable in another way (a table, named by a synced manifest edit
   * that starts the log at the new segment), because a replay that meets the hole in the old
   * segment stops there.
   */

  private final StorageDirectory directory;
  private final OffHeap memory;
  private final RandomGenerator salts;
  private final long aheadBytes;
  private final RecordBuffer buffer;

  private final Object preparing = new Object();
  private volatile @Nullable LogSegment prepared;

  private final Object syncing = new Object();

  /** Guards the three fields below where roll and others meet; never held during I/O. */
  private final Object segments = new Object();

  private final Deque<RecordFileWriter> rolledUnsynced = new ArrayDeque<>();
  private RecordFileWriter current;

  /** Where the records of the segment before it end; nothing as long as it is the first one. */
  private SyncedPoint rolledEnd = SyncedPoint.NONE;

  private volatile long segmentNumber;
  private volatile long writtenPosition;
  private volatile long syncedPosition;
  private volatile SyncedPoint syncedPoint;
  private volatile @Nullable Throwable firstSyncFailure;
  private volatile SyncedPoint end = SyncedPoint.NONE;
  private volatile boolean closed;

  private Log(
      StorageDirectory directory,
      OffHeap memory,
      RandomGenerator salts,
      long aheadBytes,
      LogSegment first,
      long basePosition) {
    this.directory = directory;
    this.memory = memory;
    this.salts = salts;
    this.aheadBytes = aheadBytes;
    this.buffer = new RecordBuffer(memory);
    this.current =
        new RecordFileWriter(
            first.file(), first.number(), first.salt(), basePosition, buffer, aheadBytes);
    this.segmentNumber = first.number();
    this.writtenPosition = basePosition;
    this.syncedPosition = basePosition;
    this.syncedPoint = current.syncedPoint(basePosition);
  }

  /**
   * Starts a log in a new segment, created and durable when this returns. Everything before {@code
   * basePosition} must be durable already: after a replay call {@link LogReplay#settle} first, and
   * take both numbers from it; in a new directory they are 1 and 0.
   *
   * @param salts any source of random bits, the same every time only in tests
   * @param aheadBytes how far a segment is filled with zeroes ahead of its records, where little is
   *     written at once and there is room: a sync has the file's length to write once for so many
   *     bytes, and not each time; 0 to do without
   * @throws java.nio.file.FileAlreadyExistsException when that segment exists and has records
   */
  public static Log create(
      StorageDirectory directory,
      OffHeap memory,
      RandomGenerator salts,
      long segmentNumber,
      long basePosition,
      long aheadBytes)
      throws IOException {
    if (segmentNumber < 1) {
      throw new IllegalArgumentException("segments are numbered from 1: " + segmentNumber);
    }
    LogSegment first = LogSegment.prepare(directory, segmentNumber, salts.nextInt(), memory);
    try {
      return new Log(directory, memory, salts, aheadBytes, first, basePosition);
    } catch (RuntimeException | Error e) {
      // It is not deleted: it may be the one without which the log would be a lost one.
      first.file().close();
      throw e;
    }
  }

  /**
   * Copies one record into memory and returns the position after it. It may be with the operating
   * system before {@link #write}, and {@link #writtenPosition} does not say so: where more than a
   * mebibyte would be pending, what is pending is written first if that is possible.
   *
   * @throws IllegalArgumentException when the payload is empty or larger than {@link
   *     RecordFileFormat#PAYLOAD_BYTES_MAX}
   * @throws LogPoisonedException after a failed sync
   */
  public long append(byte[] payload, int offset, int length) throws IOException {
    checkUsable();
    return current.append(payload, offset, length, syncedPoint);
  }

  /**
   * Hands everything appended to the operating system with one call. After an IOException nothing
   * is lost: the bytes are kept, and a later call writes them to the same place.
   *
   * @throws LogPoisonedException after a failed sync
   */
  public void write() throws IOException {
    checkUsable();
    current.write();
    writtenPosition = current.writtenPosition();
  }

  /**
   * Begins a log that was created, before anything is appended: says in it that all of the replayed
   * one before it is synced, so that damage of that one's last records can never pass for a torn
   * tail, and makes this durable. Returns what its owner writes down before anything is appended,
   * and hands to the next {@link LogReader#replay}: then the loss of the segment is seen too, and
   * that of the first one which a later replay asks for. For the writer.
   */
  public SyncedPoint begin() throws IOException {
    checkUsable();
    current.appendSyncMark(syncedPoint);
    write();
    sync();
    return LogFormat.beginning(segmentNumber);
  }

  /** The position after all that was appended. For the writer. */
  public long appendedPosition() {
    return current.appendedPosition();
  }

  /** Everything before this position is with the operating system: it survives a kill. */
  public long writtenPosition() {
    return writtenPosition;
  }

  /** Everything before this position is on the device: it survives power loss. */
  public long syncedPosition() {
    return syncedPosition;
  }

  /** The number of the segment that append writes to. */
  public long segmentNumber() {
    return segmentNumber;
  }

  /** Whether a sync failed: only {@link #close} is allowed from then on. */
  public boolean isPoisoned() {
    return firstSyncFailure != null;
  }

  /**
   * Makes all that is written so far durable, rolled segments included. Returns at once when it is
   * already; callers at the same time share one sync.
   *
   * @throws IOException when the device failed. The log is poisoned then: nothing retries a sync,
   *     since the operating system may have dropped the bytes and would report success.
   * @throws LogPoisonedException after an earlier failure
   */
  public void sync() throws IOException {
    long wanted = writtenPosition;
    synchronized (syncing) {
      checkUsable();
      if (syncedPosition >= wanted) {
        return;
      }
      // Position before files: a roll in between only adds a file that this position is not in.
      long position = writtenPosition;
      List<RecordFileWriter> rolled;
      RecordFileWriter last;
      synchronized (segments) {
        rolled = new ArrayList<>(rolledUnsynced);
        last = current;
      }
      try {
        for (RecordFileWriter segment : rolled) {
          segment.sync();
        }
        last.sync();
      } catch (IOException | RuntimeException | Error e) {
        // Whatever it was: nobody knows what the device has.
        firstSyncFailure = e;
        throw e;
      }
      // All segments before the last one are whole and synced, so its start is vouched for.
      syncedPoint = last.syncedPoint(position);
      syncedPosition = position;
      synchronized (segments) {
        rolledUnsynced.removeAll(rolled);
      }
      rolled.forEach(Log::close);
    }
  }

  /**
   * Of a segment that is synced, or given up, an error of closing says nothing: it is not reported.
   */
  private static void close(RecordFileWriter segment) {
    try {
      segment.closeFile();
    } catch (IOException e) {
      // What follows is done nevertheless.
    }
  }

  /**
   * Creates the next segment and makes it durable, so that {@link #roll} need not wait for a disk.
   * Returns false when one is ready already. After an IOException all is as before; try again when
   * there is space.
   */
  public boolean prepareNextSegment() throws IOException {
    synchronized (preparing) {
      checkUsable();
      if (prepared != null) {
        return false;
      }
      // None is prepared, so the writer cannot roll meanwhile and the number stays right.
      prepared = LogSegment.prepare(directory, segmentNumber + 1, salts.nextInt(), memory);
      return true;
    }
  }

  /**
   * Writes what is pending and goes on in the prepared segment, without any wait for the device.
   * Returns false, and changes nothing, when none is ready.
   *
   * @throws IOException when the pending records cannot be written: still in the old segment then
   */
  public boolean roll() throws IOException {
    checkUsable();
    LogSegment next = prepared;
    if (next == null) {
      return false;
    }
    if (current.appendedBytes() == 0) {
      // A replay takes a segment without any record for one that lost them, if another follows.
      current.appendSyncMark(syncedPoint);
    }
    write();
    RecordFileWriter following =
        new RecordFileWriter(
            next.file(), next.number(), next.salt(), current.writtenPosition(), buffer, aheadBytes);
    synchronized (segments) {
      rolledUnsynced.add(current);
      rolledEnd = current.syncedPoint(current.writtenPosition());
      current = following;
    }
    segmentNumber = next.number();
    prepared = null;
    return true;
  }

  /**
   * A fresh log in the next segment, for an owner whom a failed sync has left without: durable when
   * this returns. What this log has, the owner makes durable in another way before it writes to the
   * fresh one, and then closes this one. For a worker; the writer has left this log for good.
   */
  public Log successor() throws IOException {
    synchronized (preparing) {
      if (!isPoisoned()) {
        throw new IllegalStateException("the log is sound: " + LogFormat.fileName(segmentNumber));
      }
      LogSegment next = prepared;
      if (next == null) {
        next = LogSegment.prepare(directory, segmentNumber + 1, salts.nextInt(), memory);
        prepared = next;
      }
      Log fresh = new Log(directory, memory, salts, aheadBytes, next, writtenPosition);
      // Its own from now on. Had there been no memory for it, the next try would take the same.
      prepared = null;
      return fresh;
    }
  }

  /**
   * Deletes the segments below {@code number}, whose records their owner has made durable
   * elsewhere.
   *
   * @throws IllegalArgumentException when the current segment would be among them
   */
  public void deleteSegmentsBelow(long number) throws IOException {
    if (number > segmentNumber) {
      throw new IllegalArgumentException(
          "segment " + segmentNumber + " is in use, cannot delete all below " + number);
    }
    closeSegmentsBelow(number);
    for (String name : directory.list()) {
      OptionalLong found = LogFormat.segmentNumber(name);
      if (found.isPresent() && found.getAsLong() < number) {
        directory.delete(name);
      }
    }
  }

  /**
   * Holds what is written so far, from segment {@code fromSegment} on, for a copy of it. For a
   * worker; nobody deletes segments before this returns.
   *
   * @throws LogPoisonedException after a failed sync
   */
  public LogPrefix prefix(long fromSegment) throws IOException {
    checkUsable();
    RecordFileWriter last;
    SyncedPoint before;
    synchronized (segments) {
      last = current;
      before = rolledEnd;
    }
    return LogPrefix.open(
        this, directory, fromSegment, before, last.syncedPoint(last.writtenPosition()));
  }

  /** Those that no sync has closed: their space comes back only when nobody has them open. */
  private void closeSegmentsBelow(long number) throws IOException {
    List<RecordFileWriter> unneeded;
    synchronized (syncing) {
      synchronized (segments) {
        unneeded = rolledUnsynced.stream().filter(each -> each.number() < number).toList();
        rolledUnsynced.removeAll(unneeded);
      }
      unneeded.forEach(Log::close);
    }
  }

  /**
   * Writes and syncs everything, and leaves a mark of that in the file, so that any later damage is
   * seen as such. A poisoned log is closed as it is. Closing twice is not an error.
   */
  @Override
  public void close() throws IOException {
    synchronized (preparing) {
      if (closed) {
        return;
      }
      try {
        if (!isPoisoned()) {
          finish();
        }
      } finally {
        closed = true;
        release();
      }
    }
  }

  /**
   * Closes the files as they are, without a mark: for a log that took the place of a poisoned one
   * whose records are durable nowhere else yet. Closing twice is not an error.
   */
  public void abandon() throws IOException {
    synchronized (preparing) {
      if (!closed) {
        closed = true;
        release();
      }
    }
  }

  private void finish() throws IOException {
    write();
    sync();
    current.appendSyncMark(syncedPoint);
    current.write();
    current.truncateToWritten();
    current.sync();
    end = current.syncedPoint(current.syncedPosition());
  }

  /**
   * Where the log ends once it is closed, its last mark included: all before is on the device.
   * Nothing is known, and {@link SyncedPoint#NONE} returned, before that and if it was poisoned.
   */
  public SyncedPoint end() {
    return end;
  }

  private void release() throws IOException {
    buffer.release();
    synchronized (syncing) {
      rolledUnsynced.forEach(Log::close);
      close(current);
    }
    LogSegment unused = prepared;
    if (unused != null) {
      prepared = null;
      unused.discard(directory);
    }
  }

  void checkUsable() throws IOException {
    Throwable failure = firstSyncFailure;
    if (failure != null) {
      throw new LogPoisonedException(LogFormat.fileName(segmentNumber), failure);
    }
    if (closed) {
      throw new IOException("the log is closed");
    }
  }
}
