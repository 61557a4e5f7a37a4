package dev.varve.server.command.run;

import dev.varve.codec.AccessTimes;
import dev.varve.codec.Databases;
import dev.varve.codec.DueDeletion;
import dev.varve.codec.ExpiredKey;
import dev.varve.codec.Meta;
import dev.varve.codec.PackedLimits;
import dev.varve.codec.Transaction;
import dev.varve.codec.store.StoreChanges;
import dev.varve.codec.store.StoreView;
import dev.varve.codec.string.Strings;
import dev.varve.server.command.CommandTable;
import dev.varve.server.command.Session;
import dev.varve.server.command.access.Users;
import dev.varve.server.command.lead.Leading;
import dev.varve.server.command.listen.ChangeListeners;
import dev.varve.server.command.listen.Tracking;
import dev.varve.server.command.listen.TransactionReads;
import dev.varve.server.command.observe.Activity;
import dev.varve.server.engine.Engine;
import dev.varve.server.lua.run.ScriptRoom;
import dev.varve.server.script.FunctionLibraries;
import dev.varve.server.script.ScriptCache;
import dev.varve.server.script.ScriptRuns;
import dev.varve.server.script.StoredLibraries;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The data as commands meet it: the engine, the mapping of database numbers that fits what readers
 * see, and who waits for changes.
 *
 * <p>Keyspace loop, except where a method says any thread.
 */
public final class Keyspace {
  private final Engine engine;
  private final int databaseCount;
  private final WrittenKeys writtenKeys = new WrittenKeys();
  private final ScriptCache scripts = new ScriptCache(Runtime.getRuntime().maxMemory());
  private final ScriptRuns scriptRuns = new ScriptRuns();
  private final ScriptRoom scriptRoom = ScriptRoom.standard();
  private final LongRun longRun = new LongRun();
  private final LongReads longReads = new LongReads();
  private final ChangeListeners listeners = new ChangeListeners(Runtime.getRuntime().maxMemory());
  private final Activity activity = new Activity();
  private final Following following = new Following();
  private final Leading leading = new Leading();
  private final Shortage shortage = new Shortage(leading);
  private final AccessTimes accessTimes;
  private volatile PackedLimits packedLimits;
  private volatile int stringBytesMax = Strings.BYTES_MAX;
  private long earliestExpiryMillis = Meta.NO_EXPIRY;
  private long changes;

  /** What was written beside the keyspace loop, until it is told here. */
  private @Nullable WriteBeside beside;

  private final AtomicLong commits = new AtomicLong();
  private long lostCommits;
  private final LongAdder expiredKeys = new LongAdder();
  private Consumer<List<ExpiredKey>> onExpiredMet = keys -> {};
  private Runnable onWrite = () -> {};
  private BooleanSupplier isSyncLate = () -> false;

  private final StoredState<Databases> databases;
  private final StoredState<FunctionLibraries> libraries;

  private volatile Users users = new Users(new CommandTable());

  /** What fits the published state; null while that goes on to one that another fits. */
  private volatile @Nullable Databases published;

  /**
   * @param databaseCount how many database numbers there are
   * @param nowMillis when no key has been used yet, in ms since 1970
   */
  public Keyspace(Engine engine, int databaseCount, PackedLimits packedLimits, long nowMillis) {
    this.engine = engine;
    this.databaseCount = databaseCount;
    this.packedLimits = packedLimits;
    this.accessTimes = new AccessTimes(Runtime.getRuntime().maxMemory(), nowMillis);
    try (StoreView view = engine.blockingView()) {
      this.databases = new StoredState<>(Databases.load(view, databaseCount));
      this.libraries = new StoredState<>(StoredLibraries.load(view));
    }
    this.published = databases.written();
  }

  /** Any thread. */
  public Engine engine() {
    return engine;
  }

  /** Whether the disk takes writes. Any thread. */
  public boolean takesWrites() {
    return engine.writeRefusal() == null;
  }

  /** Whether reads may leave behind what they do: fields that are due and they came across go. */
  boolean mayReadsWrite() {
    return !longRun.isRunning() && takesWrites() && !following.isOn();
  }

  /** When collections are spread. Any thread. */
  public PackedLimits packedLimits() {
    return packedLimits;
  }

