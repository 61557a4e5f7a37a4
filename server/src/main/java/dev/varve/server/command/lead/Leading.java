package dev.varve.server.command.lead;

import dev.varve.server.command.Session;
import dev.varve.server.command.Wait;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
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
  private final Acknowledgements acknowledgements = new Acknowledgements(replicas);
  private final ReplicationStream stream = new ReplicationStream();
  private final LongAdder fulls = new LongAdder();
  private final LongAdder partials = new LongAdder();
  private final LongAdder refusals = new LongAdder();
  private Joining onJoin = (replica, its, offset) -> {};

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

  /** How far they are, and what is written here. */
  public Acknowledgements acknowledgements() {
    return acknowledgements;
  }

  /** Asks them how far they are. */
  public void askHowFar() {
    stream.tell("REPLCONF", "GETACK", "*");
  }

  /**
   * Asks them how far they are, for a client that waits for that.
   *
   * @param isThere whether what it waits for has come; its reply is then that of the end of its
   *     time
   */
  public void await(Wait wait, BooleanSupplier isThere) {
    acknowledgements.await(wait, isThere);
    askHowFar();
  }
}
