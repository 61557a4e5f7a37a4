package dev.varve.server.net.loop;

import dev.varve.lsm.entry.BlockLoad;
import dev.varve.lsm.entry.ColdBlock;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.uring.IoUringIoEvent;
import io.netty.channel.uring.IoUringIoHandle;
import io.netty.channel.uring.IoUringIoOps;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.internal.ContextInternal;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads cold blocks by the ring that an event loop has for its sockets (io_uring(7)): the loop says
 * what it wants, goes on, and comes across the answer beside those of the sockets. No thread waits,
 * and none is woken.
 *
 * <p>Of one event loop, and used on it, except where it says otherwise.
 */
final class RingReads implements IoUringIoHandle {
  private static final Logger LOG = LoggerFactory.getLogger(RingReads.class);

  /**
   * So many reads the disk is asked for at a time. More wait here: what they bring is checked and
   * decompressed on the loop, and all of it may come at once.
   */
  static final int READS_MAX = 64;

  /**
   * So many are checked and taken in by the loop itself; more by a worker, all that have come since
   * the last time, so that it is woken once for many.
   */
  private static final int TAKEN_IN_HERE_MAX = 2;

  /**
   * For so many blocks those who wait go on before the loop looks at its sockets again: what is
   * asked for there keeps the disk at work, and others do not wait for a row of blocks.
   */
  private static final int TOLD_AT_ONCE = 8;

  /** One block, for all who want it. */
  private static final class Read {
    final ColdBlock block;
    final List<BlockReceiver> receivers = new ArrayList<>(1);
    @Nullable BlockLoad load;
    int result;
    boolean isLoaded;

    Read(ColdBlock block) {
      this.block = block;
    }
  }

  private final WatchedLoop loop;
  private final Executor workers;
  private final RingFiles files;
  private final IoRegistration ring;

  /** By the id of their block, all that somebody waits for. */
  private final Map<Long, Read> reads = new HashMap<>();

  private final Queue<Read> waiting = new ArrayDeque<>();

  /** Those that have begun, by the number that the ring knows them by. */
  private final @Nullable Read[] begun = new Read[READS_MAX];

  private int begunCount;

  /** The numbers that are free: as many as are not begun, from the front on. */
  private final int[] free = IntStream.range(0, READS_MAX).toArray();

  /** Those that have come and are to be taken in. */
  private final Queue<Read> done = new ArrayDeque<>();

  private boolean isWorkerAtIt;

  /** Those for whose blocks somebody waits who has not been told. */
  private final Queue<Read> takenIn = new ArrayDeque<>();

  private boolean isGoingOnDue;
  private final LongAdder loaded = new LongAdder();
  private @Nullable Promise<Void> stopping;

  private RingReads(WatchedLoop loop, Executor workers) throws IOException {
    this.loop = loop;
    this.workers = workers;
    try {
      this.ring = ((IoEventLoop) loop.eventLoop()).register(this).sync().getNow();
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", stopped);
    }
    this.files = new RingFiles(ring, this::onLoop, workers);
  }

  /**
   * The reads of an event loop; null if it has no ring. Any thread that may block.
   *
   * @param workers do what takes a while
   */
  static @Nullable RingReads of(WatchedLoop loop, Executor workers) throws IOException {
    return loop.hasRing() ? new RingReads(loop, workers) : null;
  }

  private void onLoop(Runnable task) {
    try {
      loop.eventLoop().execute(task);
    } catch (RejectedExecutionException stopped) {
      // The loop has ended, and all of this with it.
    }
  }

  /** Brings a block into memory, and tells {@code receiver}, perhaps at once. */
  void read(ColdBlock block, BlockReceiver receiver) {
    if (stopping != null) {
      receiver.receive(false);
      return;
    }
    Read read = reads.get(block.id());
    if (read != null) {
      read.receivers.add(receiver);
      return;
    }
    read = new Read(block);
    read.receivers.add(receiver);
    reads.put(block.id(), read);
    waiting.add(read);
    beginWaiting();
  }

  private void beginWaiting() {
    while (begunCount < READS_MAX && !waiting.isEmpty()) {
      begin(waiting.remove());
    }
  }