  /** Changes that from the next command on. Any thread. */
  public void packedLimits(PackedLimits limits) {
    packedLimits = limits;
  }

  /** Up to what length clients may make a string. Any thread. */
  int stringBytesMax() {
    return stringBytesMax;
  }

  /** The same, from the next command on. Any thread. */
  public void stringBytesMax(int bytes) {
    stringBytesMax = bytes;
  }

  /** When keys were last used. Any thread. */
  public AccessTimes accessTimes() {
    return accessTimes;
  }

  /** Who clients may be. Any thread. */
  public Users users() {
    return users;
  }

  /** Tells who they may be, once all commands are known. */
  public void users(Users its) {
    users = its;
  }

  /** The scripts that clients may call. Any thread. */
  public ScriptCache scripts() {
    return scripts;
  }

  /** The scripts and functions that run now. Any thread. */
  public ScriptRuns scriptRuns() {
    return scriptRuns;
  }

  /** What scripts and libraries may take of the heap. */
  ScriptRoom scriptRoom() {
    return scriptRoom;
  }

  /**
   * Whether nothing may be written but what a client asks for: clients are paused, and are to see
   * the same data for so long, or a command writes that takes long. Any thread.
   */
  public boolean isHeldUp(long nowMillis) {
    return longRun().isRunning() || activity().pause().isOn(nowMillis);
  }

  /** What takes long to write. Any thread, as far as it says so. */
  public LongRun longRun() {
    return longRun;
  }

  /** How long reads may hold an event loop. Any thread. */
  public LongReads longReads() {
    return longReads;
  }

  /** Drops all scripts that run, because the server stops. Any thread. */
  public void dropScripts() {
    scriptRuns.stop();
  }

  /** The libraries of functions. Any thread. */
  public FunctionLibraries libraries() {
    return libraries.written();
  }

  /** What was written last has made them these. */
  public void libraries(FunctionLibraries changed) {
    libraries.wrote(engine.store().nextSequence() - 1, changed);
  }

  /** Any thread: how many database numbers there are. */
  public int databaseCount() {
    return databaseCount;
  }

  /** Names who is told of each write, to see that it is committed. Before the first command. */
  public void onWrite(Runnable listener) {
    onWrite = listener;
  }

  /** Why no client may write now, whoever it is, or null. Keyspace loop. */
  public @Nullable String serverWriteRefusal() {
    String refusal = engine.writeRefusal();
    return refusal == null ? following.writeRefusal() : refusal;
  }

  /** Names who says whether the log is not synced as it should be. Before the first command. */
  public void syncLateness(BooleanSupplier itsLateness) {
    isSyncLate = itsLateness;
  }

  /**
   * How long a connection's writes should wait before they run, as {@link Engine#writeDelayMillis}
   * says, and until the log is synced that should be by now. Keyspace loop.
   */
  public int writeDelayMillis() {
    return isSyncLate.getAsBoolean() ? Engine.WRITES_STOPPED : engine.writeDelayMillis();
  }

  /** Names who is told, on any thread, of expired keys that were read. Before the first command. */
  public void onExpiredMet(Consumer<List<ExpiredKey>> listener) {
    onExpiredMet = listener;
  }

  /** A command that reads has come across keys that have expired. Any thread. */
  void expiredMet(List<ExpiredKey> keys) {
    onExpiredMet.accept(keys);
  }

  /** How many keys were deleted because they had expired. Any thread. */
  public long expiredKeys() {
    return expiredKeys.sum();
  }

  /** Counts them again from zero. Any thread. */
  public void resetExpiredKeys() {
    expiredKeys.reset();
  }

  /**
   * Deletes keys that have expired, with the time {@code nowMillis}, and tells who wants to know.
   */
  public void delete(DueDeletion deletion, long nowMillis) {
    if (listeners.isAnyListening() || leading.stream().isTold()) {
      run(nowMillis, deletion::into);
    } else {
      write(deletion);
      writtenKeys.noteDeleted(deletion);
      expiredKeys.add(deletion.deleted());
    }
  }

  /** The mapping as it was written last. */
  public Databases databases() {
    return databases.written();
  }

  /** The mapping that fits the writer's views: the last one, unless that is in doubt. */
  Databases viewDatabases() {
    Databases written = databases.written();
    if (!databases.isAnyUnpublished() || engine.showsUnpublished()) {
      return written;
    }
    Databases safe = published;
    return safe == null ? written : safe;
  }

