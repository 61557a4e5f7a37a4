package dev.varve.server.net;

import dev.varve.lsm.entry.BlockLoad;
import dev.varve.lsm.entry.ColdBlock;
import io.netty.channel.EventLoop;
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
   * So many blocks are taken in before the loop looks at its sockets again: what is asked for there
   * keeps the disk at work, and others do not wait for a row of blocks.
   */
  private static final int TAKEN_IN_AT_ONCE = 8;

  /** Takes whether the block is in memory; on the loop. */
  @FunctionalInterface
  interface Receiver {
    void receive(boolean isLoaded);
  }

  /** One block, for all who want it. */
  private static final class Read {
    final ColdBlock block;
    final List<Receiver> receivers = new ArrayList<>(1);
    @Nullable BlockLoad load;
    int result;

    Read(ColdBlock block) {
      this.block = block;
    }
  }

  private final ContextInternal context;
  private final RingFiles files;
  private final IoRegistration ring;

  /** By the id of their block, all that somebody waits for. */
  private final Map<Long, Read> reads = new HashMap<>();

  private final Queue<Read> waiting = new ArrayDeque<>();

  /** Those that have begun, by the number that the ring knows them by. */
  private final @Nullable Read[] begun = new Read[READS_MAX];

  private int begunCount;

  /** Those that are done and not taken in yet. */
  private final Queue<Read> done = new ArrayDeque<>();

  private boolean isTakingInDue;
  private final LongAdder loaded = new LongAdder();
  private @Nullable Promise<Void> stopping;

  private RingReads(ContextInternal context, Executor closer) throws IOException {
    this.context = context;
    IoEventLoop loop = (IoEventLoop) context.nettyEventLoop();
    try {
      this.ring = loop.register(this).sync().getNow();
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", stopped);
    }
    this.files = new RingFiles(ring, this::onLoop, closer);
  }

  /**
   * The reads of an event loop; null if it has no ring. Any thread that may block.
   *
   * @param closer closes files, which may take a while
   */
  static @Nullable RingReads of(ContextInternal context, Executor closer) throws IOException {
    EventLoop loop = context.nettyEventLoop();
    return loop instanceof IoEventLoop its && its.isCompatible(IoUringIoHandle.class)
        ? new RingReads(context, closer)
        : null;
  }

  private void onLoop(Runnable task) {
    try {
      context.nettyEventLoop().execute(task);
    } catch (RejectedExecutionException stopped) {
      // The loop has ended, and all of this with it.
    }
  }

  /** Brings a block into memory, and tells {@code receiver}, perhaps at once. */
  void read(ColdBlock block, Receiver receiver) {
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
    BlockLoad load = read.block.load();
    if (load == null) {
      ended(read, false);
      return;
    }
    read.load = load;
    int number = 0;
    while (begun[number] != null) {
      number++;
    }
    begun[number] = read;
    begunCount++;
    int its = number;
    files.open(
        load,
        descriptor -> {
          if (descriptor < 0) {
            completed(its, descriptor);
          } else {
            ring.submit(operation(descriptor, load, its));
          }
        });
  }

  private static IoUringIoOps operation(int descriptor, BlockLoad load, int number) {
    return RingOperation.READ.of(
        descriptor, load.offset(), load.address(), load.bytes(), 0, number);
  }

  @Override
  public void handle(IoRegistration registration, IoEvent event) {
    IoUringIoEvent its = (IoUringIoEvent) event;
    ContextInternal before = context.beginDispatch();
    try {
      if (its.opcode() == RingOperation.OPEN.code()) {
        files.opened(its.userData(), its.res());
      } else if (its.opcode() == RingOperation.READ.code()) {
        completed((int) its.userData(), its.res());
      }
    } finally {
      context.endDispatch(before);
    }
  }

  private void completed(int number, int result) {
    Read read = begun[number];
    if (read == null) {
      throw new IllegalStateException("nothing is read under number " + number);
    }
    begun[number] = null;
    begunCount--;
    beginWaiting();
    read.result = result;
    done.add(read);
    takeInSoon();
  }

  private void takeInSoon() {
    if (!isTakingInDue) {
      isTakingInDue = true;
      // What is scheduled comes after the next look at the sockets, see ServerLoop.
      context.nettyEventLoop().schedule(this::takeIn, 0, TimeUnit.NANOSECONDS);
    }
  }

  private void takeIn() {
    isTakingInDue = false;
    ContextInternal before = context.beginDispatch();
    try {
      for (int i = 0; i < TAKEN_IN_AT_ONCE && !done.isEmpty(); i++) {
        Read read = done.remove();
        ended(read, finish(read));
      }
    } finally {
      context.endDispatch(before);
      if (!done.isEmpty()) {
        takeInSoon();
      }
    }
  }

  private boolean finish(Read read) {
    try {
      boolean isLoaded = Objects.requireNonNull(read.load).finish(read.result);
      if (isLoaded) {
        loaded.increment();
      }
      return isLoaded;
    } catch (RuntimeException failure) {
      LOG.error("a block was read and not taken in", failure);
      return false;
    }
  }

  private void ended(Read read, boolean isLoaded) {
    reads.remove(read.block.id());
    read.receivers.forEach(receiver -> receiver.receive(isLoaded));
    if (stopping != null && reads.isEmpty()) {
      files.closeAll();
      stopping.tryComplete();
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
          if (reads.isEmpty()) {
            files.closeAll();
            promise.tryComplete();
          }
        });
    return promise.future();
  }

  @Override
  public void close() {
    // The loop ends: the kernel ends what is under way before the ring is gone.
  }
}
