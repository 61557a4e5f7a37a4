package dev.varve.server.command.lead;

import dev.varve.codec.Effects;
import dev.varve.codec.MasterPosition;
import dev.varve.server.resp.RespEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What those who follow this server read: the effects of what runs here, or, while this server
 * follows another one, what that one sends, byte for byte. So all who follow one another count the
 * same bytes, and go on with each other when one of them is lost.
 *
 * <p>There is none, and it costs nothing, before somebody follows this server, or it follows
 * another one.
 *
 * <p>Keyspace loop, but for what says any thread.
 */
public final class ReplicationStream {
  private static final Logger LOG = LoggerFactory.getLogger(ReplicationStream.class);

  private static final int ENCODER_BYTES_KEPT = 64 << 10;

  /**
   * The name that what came before has, as PSYNC asks for it besides the name of now: who knows it
   * up to there goes on behind that.
   *
   * @param end the offset up to which it is known here
   */
  public record Former(String history, long end) {}

  private final RespEncoder encoder = new RespEncoder();
  private final Retention retention = new Retention();
  private volatile String history = randomId();
  private volatile @Nullable Former former;
  private volatile @Nullable Backlog backlog;

  /** Of the backlog, as INFO shows it; where the next one begins, while there is none. */
  private volatile long start;

  private long changes;

  /** Whether it is made here. */
  private volatile boolean isOurs = true;

  /** The one that it goes on in. */
  private int database;

  /** The same where it is published up to. */
  private int publishedDatabase;

  /** Whether somebody may begin here who does not know that. */
  private boolean isToBeNamed = true;

  /** How many will begin at the end of some commit. */
  private int beginning;

  private long bytesMax;
  private Runnable onTold = () -> {};

  ReplicationStream() {}

  void onTold(Runnable listener) {
    onTold = listener;
  }

  /** Forty hexadecimal digits. */
  public static String randomId() {
    return (UUID.randomUUID().toString() + UUID.randomUUID()).replace("-", "").substring(0, 40);
  }

  // Whether there is one --------------------------------------------------------------------------

  /** Whether there is a stream. Any thread. */
  public boolean isOn() {
    return backlog != null;
  }

  /** Whether it would be, or is, made of what runs here. Any thread. */
  public boolean isOurs() {
    return isOurs;
  }

  /** Whether what runs here tells its effects. Any thread. */
  public boolean isTold() {
    return isOn() && isOurs;
  }

  /** Where a transaction that is to be applied says its effects. Any thread. */
  public Effects effects() {
    return isTold() ? new Effects() : Effects.NONE;
  }

  /** How much of it is kept from now on, for those who come back. */
  public void keep(long itsBytesMax) {
    bytesMax = itsBytesMax;
  }

  /** For whom more of it is kept. Any thread. */
  public Retention retention() {
    return retention;
  }

  /** Begins it, if there is none. */
  public void begin() {
    if (backlog == null) {
      backlog = new Backlog(start);
      isToBeNamed = true;
    }
  }

  /** What is kept of it, or null while there is none. Any thread. */
  public @Nullable Backlog backlog() {
    return backlog;
  }

  /** Ends it: what comes next is another history, in which nobody can go on. */
  public void end() {
    // Offsets go on, so that who has one of before does not wait for what never comes.
    start = written();
    backlog = null;
    encoder.clear(ENCODER_BYTES_KEPT);
    history = randomId();
    former = null;
  }

  // Whose it is -----------------------------------------------------------------------------------

  /** Another server is to be followed: nothing is told until it is known from where on. */
  public void follow() {
    isOurs = false;
  }

  /**
   * From there on it is what another server sends. Where that is how far it was, it goes on, under
   * another name if need be; if not, it begins anew.
   */
  public void relay(MasterPosition from) {
    isOurs = false;
    if (backlog != null && written() == from.offset()) {
      name(from.history());
    } else {
      backlog = new Backlog(from.offset());
      start = from.offset();
      history = from.history();
      former = null;
      publishedDatabase = from.database();
    }
    database = from.database();
  }

  /** What comes next is our own again: it goes on, under another name. */
  public void takeOver() {
    isOurs = true;
    isToBeNamed = true;
    if (backlog != null) {
      name(randomId());
    }
  }

  private void name(String its) {
    if (!history.equals(its)) {
      former = new Former(history, written());
      history = its;
    }
  }