  /** The mapping that fits the published state, or null while only the writer knows. Any thread. */
  public @Nullable Databases publishedDatabases() {
    return published;
  }

  /**
   * Applies what a command of {@code actor}'s has gathered, and remembers what it read, if that
   * client caches: what it changed before a read does not make stale what was read, what it changed
   * after it does.
   *
   * @param within the reads, with what was changed before each
   * @param isWritten whether what it has gathered is to be written
   */
  void apply(Session actor, Transaction transaction, TransactionReads within, boolean isWritten) {
    boolean isAnyRead = !within.isEmpty();
    Tracking tracking = listeners.tracking();
    tracking.actor(actor);
    try {
      if (isAnyRead) {
        tracking.readWithin(within);
      }
      if (isWritten) {
        if (!transaction.batch().isEmpty()) {
          actor.writtenWith(commits() + 1);
        }
        apply(transaction);
      }
    } finally {
      tracking.actor(null);
    }
    if (isAnyRead) {
      tracking.readWithin(within, transaction);
    }
  }

  /** Writes what {@code transaction} has gathered, and tells those who wait for it. */
  void apply(Transaction transaction) {
    if (transaction.batch().isEmpty()) {
      leading.stream().tell(transaction.effects());
      // As in Redis, some commands are told of even where they leave things as they were.
      if (!transaction.events().isEmpty()) {
        listeners.tell(transaction, databases.written());
      }
      return;
    }
    requireNoLease();
    Databases before = databases.written();
    long sequence = write(transaction);
    changes++;
    int expired = transaction.lookups().expiredDeleted();
    if (expired != 0) {
      expiredKeys.add(expired);
    }
    if (transaction.databases() != before) {
      databases.wrote(sequence, transaction.databases());
    }
    earliestExpiryMillis = Math.min(earliestExpiryMillis, transaction.earliestExpiryMillis());
    written(transaction.batch());
    leading.stream().tell(transaction.effects());
    listeners.tell(transaction, before);
  }

  /** Returns the sequence number that it got. */
  private long write(Transaction transaction) {
    WriteBeside its = beside;
    if (its != null && its.isOf(transaction)) {
      beside = null;
      return its.written();
    }
    long sequence = engine.store().nextSequence();
    writtenKeys.note(transaction.batch());
    engine.store().write(transaction.batch());
    return sequence;
  }

  /**
   * What another thread has to run for a command with a lease, before {@link #apply}; null if that
   * has not much to do.
   */
  @Nullable WriteBeside beginBeside(Transaction transaction) {
    if (!engine.isLent() || !longRun.isAppliedBeside(transaction.batch())) {
      return null;
    }
    writtenKeys.note(transaction.batch());
    WriteBeside its = new WriteBeside(engine, transaction, engine.store().nextSequence());
    beside = its;
    return its;
  }

  private void written(StoreChanges changes) {
    writtenKeys.written(changes);
    onWrite.run();
  }

  /**
   * Runs work of the server itself as a transaction of its own, with the time {@code nowMillis};
   * what it wrote is applied if it returns. It may unwind by {@code ColdBlockSignal}.
   */
  public void run(long nowMillis, Consumer<Transaction> work) {
    try (StoreView view = engine.store().writerView()) {
      Transaction transaction =
          new Transaction(
              engine.store(),
              view,
              databases.written(),
              packedLimits,
              nowMillis,
              new FrozenRandom(nowMillis),
              listeners.isAnyListening());
      transaction.tellEffects(leading.stream().effects());
      work.accept(transaction);
      apply(transaction);
    }
  }

  /**
   * A transaction on what a view shows, whose writes go nowhere; for the thread of the view.
   *
   * @param its the mapping that fits the view
   */
  public Transaction looking(StoreView view, Databases its, long nowMillis) {
    return new Transaction(
        new WorkerStore(engine),
        view,
        its,
        packedLimits,
        nowMillis,
        new FrozenRandom(nowMillis),
        false);
  }

  /** Writes changes that nobody is told of but who commits them, and that no watch is for. */
  public void write(StoreChanges changes) {
    requireNoLease();
    engine.store().write(changes);
    written(changes);
  }

