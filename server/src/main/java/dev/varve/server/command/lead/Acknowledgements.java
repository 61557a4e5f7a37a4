package dev.varve.server.command.lead;

import dev.varve.server.command.Replica;
import dev.varve.server.command.Session;
import dev.varve.server.command.Wait;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * How far what clients have written has come: synced here, carried out and synced by replicas; and
 * the clients that wait for that.
 *
 * <p>Keyspace loop, but for what says any thread.
 */
public final class Acknowledgements {
  private final List<Session> replicas;
  private final List<Awaited> awaited = new ArrayList<>();
  private long syncedCommits;

  /** What a client waits for; its reply is then that of the end of its time. */
  private record Awaited(Wait its, BooleanSupplier isThere) {
    boolean isOver() {
      return its.isOver();
    }
  }

  Acknowledgements(List<Session> replicas) {
    this.replicas = replicas;
  }

  /** Whether power loss can no longer take what was written up to so many commits. */
  public boolean isSynced(long commits) {
    return syncedCommits >= commits;
  }

  /** The log is synced up to so many commits. */
  public void synced(long commits) {
    syncedCommits = Math.max(syncedCommits, commits);
    lookAtAwaited();
  }

  /** How many have carried out all up to {@code offset}. */
  public long countCarriedOut(long offset) {
    return count(its -> its.hasAcknowledged() && its.acknowledged() >= offset);
  }

  /** How many have synced all up to {@code offset}: those that tell of it. */
  public long countSynced(long offset) {
    return count(its -> its.synced() >= offset);
  }

  /** How many are here that were heard of within so long. Any thread. */
  public long countHeard(long nanosMax) {
    long nowNanos = System.nanoTime();
    return count(its -> its.hasAcknowledged() && nowNanos - its.heardNanos() <= nanosMax);
  }

  private long count(Predicate<Replica> who) {
    long count = 0;
    for (Session session : replicas) {
      Replica its = session.replica();
      if (its != null && its.phase() == Replica.Phase.ONLINE && who.test(its)) {
        count++;
      }
    }
    return count;
  }

  /** One of them has said how far it is: that may be what a client waits for. */
  void heard() {
    lookAtAwaited();
  }

  private void lookAtAwaited() {
    awaited.removeIf(Awaited::isOver);
    awaited.removeIf(
        wanted -> {
          boolean isThere = wanted.isThere.getAsBoolean();
          if (isThere) {
            wanted.its.timeOut();
          }
          return isThere;
        });
  }

  void await(Wait wait, BooleanSupplier isThere) {
    awaited.removeIf(Awaited::isOver);
    awaited.add(new Awaited(wait, isThere));
  }
}
