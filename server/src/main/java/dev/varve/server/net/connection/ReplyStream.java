package dev.varve.server.net.connection;

import dev.varve.server.net.loop.ServerLoop;
import dev.varve.server.resp.ReplyCutShortException;
import dev.varve.server.resp.ReplySink;
import io.netty.buffer.Unpooled;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * One long reply on its way from the thread that makes it to its socket: one piece is made while
 * the one before it leaves.
 *
 * <p>Methods that say nothing else are for the thread that makes it.
 */
final class ReplyStream implements ReplySink {

  /** What a client is given for a piece when there is no limit. */
  private static final long NEVER_MILLIS = Long.MAX_VALUE;

  /** How often it is looked whether others wait. */
  private static final long LOOK_MILLIS = 250;

  private final ClientOutput output;
  private final ServerLoop own;
  private final Semaphore room = new Semaphore(1);
  private volatile boolean isCancelled;

  // While it is made, see begin.
  private Semaphore places = new Semaphore(0);
  private long stallMillis = NEVER_MILLIS;
  private LongSupplier patienceMillis = () -> NEVER_MILLIS;

  ReplyStream(ClientOutput output, ServerLoop own) {
    this.output = output;
    this.own = own;
  }

  /**
   * Takes one of {@code itsPlaces}, which are so many as may read at a time; it is given back while
   * the client is waited for.
   *
   * @param itsStallMillis how long the client may take for one piece; 0 for as long as it likes
   * @param itsPatienceMillis the same because of those who wait right now
   */
  void begin(Semaphore itsPlaces, long itsStallMillis, LongSupplier itsPatienceMillis) {
    places = itsPlaces;
    patienceMillis = itsPatienceMillis;
    stallMillis = itsStallMillis == 0 ? NEVER_MILLIS : itsStallMillis;
    places.acquireUninterruptibly();
  }

  @Override
  public void piece(byte[] bytes, int from, int to) {
    if (!room.tryAcquire()) {
      awaitRoom();
    }
    check();
    own.execute(() -> output.piece(this, Unpooled.wrappedBuffer(bytes, from, to - from)));
  }

  @Override
  public void announce(int bytes) {
    // In pieces it would never be unread as a whole; who has set a limit wants none as long.
    if (output.isTooMuch(bytes)) {
      own.execute(() -> output.closeFor(bytes));
      throw new ReplyCutShortException("a value of " + bytes + " bytes is above its limit");
    }
  }

  @Override
  public void pauses() {
    places.release();
  }

  @Override
  public void goesOn() {
    places.acquireUninterruptibly();
  }

  private void awaitRoom() {
    places.release();
    try {
      awaitTaken();
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new ReplyCutShortException("the server stops");
    } finally {
      places.acquireUninterruptibly();
    }
  }

  private void awaitTaken() throws InterruptedException {
    long beganNanos = System.nanoTime();
    long waitedMillis = 0;
    while (!room.tryAcquire(
        Math.min(LOOK_MILLIS, stallMillis - waitedMillis), TimeUnit.MILLISECONDS)) {
      waitedMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNanos);
      if (waitedMillis >= stallMillis) {
        throw new ReplyCutShortException(
            "the client has not read its reply for " + stallMillis + " ms");
      }
      if (waitedMillis >= patienceMillis.getAsLong()) {
        output.countEvicted();
        throw new ReplyCutShortException(
            "the client has not read its reply for " + waitedMillis + " ms, and others wait");
      }
    }
  }

  @Override
  public void check() {
    if (isCancelled || output.isSocketGone()) {
      throw new ReplyCutShortException("the client is gone");
    }
  }

  /** All pieces are handed over, or no more will come. */
  void end() {
    places.release();
    own.execute(output::endReply);
  }

  /** The rest will not come: the connection closes. */
  void cut() {
    own.execute(output::cut);
  }

  /** The socket has taken a piece. Any thread. */
  void taken() {
    room.release();
  }

  /** Nobody reads any more. Any thread. */
  void cancel() {
    isCancelled = true;
    room.release();
  }
}