  /**
   * What of it the data here is, for who asks another server to go on from there; null while there
   * is no stream.
   */
  public @Nullable MasterPosition position() {
    Backlog its = backlog;
    Former before = former;
    if (its == null) {
      return null;
    }
    // The older name is the one that others know.
    String known = before != null && before.end == its.end() ? before.history : history;
    return new MasterPosition(known, its.end(), database);
  }

  // What is written -------------------------------------------------------------------------------

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
    isToBeNamed = true;
  }

  /** Tells them what a transaction has done, as a whole. */
  public void tell(Effects effects) {
    List<Effects.Effect> all = effects.all();
    if (all.isEmpty() || !isTold()) {
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
      changes = written();
    } catch (OutOfMemoryError noRoom) {
      cannotTell(noRoom);
      return;
    }
    onTold.run();
  }

  /** It is written here, and cannot be told: nobody can go on from what he knows. */
  public void cannotTell(OutOfMemoryError noRoom) {
    LOG.error("replicas have to be sent all data again: {}", noRoom.toString());
    end();
  }

  /** Tells them to make this request, in that database. */
  public void tell(int number, List<byte[]> words) {
    if (isTold()) {
      select(number);
      encode(words);
      write();
      changes = written();
      onTold.run();
    }
  }

  /** Tells them what no database has to do with. */
  public void tell(String... words) {
    if (isTold()) {
      List<byte[]> its = new ArrayList<>();
      for (String word : words) {
        its.add(word(word));
      }
      encode(its);
      write();
      onTold.run();
    }
  }

  private void select(int number) {
    if (number != database || isToBeNamed || beginning > 0) {
      database = number;
      isToBeNamed = false;
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
    write(encoder);
    encoder.clear(ENCODER_BYTES_KEPT);
  }

  private void write(RespEncoder from) {
    Backlog its = backlog;
    if (its != null) {
      its.add(from.array(), from.length());
      its.trim(bytesMax);
      start = its.start();
    }
  }

  /**
   * Hands on what another server has sent, and was carried out.
   *
   * @param itsDatabase the one that it goes on in
   */
  public void handOn(RespEncoder requests, int itsDatabase) {
    if (backlog == null) {
      return;
    }
    try {
      write(requests);
    } catch (OutOfMemoryError noRoom) {
      cannotTell(noRoom);
      return;
    }
    database = itsDatabase;
    onTold.run();
  }

  /** Those who read see what comes before {@code end}, which goes on in {@code itsDatabase}. */
  public void publish(Backlog its, long end, int itsDatabase) {
    its.publish(end);
    if (its == backlog) {
      publishedDatabase = itsDatabase;
    }
  }

  // How far it is ---------------------------------------------------------------------------------

  /** The name of what has been written. Any thread. */
  public String history() {
    return history;
  }

  /** The one before, or null. Any thread. */
  public @Nullable Former former() {
    return former;
  }

  /** The database that it goes on in, behind what is written. */
  public int database() {
    return database;
  }

  /** The one that it goes on in, behind what is published. */
  public int publishedDatabase() {
    return publishedDatabase;
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

  /** How many bytes of it are kept and published. Any thread. */
  public long keptBytes() {
    return offset() - start;
  }

  /**
   * Up to where it tells of what clients have done: behind that it has asked how far replicas are,
   * or told them that it is there.
   */
  public long changes() {
    return Math.min(changes, written());
  }

  /** Up to where it is written. */
  public long written() {
    Backlog its = backlog;
    return its == null ? start : its.end();
  }

  /** From where on one may go on who knows {@code itsHistory} up to {@code offset}, or null. */
  public Backlog.@Nullable Reader goesOn(@Nullable String itsHistory, long offset) {
    Backlog its = backlog;
    if (its == null || !isKnown(itsHistory, offset)) {
      return null;
    }
    if (offset > its.end() || !its.isReadableFrom(offset)) {
      return null;
    }
    if (offset >= its.start()) {
      return its.reader(offset);
    }
    // Near by, for there may be gigabytes behind the first.
    Backlog.Mark kept = retention.lastBefore(its, offset);
    return kept == null ? null : kept.reader(offset);
  }

  private boolean isKnown(@Nullable String itsHistory, long offset) {
    Former before = former;
    return history.equals(itsHistory)
        || (before != null && before.history.equals(itsHistory) && offset <= before.end);
  }
}
