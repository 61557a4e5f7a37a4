package dev.varve.server.command.run;

import dev.varve.codec.DataException;
import dev.varve.codec.MasterPosition;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandFlag;
import dev.varve.server.command.Session;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Whom this server follows, how that goes, and what other clients are refused meanwhile.
 *
 * <p>Changed on the keyspace loop; any thread reads.
 */
public final class Following {
  static final DataException READ_ONLY =
      new DataException("READONLY You can't write against a read only replica.");
  static final DataException LOADING =
      new DataException("LOADING Varve is loading the dataset of its master");
  static final DataException STALE =
      new DataException(
          "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.");
  static final DataException WRITING_SCRIPT =
      new DataException("ERR Can not run script with write flag on readonly replica.");

  /** How far a connection to the master is, under the names that ROLE has. */
  public enum Link {
    /** There is none, and there will be. */
    CONNECT("connect"),
    CONNECTING("connecting"),
    /** All data comes. */
    SYNC("sync"),
    /** What the master writes comes as it writes it. */
    CONNECTED("connected");

    private final String label;

    Link(String label) {
      this.label = label;
    }

    public String label() {
      return label;
    }
  }

  /**
   * The server that is followed.
   *
   * @param host its name or address
   */
  public record Master(String host, int port) {

    /** The one that {@link #text} was made of. */
    public static Master of(String text) {
      int space = text.indexOf(' ');
      return new Master(text.substring(0, space), Integer.parseInt(text.substring(space + 1)));
    }

    /** As {@code replicaof} has it. */
    public String text() {
      return host + ' ' + port;
    }
  }

  /**
   * How much of all data has come.
   *
   * @param totalBytes 0 where the master does not say how much there is
   */
  public record Transfer(long readBytes, long totalBytes) {
    public static final Transfer NONE = new Transfer(0, 0);
  }

  /**
   * What has been carried out.
   *
   * @param commits as {@link Keyspace#commits} counts them: those that have it
   */
  private record CarriedOut(long offset, long commits) {}

  private static final long NOT_KNOWN = -1;

  private volatile @Nullable Master master;
  private volatile Link link = Link.CONNECT;
  private volatile @Nullable String replicationId;
  private final AtomicLong offset = new AtomicLong();
  private int database;
  private @Nullable CarriedOut unsynced;
  private long syncedOffset = NOT_KNOWN;
  private final AtomicLong failures = new AtomicLong();

  /** How often in a row the request of the master that is next could not be carried out. */
  private volatile int attempts;

  private volatile Transfer transfer = Transfer.NONE;
  private volatile boolean isLoading;
  private volatile long heardNanos;
  private volatile long downNanos;
  private volatile boolean isReadOnly = true;
  private volatile boolean isStaleServed = true;
  private volatile boolean isInCluster;
  private Consumer<@Nullable Master> onFollow = whom -> {};

  Following() {}

  /** What CONFIG says of it, from the next command on. Any thread. */
  public void update(boolean readOnly, boolean staleServed) {
    isReadOnly = readOnly;
    isStaleServed = staleServed;
  }

  /**
   * Clients see a cluster of the servers that follow one another, and are sent to the one that is
   * followed. Before the first of them.
   */
  public void inCluster() {
    isInCluster = true;
  }

  /** Whether clients see a cluster. */
  public boolean isInCluster() {
    return isInCluster;
  }

  /** Names who carries out that another server is followed. Before the first command. */
  public void onFollow(Consumer<@Nullable Master> follower) {
    onFollow = follower;
  }

  /**
   * From now on this server follows that one, or none; what comes of it shows later.
   *
   * @param from what the data here is of, from where on that one is asked to go on; null where all
   *     data is to come, or none
   * @param nowNanos as {@link System#nanoTime}
   */
  public void follow(@Nullable Master whom, @Nullable MasterPosition from, long nowNanos) {
    begin(whom, from, nowNanos);
    onFollow.accept(whom);
  }

  /** The same, by who carries it out. */
  public void begin(@Nullable Master whom, @Nullable MasterPosition from, long nowNanos) {
    master = whom;
    forgetPosition();
    if (from != null) {
      position(from);
    }
    link(Link.CONNECT, nowNanos);
  }

  /** The connection is that far. */
  public void link(Link its, long nowNanos) {
    if (link == Link.CONNECTED || downNanos == 0) {
      downNanos = nowNanos;
    }
    link = its;
  }