  private void begin(Read read) {
    BlockLoad load = load(read.block);
    if (load == null) {
      ended(read);
      return;
    }
    read.load = load;
    int its = free[READS_MAX - ++begunCount];
    begun[its] = read;
    // The kernel may have it or not, and others wait for the same block.
    LostTask.run(
        () ->
            files.open(
                load,
                descriptor -> {
                  if (descriptor < 0) {
                    completed(its, descriptor);
                  } else {
                    ring.submit(operation(descriptor, load, its));
                  }
                }));
  }

  private static @Nullable BlockLoad load(ColdBlock block) {
    try {
      return block.load();
    } catch (OutOfMemoryError noRoom) {
      // Who waits for it is told that it is not there, and does not wait for ever.
      LOG.error("no memory for a block", noRoom);
      return null;
    }
  }

  private static IoUringIoOps operation(int descriptor, BlockLoad load, int number) {
    return RingOperation.READ.of(
        descriptor, load.offset(), load.address(), load.bytes(), 0, number);
  }

  @Override
  public void handle(IoRegistration registration, IoEvent event) {
    IoUringIoEvent its = (IoUringIoEvent) event;
    ContextInternal before = loop.enter();
    try {
      LostTask.run(() -> handle(its));
    } finally {
      loop.leave(before);
    }
  }

  private void handle(IoUringIoEvent its) {
    if (its.opcode() == RingOperation.OPEN.code()) {
      files.opened(its.userData(), its.res());
    } else if (its.opcode() == RingOperation.READ.code()) {
      completed((int) its.userData(), its.res());
    }
  }

  private void completed(int number, int result) {
    Read read = begun[number];
    if (read == null) {
      throw new IllegalStateException("nothing is read under number " + number);
    }
    begun[number] = null;
    free[READS_MAX - begunCount--] = number;
    beginWaiting();
    read.result = result;
    done.add(read);
    goOnSoon();
  }

  private void goOnSoon() {
    if (!isGoingOnDue) {
      isGoingOnDue = true;
      // What is scheduled comes after the next look at the sockets, see ServerLoop.
      loop.eventLoop().schedule(this::goOn, 0, TimeUnit.NANOSECONDS);
    }
  }

  private void goOn() {
    isGoingOnDue = false;
    ContextInternal before = loop.enter();
    try {
      LostTask.run(this::takeInAndTell);
    } finally {
      loop.leave(before);
      if (!takenIn.isEmpty()) {
        goOnSoon();
      }
    }
  }

  private void takeInAndTell() {
    takeIn();
    for (int i = 0; i < TOLD_AT_ONCE && !takenIn.isEmpty(); i++) {
      ended(takenIn.remove());
    }
  }

  private void takeIn() {
    if (isWorkerAtIt || done.isEmpty()) {
      return;
    }
    List<Read> batch = List.copyOf(done);
    done.clear();
    if (batch.size() <= TAKEN_IN_HERE_MAX) {
      batch.forEach(this::finish);
      takenIn.addAll(batch);
      return;
    }
    isWorkerAtIt = true;
    workers.execute(
        () -> {
          batch.forEach(this::finish);
          onLoop(() -> tookIn(batch));
        });
  }

  private void tookIn(List<Read> batch) {
    isWorkerAtIt = false;
    takenIn.addAll(batch);
    goOnSoon();
  }

  /** Any thread. */
  private void finish(Read read) {
    try {
      read.isLoaded = Objects.requireNonNull(read.load).finish(read.result);
    } catch (RuntimeException | OutOfMemoryError failure) {
      LOG.error("a block was read and not taken in", failure);
    }
  }

  private void ended(Read read) {
    if (read.isLoaded) {
      loaded.increment();
    }
    reads.remove(read.block.id());
    read.receivers.forEach(receiver -> receiver.receive(read.isLoaded));
    endIfStopping();
  }

  private void endIfStopping() {
    Promise<Void> promise = stopping;
    if (promise != null && reads.isEmpty()) {
      files.closeAll(promise::tryComplete);
    }
  }

  /** How many blocks have come into memory this way. Any thread. */
  long loaded() {
    return loaded.sum();
  }

  /** Begins no more reads; when those that are under way have ended, all files are closed. */
  Future<Void> stop() {
    Promise<Void> promise = Promise.promise();
    onLoop(
        () -> {
          stopping = promise;
          endIfStopping();
        });
    return promise.future();
  }

  @Override
  public void close() {
    // The loop ends: the kernel ends what is under way before the ring is gone.
  }
}
