package dev.varve.server.engine;

import dev.varve.codec.GarbageRecord;
import dev.varve.codec.store.Store;
import dev.varve.codec.store.StoreChanges;
import dev.varve.codec.store.StoreView;
import dev.varve.wal.StorageDirectory;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the data of one server.
 *
 * <p>Each method says who calls it: the <em>keyspace loop</em>, which is the one writer; any
 * thread; or a <em>worker</em>, because it may block on the device.
 */
public interface Engine extends Closeable {

  /** What {@link #writeDelayMillis} returns while nothing may be written at all. */
  int WRITES_STOPPED = Integer.MAX_VALUE;

  /**
   * The data. Its views never wait for a disk: a read of what is not in memory throws {@code
   * ColdBlockSignal}. Its writes are in memory only until {@link #commit}.
   */
  Store store();

  /** What is done with keys that are foreseen. */
  enum Use {
    READ,
    WRITE,
    BOTH;

    /** With another use. */
    public Use and(Use other) {
      return this == other ? this : BOTH;
    }
  }

  /** The most keys that {@link #foresee} takes at once. */
  int FORESEEN_MAX = 16;

  /**
   * Says which stored keys will be asked for next, so that the memory they lead to is fetched at
   * the same time and not one after the other. A hint: it changes nothing. Keyspace loop.
   *
   * @param count how many of {@code keys}, at most {@link #FORESEEN_MAX}
   * @param use what is going to be done with them
   */
  default void foresee(byte[][] keys, int count, Use use) {}

  /** The value of a stored key, if that costs no search; null says nothing. Keyspace loop. */
  default byte @Nullable [] atHand(byte[] key) {
    return null;
  }

  /**
   * The latest published state, through a view whose reads may wait for the disk. What it reads
   * stays in memory at least until it is closed, and for what is long it waits until there is room
   * in the heap. Worker.
   */
  StoreView blockingView();

  /**
   * The same for who keeps all others from writing: it waits for nobody's long values. If the
   * keyspace loop has {@linkplain #lend lent} it that, it sees what that loop would, and waits for
   * the disk only where something was brought beforehand. Worker.
   */
  default StoreView leasedView() {
    return blockingView();
  }

  /**
   * As {@link #blockingView}, but what it has read may leave memory again: for walks over more than
   * fits. Worker.
   *
   * @param pause is told when it waits for room
   */
  default StoreView passingView(ReadPause pause) {
    return blockingView();
  }

  /** The same for who has nothing that others need. */
  default StoreView passingView() {
    return passingView(ReadPause.NONE);
  }

  /**
   * As {@link #passingView}, for one walk over all there is: it waits for nobody's long values, and
   * nobody for its own. Worker.
   */
  default StoreView lastingView() {
    return passingView();
  }

  /** How many reads wait until there is room for what is long. Any thread. */
  default int waitingReads() {
    return 0;
  }

  /** As {@link #passingView}, for who reads what a command will read in a moment. Worker. */
  default StoreView aheadView() {
    return passingView();
  }

  /**
   * The latest published state, through a view that never waits, for who looks what a command will
   * lack in a moment. Any thread.
   */
  default StoreView peekingView() {
    return store().view();
  }

  /**
   * Hands everything written since the last call to the operating system, with one log write, and
   * returns the newest sequence number that is there now. Keyspace loop.
   *
   * @param isPublishedNext whether that is published as soon as this returns, before anything else
   *     is asked for: it costs less then, and readers of other threads who come meanwhile wait
   * @throws IOException when it may not be there; nothing of it was acknowledged
   */
  long commit(boolean isPublishedNext) throws IOException;

  /**
   * Makes everything committed before the call survive power loss, and returns the newest sequence
   * number that does. Worker, one at a time, beside a keyspace loop that goes on committing.
   */
  long sync() throws IOException;

  /**
   * Shows readers everything up to {@code sequence}, which {@link #commit} or {@link #sync} has
   * returned. Keyspace loop.
   */
  void publish(long sequence);

  /** The newest sequence number that readers see, as {@link Store#nextSequence} gave it. */
  long publishedSequence();

  /**
   * How long a connection's writes should wait before they run, because flush and compaction lag
   * behind: zero in peace, {@link #WRITES_STOPPED} for as long as it takes. Keyspace loop.
   */
  int writeDelayMillis();

  /** The error reply for every write while none is possible (a full disk), or null. Any thread. */
  @Nullable String writeRefusal();

  /**
   * What was written and not published may be lost: {@link Store#writerView} shows what is
   * published only, until {@link #commit} works again. Writes are refused meanwhile. Keyspace loop.
   */
  default void doubtUnpublished() {}