  /** So far the master's writes are carried out here. */
  public void position(MasterPosition its) {
    offset.set(its.offset());
    database = its.database();
    replicationId = its.history();
    forgetSync();
  }

  /** How far they are carried out, or null where that is not known. Keyspace loop. */
  public @Nullable MasterPosition position() {
    String history = replicationId;
    return history == null ? null : new MasterPosition(history, offset.get(), database);
  }

  /** It is not known how far, so that all data has to come. */
  public void forgetPosition() {
    replicationId = null;
    offset.set(0);
    database = 0;
    failures.set(0);
    attempts = 0;
    forgetSync();
  }

  private void forgetSync() {
    unsynced = null;
    syncedOffset = NOT_KNOWN;
  }

  /**
   * Up to where power loss can no longer take what has been carried out, as far as that is known;
   * negative if it is not. Keyspace loop.
   *
   * @param commits as {@link Keyspace#commits} counts them: those that have all of it
   * @param isSynced whether so many are synced
   */
  public long syncedOffset(long commits, LongPredicate isSynced) {
    CarriedOut before = unsynced;
    if (before != null && isSynced.test(before.commits)) {
      syncedOffset = before.offset;
      before = null;
    }
    if (isSynced.test(commits)) {
      syncedOffset = offset();
      before = null;
    } else if (before == null) {
      before = new CarriedOut(offset(), commits);
    }
    unsynced = before;
    return syncedOffset;
  }

  /**
   * The same history, so much further.
   *
   * @param itsDatabase which one it goes on in
   */
  public void advance(long bytes, int itsDatabase) {
    // One thread counts, for each request: readers may be a moment behind.
    offset.lazySet(offset.get() + bytes);
    if (attempts != 0) {
      attempts = 0;
    }
    database = itsDatabase;
  }

  /** The number of the database that the history goes on in. Keyspace loop. */
  public int database() {
    return database;
  }

  /** The request that is next could not be carried out here. By whoever has the master's turn. */
  @SuppressWarnings("NonAtomicOperationOnVolatileField") // one at a time counts
  public void notCarriedOut() {
    attempts++;
  }

  /** How often in a row that was so. Any thread. */
  public int attempts() {
    return attempts;
  }

  /** A request of the master has ended by an error; how many did so far. */
  public long failed() {
    return failures.incrementAndGet();
  }

  /** So much of all data has come. */
  public void transfer(Transfer its) {
    transfer = its;
  }

  /** Whether the data here is being replaced by the master's. */
  public void loading(boolean yes) {
    isLoading = yes;
  }

  /** The master was heard of. */
  public void heard(long nowNanos) {
    heardNanos = nowNanos;
  }

  /** The one that is followed, or null. */
  public @Nullable Master master() {
    return master;
  }

  /** Whether any is. */
  public boolean isOn() {
    return master != null;
  }

  public Link link() {
    return link;
  }

  /** The history of writes that is followed, or null if none is yet. */
  public @Nullable String replicationId() {
    return replicationId;
  }

  /** How many bytes of it have been carried out here. */
  public long offset() {
    return offset.get();
  }

  /**
   * How many requests of the master have ended by an error since all its data came, so that its
   * data may differ.
   */
  public long failures() {
    return failures.get();
  }

  public Transfer transfer() {
    return transfer;
  }

  public boolean isLoading() {
    return isLoading;
  }

  /** When it was heard of last, as {@link System#nanoTime}. */
  public long heardNanos() {
    return heardNanos;
  }

  /** Since when there is no connection. */
  public long downNanos() {
    return downNanos;
  }

  public boolean isReadOnly() {
    return isReadOnly;
  }

  /** Whether clients may not write. */
  boolean refusesWrites() {
    return isReadOnly && master != null;
  }

  /** What a write of a client is refused by since another server is followed, or null. */
  @Nullable String writeRefusal() {
    return refusesWrites() ? READ_ONLY.error() : null;
  }

  /** Why a request of a client that is not the master is refused, or null. */
  @Nullable DataException refusal(Session session, Command command) {
    if (refusesWrites() && Admission.writes(session, command)) {
      return READ_ONLY;
    }
    boolean isStale = link != Link.CONNECTED && !isStaleServed;
    if (isStale && Admission.lacks(session, command, CommandFlag.STALE)) {
      return STALE;
    }
    return isLoading && Admission.lacks(session, command, CommandFlag.LOADING) ? LOADING : null;
  }
}
