package dev.varve.server.command.lead;

import dev.varve.codec.Effects;
import dev.varve.server.command.Replica;
import dev.varve.server.command.Session;
import dev.varve.server.command.Wait;
import dev.varve.server.resp.RespEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who follows this server, and the stream that they follow. There is none, and it costs nothing,
 * before the first of them has come.
 *
 * <p>Keyspace loop, but for what says any thread.
 */
public final class Leading {
  private static final Logger LOG = LoggerFactory.getLogger(Leading.class);

  private static final int ENCODER_BYTES_KEPT = 64 << 10;
  private static final int NO_DATABASE = -1;

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
  private final RespEncoder encoder = new RespEncoder();
  private volatile String history = randomId();
  private volatile @Nullable Backlog backlog;

  /** Of the backlog, as INFO shows it; where the next one begins, while there is none. */
  private volatile long start;

  private final LongAdder fulls = new LongAdder();
  private final LongAdder partials = new LongAdder();
  private final LongAdder refusals = new LongAdder();
  private int database = NO_DATABASE;

  /** How many will begin at the end of some commit. */
  private int beginning;

  private long bytesMax;
  private Runnable onTold = () -> {};
  private Joining onJoin = (replica, its, offset) -> {};

  /** What a client waits for: that so many have carried out so much. */
  private record Acknowledgement(Wait its, long offset, long count) {
    boolean isOver() {
      return its.session().waiting() != its;
    }
  }

  /** Names who is told that something was told, and who is asked. Before the first command. */
  public void listeners(Runnable told, Joining joining) {
    onTold = told;
    onJoin = joining;
  }

  /** Forty hexadecimal digits. */
  public static String randomId() {
    return (UUID.randomUUID().toString() + UUID.randomUUID()).replace("-", "").substring(0, 40);
  }

  // The stream -----------------------------------------------------------------------------------

  /** Whether there is a stream: whatever writes tells its effects. Any thread. */
  public boolean isOn() {
    return backlog != null;
  }

  /** Where a transaction that is to be applied says its effects. Any thread. */
  public Effects effects() {
    return isOn() ? new Effects() : Effects.NONE;
  }

  /**
   * Begins the stream, if there is none.
   *
   * @param itsBytesMax how much of it is kept for those who come back
   */
  public void begin(long itsBytesMax) {
    bytesMax = itsBytesMax;
    if (backlog == null) {
      backlog = new Backlog(start);
      database = NO_DATABASE;
    }
  }

  /** What is kept of it, or null while there is none. */
  public @Nullable Backlog backlog() {
    return backlog;
  }

  /** How much of the stream is kept from now on. */
  public void keep(long itsBytesMax) {
    bytesMax = itsBytesMax;
  }

  /** Ends it: what comes next is another history, in which nobody can go on. */
  public void end() {
    // Offsets go on, so that who has one of before does not wait for what never comes.
    start = written();
    backlog = null;
    encoder.clear(ENCODER_BYTES_KEPT);
    history = randomId();
  }

  /**
   * Somebody will begin somewhere behind what is written now, and not know which database was the
   * last: it is named each time, until {@link #hasBegun}.
   */
  public void willBegin() {
    beginning++;
  }

  /** He has begun: before what is written from now on. */
  public void hasBegun() {
    beginning--;
    database = NO_DATABASE;
  }

  /** Tells them what a transaction has done, as a whole. */
  public void tell(Effects effects) {
    List<Effects.Effect> all = effects.all();
    if (all.isEmpty() || backlog == null) {
      return;
    }
    try {
      boolean isTransaction = all.size() > 1;
      if (isTransaction) {
        select(all.get(0).database());
        encode(List.of(word("MULTI")));
      }
      for (Effects.Effect effect : all) {
        select(effect.database());
        encode(effect.words());
      }
      if (isTransaction) {
        encode(List.of(word("EXEC")));
      }
      write();
    } catch (OutOfMemoryError noRoom) {
      // It is written here, and cannot be told: nobody can go on from what he knows.
      LOG.error("replicas have to be sent all data again: {}", noRoom.toString());
      end();
      return;
    }
    onTold.run();
  }

  /** Tells them to make this request, in that database. */
  public void tell(int number, List<byte[]> words) {
    if (backlog != null) {
      select(number);
      encode(words);
      write();
      onTold.run();
    }
  }

  /** Tells them what no database has to do with. */
  public void tell(String... words) {
    List<byte[]> its = new ArrayList<>();
    for (String word : words) {
      its.add(word(word));
    }
    tell(database, its);
  }

  private void select(int number) {
    if (number != NO_DATABASE && (number != database || beginning > 0)) {
      database = number;
      encode(List.of(word("SELECT"), word(Integer.toString(number))));
    }
  }

  private void encode(List<byte[]> words) {
    encoder.array(words.size());
    for (byte[] word : words) {
      encoder.bulk(word);
    }
    if (encoder.length() > ENCODER_BYTES_KEPT) {
      write();
    }
  }

  private static byte[] word(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private void write() {
    Backlog its = backlog;
    if (its != null) {
      its.add(encoder.array(), encoder.length());
      its.trim(bytesMax);
      start = its.start();
    }
    encoder.clear(ENCODER_BYTES_KEPT);
  }

  /** The name of what has been written. Any thread. */
  public String history() {
    return history;
  }

  /** Up to where the stream is published. Any thread. */
  public long offset() {
    Backlog its = backlog;
    return its == null ? start : its.published();
  }

  /** Where what is kept of it begins. Any thread. */
  public long start() {
    return start;
  }

  /** Up to where it is written. */
  public long written() {
    Backlog its = backlog;
    return its == null ? start : its.end();
  }

  /** From where on one may go on who knows {@code itsHistory} up to {@code offset}, or null. */
  public Backlog.@Nullable Reader goesOn(@Nullable String itsHistory, long offset) {
    Backlog its = backlog;
    if (its == null || !history.equals(itsHistory)) {
      return null;
    }
    return offset >= its.start() && offset <= its.published() ? its.reader(offset) : null;
  }

  // Who follows ----------------------------------------------------------------------------------

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

  /** Asks them how far they are, for a client that waits until {@code count} are at an offset. */
  public void await(Wait wait, long offset, long count) {
    awaited.removeIf(Acknowledgement::isOver);
    awaited.add(new Acknowledgement(wait, offset, count));
    tell("REPLCONF", "GETACK", "*");
  }
}
