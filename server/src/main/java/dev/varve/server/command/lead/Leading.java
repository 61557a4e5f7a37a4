package dev.varve.server.command.lead;

import dev.varve.server.command.Replica;
import dev.varve.server.command.Session;
import dev.varve.server.command.Wait;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Who follows this server, and who waits for what they have carried out.
 *
 * <p>Keyspace loop, but for what says any thread.
 */
public final class Leading {
  /** What one of them asks for, as who sends it is told. */
  public interface Joining {
    /**
     * A client asks to follow.
     *
     * @param history the one that it knows, or null for none
     * @param offset up to where, if it does
     */
    void join(Session replica, @Nullable String history, long offset);
  }

  private final List<Session> replicas = new CopyOnWriteArrayList<>();
  private final List<Acknowledgement> awaited = new ArrayList<>();
  private final ReplicationStream stream = new ReplicationStream();
  private final LongAdder fulls = new LongAdder();
  private final LongAdder partials = new LongAdder();
  private final LongAdder refusals = new LongAdder();
  private Joining onJoin = (replica, its, offset) -> {};

  /** What a client waits for: that so many have carried out so much. */
  private record Acknowledgement(Wait its, long offset, long count) {
    boolean isOver() {
      return its.session().waiting() != its;
    }
  }

  /** Names who is told that something was told, and who is asked. Before the first command. */
  public void listeners(Runnable told, Joining joining) {
    stream.onTold(told);
    onJoin = joining;
  }

  /** What they read. */
  public ReplicationStream stream() {
    return stream;
  }

  /** A client asks to follow; see {@link Joining}. */
  public void join(Session replica, @Nullable String itsHistory, long offset) {
    onJoin.join(replica, itsHistory, offset);
  }

  /**
   * What it asked for is counted.
   *
   * @param isKnown whether it has named what it knows
   * @param goesOn whether it could go on from there
   */
  public void count(boolean isKnown, boolean goesOn) {
    if (goesOn) {
      partials.increment();
    } else {
      fulls.increment();
      if (isKnown) {
        refusals.increment();
      }
    }
  }

  /** How often one of them was sent all data. Any thread. */
  public long fulls() {
    return fulls.sum();
  }

  /** How often one could go on from where it was. Any thread. */
  public long partials() {
    return partials.sum();
  }

  /** How often one could not that wanted to. Any thread. */
  public long refusals() {
    return refusals.sum();
  }

  /** Counts them again from zero. Any thread. */
  public void resetCounts() {
    fulls.reset();
    partials.reset();
    refusals.reset();
  }

  /** It does, from here on. */
  public void add(Session replica) {
    replicas.add(replica);
  }

  /** It does no longer. */
  public void remove(Session replica) {
    replicas.remove(replica);
  }

  /** All who do. Any thread. */
  public List<Session> replicas() {
    return replicas;
  }

  /** How many have carried out all up to {@code offset}. */
  public long countAcknowledged(long offset) {
    return count(its -> its.hasAcknowledged() && its.acknowledged() >= offset);
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
  public void acknowledged() {
    awaited.removeIf(Acknowledgement::isOver);
    awaited.removeIf(
        wanted -> {
          long count = countAcknowledged(wanted.offset);
          if (count < wanted.count) {
            return false;
          }
          Wait its = wanted.its;
          its.session().connection().endWait(its, reply -> reply.integer(count));
          return true;
        });
  }

  /** Asks them how far they are. */
  public void askHowFar() {
    stream.tell("REPLCONF", "GETACK", "*");
  }

  /** Asks them how far they are, for a client that waits until {@code count} are at an offset. */
  public void await(Wait wait, long offset, long count) {
    awaited.removeIf(Acknowledgement::isOver);
    awaited.add(new Acknowledgement(wait, offset, count));
    askHowFar();
  }
}
