package dev.varve.server.command.lead;

import dev.varve.server.command.Session;
import dev.varve.server.command.Wait;
import java.util.List;
import java.util.Objects;
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
  /** Who sends them what they need. */
  public interface Leader {
    /** The stream has become longer. */
    void told();

    /**
     * A client asks to follow.
     *
     * @param history the one that it knows, or null for none
     * @param offset up to where, if it does
     */
    void join(Session replica, @Nullable String history, long offset);

    /** One of them has said how far it is. */
    void heard();

    /** All of them were asked how far they are. */
    void asked();

    /**
     * The stream goes on here, which others have read elsewhere.
     *
     * @param formerMaster the name of the one that was followed until now, as others reach it; null
     *     where that is a process that came before this one
     */
    void takenOver(@Nullable String formerMaster);
  }

  /** How this server ends, for those who follow it. Keyspace loop, but for what says any thread. */
  public interface Ending {
    /**
     * It is to end once they have all that was written.
     *
     * @param then runs when they do, or have taken too long for it
     * @param aborted runs instead where {@link #abort} comes before that
     */
    void begin(Runnable then, Runnable aborted);

    /** It ends whatever they have. */
    void skip();

    /** It does not end; false if it is not about to, or nothing can keep it from that any more. */
    boolean abort();

    /** For how long they may still take, in ms; 0 if it is not about to end. Any thread. */
    long millisLeft();
  }

  private static final Leader OF_NOBODY =
      new Leader() {
        @Override
        public void told() {}

        @Override
        public void join(Session replica, @Nullable String history, long offset) {}

        @Override
        public void heard() {}

        @Override
        public void asked() {}

        @Override
        public void takenOver(@Nullable String formerMaster) {}
      };

  private static final Ending AT_ONCE =
      new Ending() {
        @Override
        public void begin(Runnable then, Runnable aborted) {
          then.run();
        }

        @Override
        public void skip() {}

        @Override
        public boolean abort() {
          return false;
        }

        @Override
        public long millisLeft() {
          return 0;
        }
      };

  private final List<Session> replicas = new CopyOnWriteArrayList<>();
  private final Acknowledgements acknowledgements = new Acknowledgements(replicas);
  private final ReplicationStream stream = new ReplicationStream();
  private final Failover failover = new Failover();
  private final LongAdder fulls = new LongAdder();
  private final LongAdder partials = new LongAdder();
  private final LongAdder refusals = new LongAdder();
  private volatile long spooledBytes;
  private final StoredPosition storedPosition = new StoredPosition(stream);
  private Leader leader = OF_NOBODY;
  private Ending ending = AT_ONCE;

  /** Names who sends them what they need. Before the first command. */
  public void leader(Leader its) {
    leader = its;
    stream.onTold(its::told);
  }

  /** Names who lets this server end. Before the first command. */
  public void ending(Ending its) {
    ending = its;
  }

  /** How this server ends. */
  public Ending ending() {
    return ending;
  }

  /** What they read. */
  public ReplicationStream stream() {
    return stream;
  }

  /** How far it is, for the next process. */
  public StoredPosition storedPosition() {
    return storedPosition;
  }

  /** A client asks to follow; see {@link Leader}. */
  public void join(Session replica, @Nullable String itsHistory, long offset) {
    leader.join(replica, itsHistory, offset);
  }

  /**
   * Whether one may follow while it is open who takes over: not as in Redis, where the one that is
   * waited for can lose its link and is waited for in vain then.
   *
   * @param itsHistory the one that it knows
   * @param offset up to where
   */
  public boolean mayComeBack(@Nullable String itsHistory, long offset) {
    return failover.state() == Failover.State.WAITING && stream.goesOn(itsHistory, offset) != null;
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

  /** How all of them are doing, but for who wants a dump and nothing else. Any thread. */
  public List<ReplicaStatus> statuses() {
    return replicas.stream().map(ReplicaStatus::of).filter(Objects::nonNull).toList();
  }

  /** Whether one of them is to take over. Its state any thread. */
  public Failover failover() {
    return failover;
  }

  /** How much of what they have not been sent yet is on the disk. Any thread. */
  public long spooledBytes() {
    return spooledBytes;
  }

  /** The same, by who puts it there. */
  public void spooledBytes(long bytes) {
    spooledBytes = bytes;
  }

  /** How far they are, and what is written here. */
  public Acknowledgements acknowledgements() {
    return acknowledgements;
  }

  /** One of them has said how far it is. */
  public void heard() {
    acknowledgements.heard();
    leader.heard();
  }

  /** What comes next is our own; see {@link Leader#takenOver}. */
  public void takeOver(@Nullable String formerMaster) {
    stream.takeOver();
    storedPosition.lost();
    leader.takenOver(formerMaster);
  }

  /** Asks them how far they are. */
  public void askHowFar() {
    stream.tell("REPLCONF", "GETACK", "*");
    if (stream.isTold()) {
      leader.asked();
    }
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
