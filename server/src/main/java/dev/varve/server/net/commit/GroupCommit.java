package dev.varve.server.net.commit;

import dev.varve.server.command.run.Keyspace;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One log write for all commands of a pass of the keyspace loop, and after it their replies; if
 * these wait for a sync, one for all commands of those whom a sync is for.
 *
 * <p>Keyspace loop only, except {@link #syncIfNeeded} and what says so.
 */
public final class GroupCommit {
  private static final Logger LOG = LoggerFactory.getLogger(GroupCommit.class);

  /** When the log is synced. */
  public enum Policy {
    /** Every second, by a timer. */
    EVERYSEC,
    /** Before replies leave and readers see a write. */
    ALWAYS,
    /** When the operating system likes to. */
    NO
  }

  /** Waits for a commit. Called on the keyspace loop. */
  public interface Waiter {

    /** Everything up to {@code ticket} is done. True if it waits for nothing further. */
    boolean released(long ticket);

    /** What it waits for failed: whether it took effect is not known. */
    void failed();
  }

  /** What the policy of always is at. */
  private enum SyncState {
    IDLE,
    /** Waits for others to join: {@link #gather} runs when one has, and when none does. */
    GATHERING,
    SYNCING
  }

  /** Runs a task on the keyspace loop after a while, or earlier. */
  @FunctionalInterface
  public interface Delayed {
    void execute(Runnable task, long nanosMax);
  }

  /** What waits until readers see everything up to a ticket. */
  private record Published(long ticket, Runnable task) {}

  private final Keyspace keyspace;
  private final Executor loop;
  private final Executor afterSockets;
  private final Delayed later;
  private final Executor worker;
  private final Supplier<Policy> policy;
  private final LongSupplier nanos;
  private final boolean isOnlyLoop;
  private final SyncGroup group = new SyncGroup();

  private final List<Waiter> waiters = new ArrayList<>();
  private final Deque<Published> afterPublication = new ArrayDeque<>();

  /** Whether anything was written since the last commit. */
  private boolean isUncommitted;

  /** Whether anything was written since {@link #gather} looked last. */
  private boolean hasJoined;

  private SyncState syncState = SyncState.IDLE;

  /** Whether {@link #gather} will run though nobody joins. */
  private boolean isLookDue;

  /** The ticket of the last commit. */
  private long committed;

  /** The ticket up to which replies may leave and readers see. */
  private long published;

  private final UnsyncedCommits unsynced = new UnsyncedCommits();

  private boolean wasSyncLate;
  private final AtomicLong delays = new AtomicLong();

  /**
   * @param loop runs a task on the keyspace loop after this pass
   * @param afterSockets runs a task on the keyspace loop after its next look at its sockets
   * @param later runs a task on the keyspace loop, which may be too early but not too late
   * @param worker runs a task that may block, one after the other
   * @param nanos a clock that never goes back
   * @param isOnlyLoop whether no other event loop reads: readers may wait for a commit then
   */
  public GroupCommit(
      Keyspace keyspace,
      Executor loop,
      Executor afterSockets,
      Delayed later,
      Executor worker,
      Supplier<Policy> policy,
      LongSupplier nanos,
      boolean isOnlyLoop) {
    this.keyspace = keyspace;
    this.loop = loop;
    this.afterSockets = afterSockets;
    this.later = later;
    this.worker = worker;
    this.policy = policy;
    this.nanos = nanos;
    this.isOnlyLoop = isOnlyLoop;
  }

  /**
   * Something was written: it will be committed at the end of this pass, or with those who wait for
   * the same sync.
   */
  public void wrote() {
    if (keyspace.longRun().isRunning()) {
      // It may be writing itself, or read what is published: this is for what comes after it.
      keyspace.longRun().await(() -> loop.execute(this::wrote));
      return;
    }
    if (!hasJoined) {
      hasJoined = true;
      if (syncState == SyncState.GATHERING) {
        loop.execute(this::gather);
      }
    }
    if (!isUncommitted) {
      isUncommitted = true;
      if (syncState == SyncState.IDLE) {
        commitSoon();
      }
    }
  }

  /** The same for what can come with a later write, where it would cost a sync. */
  public void wroteAside() {
    if (policy.get() != Policy.ALWAYS) {
      wrote();
    }
  }

  private void commitSoon() {
    try {
      loop.execute(this::commit);
    } catch (RuntimeException | OutOfMemoryError failure) {
      // Or nobody would ask for it again, and all wait for ever.
      isUncommitted = false;
      throw failure;
    }
  }

  /** The ticket that a reply written now has to wait for, or 0 if it can leave. */
  public long ticket() {
    if (isUncommitted) {
      return committed + 1;
    }
    return committed > published ? committed : 0;
  }

  /** Calls {@code waiter} at each release from now on, until it waits no longer. */
  public void add(Waiter waiter) {
    waiters.add(waiter);
  }

  /**
   * Runs {@code task} once readers see everything that is written now: at once if they do. Where
   * that fails it runs too, and nobody knows whether they will: {@link
   * dev.varve.server.engine.Engine#showsUnpublished} says so.
   */
  public void afterPublication(Runnable task) {
    long ticket = ticket();
    if (ticket == 0) {
      task.run();
    } else {
      afterPublication.add(new Published(ticket, task));
    }
  }

  private void commit() {
    if (!isUncommitted) {
      return;
    }
    isUncommitted = false;
    // Else a sync is coming that is for this too, or the end of one begins the next group.
    boolean isFirst = syncState == SyncState.IDLE;
    boolean isReleased = isFirst && policy.get() != Policy.ALWAYS;
    long sequence;
    try {
      sequence = keyspace.commit(isReleased && isOnlyLoop);
    } catch (IOException | RuntimeException | OutOfMemoryError failure) {
      fail("commit", failure);
      return;
    }
    committed++;
    unsynced.committed(nanos);
    if (isReleased) {
      release(sequence, committed);
    } else if (isFirst) {
      beginGroup();
      gather();
    }
  }

  /**
   * Whether a sync of every second is so late that nothing should be written before it: more of
   * what is acknowledged could be lost with the power than is promised. Keyspace loop.
   */
  public boolean isSyncLate() {
    // Once in a pass.
    if (isUncommitted) {
      return false;
    }
    boolean isLate = policy.get() == Policy.EVERYSEC && unsynced.isLate(nanos.getAsLong());
    if (isLate && !wasSyncLate) {
      LOG.warn(
          "the log was not synced for {} s: writes wait for the disk",
          UnsyncedCommits.LATE_SECONDS);
      delays.incrementAndGet();
    }
    wasSyncLate = isLate;
    return isLate;
  }

  private void beginGroup() {
    group.begin(nanos.getAsLong());
    syncState = SyncState.GATHERING;
  }

  private void gather() {
    if (syncState != SyncState.GATHERING) {
      return;
    }
    long nowNanos = nanos.getAsLong();
    if (hasJoined) {
      hasJoined = false;
      group.joined(nowNanos);
    }
    if (group.isComplete(waiters.size(), nowNanos)) {
      // Some of them may have run in this pass.
      commit();
      sync();
    } else if (!isLookDue) {
      // Not over and over, if it can be helped: who is to come could use the processor.
      isLookDue = true;
      later.execute(this::look, group.nanosLeft(nowNanos));
    }
  }

  private void look() {
    isLookDue = false;
    gather();
  }

  private void sync() {
    syncState = SyncState.SYNCING;
    long ticket = committed;
    worker.execute(
        () -> {
          try {
            Synced synced = syncLog();
            loop.execute(() -> synced(synced, ticket));
          } catch (IOException | RuntimeException | OutOfMemoryError failure) {
            // Whatever it is: who waits for this sync must not wait for ever.
            loop.execute(() -> syncFailed(failure));
          }
        });
  }

  private void synced(Synced synced, long ticket) {
    syncState = SyncState.IDLE;
    group.met(waiters.size());
    keyspace.synced(synced.commits());
    release(synced.sequence(), ticket);
    if (isUncommitted || committed > published) {
      // The replies leave with the next look at the sockets: not before it can their clients be
      // back, and what was written meanwhile counts as if it came then.
      beginGroup();
      afterSockets.execute(this::gather);
    }
  }

  private void syncFailed(Throwable failure) {
    syncState = SyncState.IDLE;
    fail("sync", failure);
    if (isUncommitted) {
      loop.execute(this::commit);
    }
  }

  private void release(long sequence, long ticket) {
    published = ticket;
    keyspace.publish(sequence);
    waiters.removeIf(waiter -> isThrough(waiter, ticket));
    runPublished();
  }

  private static boolean isThrough(Waiter waiter, long ticket) {
    try {
      return waiter.released(ticket);
    } catch (RuntimeException | OutOfMemoryError failure) {
      // Those behind it are not to wait for the next commit.
      waiter.failed();
      LOG.error("replies were not sent: {}", failure.toString());
      return true;
    }
  }

  private void runPublished() {
    Published first = afterPublication.peek();
    while (first != null && first.ticket() <= published) {
      afterPublication.remove();
      first.task().run();
      first = afterPublication.peek();
    }
  }

  /*
   * The engine refuses writes from here on until it has found a way out. What was not acknowledged may
   * or may not be there, and the honest answer to that is none: the connections are closed.
   */
  private void fail(String what, Throwable failure) {
    LOG.error("{} of the log failed: {}", what, failure.toString());
    // Nobody is to see what power loss may still take.
    keyspace.engine().doubtUnpublished();
    committed++;
    published = committed;
    List<Waiter> failed = List.copyOf(waiters);
    waiters.clear();
    failed.forEach(Waiter::failed);
    runPublished();
  }

  /** The sync of every second: does nothing if nothing was committed since the last. Worker. */
  public void syncIfNeeded() {
    if (!unsynced.isAny() || policy.get() != Policy.EVERYSEC) {
      return;
    }
    try {
      Synced synced = syncLog();
      loop.execute(() -> keyspace.synced(synced.commits()));
    } catch (IOException | RuntimeException failure) {
      LOG.error("sync of the log failed: {}", failure.toString());
    } catch (OutOfMemoryError noMemory) {
      LOG.error("the log was not synced: {}", noMemory.toString());
    }
  }

  /** Up to which commit the log is synced, and what number that is to readers. */
  private record Synced(long commits, long sequence) {}

  private Synced syncLog() throws IOException {
    unsynced.syncBegins();
    try {
      long commits = keyspace.commits();
      Synced synced = new Synced(commits, keyspace.engine().sync());
      unsynced.syncEnds();
      return synced;
    } catch (IOException | RuntimeException failure) {
      unsynced.syncEnds();
      throw failure;
    } catch (OutOfMemoryError noMemory) {
      // The log is as sound as before, and nothing may be written for long.
      unsynced.syncIsLeft();
      throw noMemory;
    }
  }

  /** Whether the log is being synced now. Any thread. */
  public boolean isSyncing() {
    return unsynced.isSyncing();
  }

  /** How often a sync of every second was so late that writes had to wait for it. Any thread. */
  public long delays() {
    return delays.get();
  }
}