  /** What a command that takes long has read must not change before it is over. */
  private void requireNoLease() {
    if (longRun.isRunning()) {
      throw new IllegalStateException("another command has the right to write");
    }
  }

  /** What the engine has to do besides commands; see {@link Engine#upkeep}. */
  public void upkeep() {
    boolean wasRefused = engine.writeRefusal() != null;
    boolean wasInDoubt = !engine.showsUnpublished();
    engine.upkeep();
    boolean isRefused = engine.writeRefusal() != null;
    boolean isInDoubt = !engine.showsUnpublished();
    if (wasInDoubt && !isInDoubt) {
      shown();
    }
    if ((wasRefused && !isRefused) || (wasInDoubt && !isInDoubt)) {
      // What could not be committed is, and is to be shown to readers as what is written now.
      onWrite.run();
    }
  }

  /** What could not be committed is shown: to who has read meanwhile it is as if it came now. */
  private void shown() {
    writtenKeys.noteAnything();
    listeners.tellOfAnything();
  }

  /** Who wants to know which keys are written. */
  public WrittenKeys writtenKeys() {
    return writtenKeys;
  }

  /** The earliest moment that any key was let expire at since the last call. */
  public long takeEarliestExpiryMillis() {
    long earliest = earliestExpiryMillis;
    earliestExpiryMillis = Meta.NO_EXPIRY;
    return earliest;
  }

  /** One log write for everything applied since the last one; see {@link Engine#commit}. */
  public long commit(boolean isPublishedNext) throws IOException {
    storePosition();
    boolean wasInDoubt = !engine.showsUnpublished();
    long sequence;
    try {
      sequence = engine.commit(isPublishedNext);
    } catch (IOException | RuntimeException | OutOfMemoryError failure) {
      lostCommits++;
      // Where that was lost which was applied, what stands beside it in memory is too.
      long next = engine.store().nextSequence();
      databases.lost(next);
      libraries.lost(next);
      leading.storedPosition().lost();
      throw failure;
    }
    commits.incrementAndGet();
    if (wasInDoubt) {
      shown();
    }
    return sequence;
  }

  private void storePosition() {
    try {
      leading.storedPosition().store(engine.store());
    } catch (RuntimeException | OutOfMemoryError failure) {
      // Who commits hears of that next, and what is stored does not hold behind other writes.
      leading.storedPosition().lost();
    }
  }

  /** How many commits there were; what is written now comes with the next. Any thread. */
  public long commits() {
    return commits.get();
  }

  /** The log is synced up to so many commits: that may be what clients wait for. */
  public void synced(long itsCommits) {
    leading.acknowledgements().synced(itsCommits);
  }

  /**
   * Up to where what the master has written is synced here, as far as that is known; negative if it
   * is not.
   *
   * @param master through which it has come
   */
  public long syncedOffset(Session master) {
    long itsCommits = Math.max(commits(), master.writtenWith());
    return following.syncedOffset(itsCommits, leading.acknowledgements()::isSynced);
  }

  /** How many commits have failed: what was written for them may not have happened. */
  public long lostCommits() {
    return lostCommits;
  }

  /** Shows readers what was committed up to {@code sequence}. */
  public void publish(long sequence) {
    libraries.publish(sequence);
    Databases fitting = databases.publish(sequence);
    if (fitting == null) {
      engine.publish(sequence);
      return;
    }
    // In between no reader can pair a mapping with a view.
    published = null;
    engine.publish(sequence);
    published = fitting;
  }

  /** How many commands and transactions have changed something since the start. */
  public long changes() {
    return changes;
  }

  /** Who looks at commands, and what holds them up. Any thread. */
  public Activity activity() {
    return activity;
  }

  /** What commands are refused for. Any thread. */
  public Shortage shortage() {
    return shortage;
  }

  /** Whom this server follows, if any. Any thread, but for changes. */
  public Following following() {
    return following;
  }

  /** Who follows this server. */
  public Leading leading() {
    return leading;
  }

  /** Who wants to know what happens to keys. */
  public ChangeListeners listeners() {
    return listeners;
  }

  /** Forgets what a client that is gone has waited for, and what it was called. */
  public void forget(Session session) {
    listeners.forget(session);
    activity.monitors().remove(session);
    activity.clientNames().forget(session);
  }
}
