package dev.varve.lsm;

import dev.varve.wal.Log;
import dev.varve.wal.LogPrefix;
import dev.varve.wal.SyncedPoint;
import java.io.IOException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The log of a tree, and how a fresh one takes over from a log that a failed sync has poisoned.
 *
 * <p>Thread rule: as {@link Log}; of the methods below each says whether it is for the writer or
 * for the worker.
 */
final class TreeLog {
  /*
   * What the poisoned log holds may have a hole, and a replay stops there. So nothing may be logged
   * behind it before all of it is in tables, by an edit that lets the replay begin at the fresh log.
   *
   *   SOUND      the log is written
   *   STOPPED    the writer has seen the failure and left the log alone: a worker may take it over
   *   READY      the worker has made a fresh log
   *   FLUSHING   the writer has put a fresh memtable in front of it; older ones are being flushed
   *
   * and SOUND again, by the worker. The writer is refused in all states but the first.
   */
  private enum State {
    SOUND,
    STOPPED,
    READY,
    FLUSHING
  }

  private volatile Log current;
  private volatile State state = State.SOUND;

  /** The fresh log in READY, the poisoned one in FLUSHING. */
  private volatile @Nullable Log other;

  TreeLog(Log log) {
    this.current = log;
  }

  /** The log in use, for positions and numbers. Any thread. */
  Log current() {
    return current;
  }

  /** Whether records can be logged at present. Any thread. */
  boolean isSound() {
    return state == State.SOUND && !current.isPoisoned();
  }

  private void checkUsable() throws IOException {
    if (state != State.SOUND) {
      throw new IOException("the log is being replaced since a sync of it failed");
    }
  }

  // ---- the writer -------------------------------------------------------------------------------

  void append(byte[] payload, int offset, int length) throws IOException {
    checkUsable();
    current.append(payload, offset, length);
  }

  void write() throws IOException {
    checkUsable();
    current.write();
  }

  /** As {@link Log#roll}. */
  boolean roll() throws IOException {
    checkUsable();
    return current.roll();
  }

  /**
   * Takes the next step that is the writer's: leaves a poisoned log alone, or goes on in the fresh
   * one.
   *
   * @param rotate puts a fresh memtable in front of the fresh log
   * @return whether that happened; if not, the worker is next
   */
  boolean step(Consumer<Log> rotate) {
    Log fresh = other;
    if (state == State.READY && fresh != null) {
      Log poisoned = current;
      other = poisoned;
      current = fresh;
      try {
        // Before the state: the worker takes FLUSHING without any rotated memtable for its end.
        rotate.accept(fresh);
      } catch (RuntimeException | Error failure) {
        // There may be no memory for a memtable now. The next step must not go back to this log.
        current = poisoned;
        other = fresh;
        throw failure;
      }
      state = State.FLUSHING;
      return true;
    }
    if (state == State.SOUND && current.isPoisoned()) {
      state = State.STOPPED;
    }
    return false;
  }

  /** Whether {@link #step} has something to do. */
  boolean wantsStep() {
    return state == State.READY || (state == State.SOUND && current.isPoisoned());
  }

  // ---- the worker -------------------------------------------------------------------------------

  /** Makes all before that position durable, as {@link Log#sync}. */
  void sync(long position) throws IOException {
    // Read once, and before the state: a fresh log that takes over meanwhile calls synced what may
    // be in memory only.
    Log log = current;
    checkUsable();
    if (log.isPoisoned() || log.syncedPosition() < position) {
      log.sync();
    }
  }

  /**
   * Prepares the next segment, or in place of a poisoned log a fresh one. Returns whether the
   * writer has something new to go on with.
   */
  boolean prepare() throws IOException {
    if (state == State.STOPPED) {
      other = current.successor();
      state = State.READY;
      return true;
    }
    return isSound() && current.prepareNextSegment();
  }

  /**
   * Lets the writer go on in the fresh log, if it is waiting for that and all that was logged
   * before is in tables now.
   *
   * @param allIsInTables whether no rotated memtable is left
   */
  void flushed(BooleanSupplier allIsInTables) throws IOException {
    // The state comes first. Only the worker ends FLUSHING, so that what is asked behind it holds;
    // in READY the writer may step at any time, which rotates and makes another log the other one.
    if (state != State.FLUSHING || !allIsInTables.getAsBoolean()) {
      return;
    }
    Log poisoned = other;
    if (poisoned != null) {
      other = null;
      state = State.SOUND;
      poisoned.close();
    }
  }

  /** As {@link Log#prefix}; not while the log is being replaced. */
  LogPrefix prefix(long fromSegment) throws IOException {
    Log log = current;
    checkUsable();
    return log.prefix(fromSegment);
  }

  /** Where it ends once it is closed, as {@link Log#end}; nothing is known of one in doubt. */
  SyncedPoint end() {
    return state == State.SOUND ? current.end() : SyncedPoint.NONE;
  }

  void close() throws IOException {
    if (state == State.SOUND) {
      current.close();
      return;
    }
    // No mark in the fresh log: it would vouch for the poisoned one too, which may have a hole.
    Log second = other;
    other = null;
    try {
      current.abandon();
    } finally {
      if (second != null) {
        second.abandon();
      }
    }
  }
}