  /**
   * Whether {@link Store#writerView} shows what is written and not published, as it does but for a
   * time after {@link #doubtUnpublished}. Keyspace loop.
   */
  default boolean showsUnpublished() {
    return true;
  }

  /**
   * Puts all that is committed into tables and syncs everything. Worker, while the keyspace loop
   * does {@link #upkeep}.
   *
   * @throws IOException also when {@link #endBackgroundWork} came before it was done
   */
  void flush() throws IOException;

  /**
   * Makes an empty directory one that a server can be started on, with all that was committed
   * before the call, durably. The caller closes it. Worker, beside all else.
   *
   * @throws IOException also when {@link #endBackgroundWork} came before it was done: files may be
   *     left, but no server starts on them
   */
  void checkpoint(StorageDirectory target) throws IOException;

  /** About how many bytes all keys and values have, dead ones included. Any thread. */
  default long rawDataBytes() {
    return Long.MAX_VALUE;
  }

  /** For what has no room in memory for a while; null where there is no disk. Any thread. */
  default @Nullable Spool spool() {
    return null;
  }

  /** The kinds of work that go on beside the commands. Any thread. */
  List<BackgroundWork> backgroundWork();

  /**
   * Names who is called, on any thread and without blocking, when a kind of work has something to
   * do. Called once, before the first write.
   */
  void onBackgroundWork(Consumer<BackgroundWork> wake);

  /**
   * Asks background work that is under way to end early, and {@link #flush} and {@link #checkpoint}
   * too, because the server stops: what it has not finished is as if never begun. Any thread.
   */
  default void endBackgroundWork() {}

  /**
   * Lends the right to write, and all that is in memory for who writes, to another thread, for
   * {@link #leasedView} and one {@link #writeLent}, until {@link #takeBack}: meanwhile the views of
   * {@link Store#writerView} show what is published. Keyspace loop, while that is all that is
   * written. Where that cannot be nothing changes.
   *
   * @param brought keeps in memory what was brought for this from the disk, and stays open; null if
   *     nothing was
   */
  default void lend(@Nullable StoreView brought) {}

  /** Whether it has. Any thread. */
  default boolean isLent() {
    return false;
  }

  /**
   * Writes changes beside the keyspace loop, which has {@linkplain #lend lent} the right to: they
   * are to be committed there, but little of that is left to do. Any thread.
   */
  default void writeLent(StoreChanges changes) {
    throw new IllegalStateException("nothing was lent");
  }

  /** The right to write is the keyspace loop's again. There, after {@link #writeLent}. */
  default void takeBack() {}

  /**
   * Waits until nobody writes beside the keyspace loop; whoever was about to does not any more. Any
   * thread, when the server stops.
   */
  default void endLending() {}

  /**
   * Lets the views of {@link Store#writerView} find what {@code view} has read, until called with
   * null: before and after a command is run again that a worker has run for its blocks. Keyspace
   * loop.
   *
   * @param view one that came from {@link #blockingView} and is still open
   */
  default void useBrought(@Nullable StoreView view) {}

  /**
   * Says whether the commands that run now find what has just been brought from the disk for them:
   * it is not in use yet then, and stays out of what is kept in front of the tree, where it would
   * take the place of what is. Keyspace loop.
   */
  default void markReadsBrought(boolean areBrought) {}

  /**
   * What the writer has to do besides commands, without waiting for a disk: starts flushes that are
   * wanted, tries again to commit what could not be committed. Keyspace loop, about ten times a
   * second.
   */
  default void upkeep() {}

  /**
   * Garbage records that have done their work, for {@link dev.varve.codec.Garbage#retire}; each is
   * handed out once, and again later if it is not retired. Keyspace loop, after {@link #upkeep}.
   */
  default List<GarbageRecord> takeRetirableGarbage() {
    return List.of();
  }

  /** How many damaged blocks reads have met since the start. Any thread. */
  default long corruptBlocks() {
    return 0;
  }

  /** Figures for INFO, by name, in the order to show them. Any thread. */
  Map<String, String> statistics();

  /** Bytes held outside the heap, by the name of the part that holds them. Any thread. */
  default Map<String, Long> memoryParts() {
    return Map.of();
  }

  /** Bytes of data that are in memory, on the heap and outside. Any thread. */
  default long dataBytes() {
    return 0;
  }

  /** Commits and syncs what is left and releases everything. The last call, by a worker. */
  @Override
  void close() throws IOException;
}
