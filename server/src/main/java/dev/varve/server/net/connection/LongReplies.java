package dev.varve.server.net.connection;

import dev.varve.codec.store.StoreView;
import dev.varve.server.command.Session;
import dev.varve.server.command.run.CommandExecutor;
import dev.varve.server.command.run.Outcome;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.ReplyCutShortException;
import dev.varve.server.resp.RespEncoder;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs reads that take long, or whose replies are too long to be made whole: each reads from its
 * snapshot as fast as its client takes the reply, where it takes long to read.
 *
 * <p>Any thread.
 */
public final class LongReplies {
  private static final Logger LOG = LoggerFactory.getLogger(LongReplies.class);

  /*
   * A thread for each reply that is under way, because commands write their replies as they walk. A thread
   * that waits for its client costs some 50 KiB; what counts is the two pieces of its reply. They are threads
   * of their own, so that clients that read slowly keep nobody from the disk.
   */
  private static final int THREADS_MIN = 8;
  private static final int THREADS_MAX = 128;

  /** So much heap is there for each: two pieces of a quarter MiB are an eighth of it. */
  private static final long HEAP_BYTES_PER_THREAD = 4 << 20;

  private static final int IDLE_SECONDS_MAX = 10;
  private static final int STOP_SECONDS_MAX = 60;
  private static final byte[] NOTHING = {};

  /**
   * How long a client may take for a piece where others wait for what it keeps: threads, or room
   * for long values. The more wait, the less.
   */
  private static final int PATIENCE_MILLIS_MAX = 5_000;

  private static final int PATIENCE_MILLIS_MIN = 1_000;

  private final ThreadPoolExecutor pool;
  private final Function<RespEncoder, CommandExecutor> executors;
  private final LongSupplier stallMillis;
  private final IntSupplier waitingReads;

  /** The others wait for their clients, or for one of these. */
  private final Semaphore places =
      new Semaphore(Math.max(2, Runtime.getRuntime().availableProcessors()));

  private final Queue<CommandExecutor> idle = new ConcurrentLinkedQueue<>();
  private final Set<ReplyStream> underWay = ConcurrentHashMap.newKeySet();

  /**
   * @param executors makes executors in the role of a worker
   * @param stallMillis how long a client may take for one piece of its reply; 0 for no limit
   * @param waitingReads how many wait for room in the heap, which replies that are under way have
   * @param heapBytesMax what the process may have, which bounds how many replies are under way
   */
  public LongReplies(
      Function<RespEncoder, CommandExecutor> executors,
      LongSupplier stallMillis,
      IntSupplier waitingReads,
      long heapBytesMax) {
    this.executors = executors;
    this.stallMillis = stallMillis;
    this.waitingReads = waitingReads;
    long threads = Math.max(THREADS_MIN, heapBytesMax / HEAP_BYTES_PER_THREAD);
    AtomicInteger number = new AtomicInteger();
    pool =
        new ThreadPoolExecutor(
            (int) Math.min(THREADS_MAX, threads),
            (int) Math.min(THREADS_MAX, threads),
            IDLE_SECONDS_MAX,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread = new Thread(task, "varve-reply-" + number.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            },
            // The server stops, and with it the connection.
            new ThreadPoolExecutor.DiscardPolicy());
    pool.allowCoreThreadTimeOut(true);
  }

  /** Runs one request; the session belongs to its thread until {@code receiver} is called. */
  void run(Session session, Args args, ReplyStream stream, Workers.Receiver receiver) {
    pool.execute(() -> receiver.receive(run(session, args, stream)));
  }

  private Workers.Result run(Session session, Args args, ReplyStream stream) {
    CommandExecutor executor = idle.poll();
    if (executor == null) {
      executor = executors.apply(new RespEncoder());
    }
    Outcome outcome = Outcome.DONE;
    underWay.add(stream);
    stream.begin(places, stallMillis.getAsLong(), this::patienceMillis);
    try {
      stream.check();
      if (pool.isShutdown()) {
        throw new ReplyCutShortException("the server stops");
      }
      outcome = executor.stream(session, args, stream);
    } catch (ReplyCutShortException cut) {
      LOG.info("client {} closed: {}", session.address(), cut.getMessage());
      session.close();
      stream.cut();
    } catch (RuntimeException | StackOverflowError | OutOfMemoryError failure) {
      LOG.error("{} failed on its way to client {}", args.text(0), session.address(), failure);
      session.close();
      stream.cut();
    } finally {
      underWay.remove(stream);
      stream.end();
    }
    StoreView broughtView = executor.takeBroughtView();
    idle.add(executor);
    return new Workers.Result(outcome, NOTHING, 0, broughtView, null);
  }

  private long patienceMillis() {
    int waiting = pool.getQueue().size() + waitingReads.getAsInt();
    int shares = 1 + waiting / pool.getMaximumPoolSize();
    return waiting == 0
        ? Long.MAX_VALUE
        : Math.max(PATIENCE_MILLIS_MIN, PATIENCE_MILLIS_MAX / shares);
  }

  /** Cuts off what is under way, and waits until none of it reads any more. False if some does. */
  public boolean stop() {
    pool.shutdown();
    underWay.forEach(ReplyStream::cancel);
    try {
      return pool.awaitTermination(STOP_SECONDS_MAX, TimeUnit.SECONDS);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
