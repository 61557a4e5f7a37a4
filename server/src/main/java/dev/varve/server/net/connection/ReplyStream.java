package dev.varve.server.net.connection;

import dev.varve.server.net.loop.ServerLoop;
import dev.varve.server.resp.ReplyCutShortException;
import dev.varve.server.resp.ReplySink;
import io.netty.buffer.Unpooled;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * One long reply on its way from the thread that makes it to its socket: one piece is made while
 * the one before it leaves.
 *
 * <p>Methods that say nothing else are for the thread that makes it.
 */
final class ReplyStream implements ReplySink {

  /** What a client is given for a piece when there is no limit. */
  private static final long NEVER_MILLIS = Long.MAX_VALUE;

  private final ClientOutput output;
  private final ServerLoop own;
  private final Semaphore room = new Semaphore(1);
  private volatile boolean isCancelled;

  // While it is made, see begin.
  private Semaphore places = new Semaphore(0);
  private long stallMillis = NEVER_MILLIS;

  ReplyStream(ClientOutput output, ServerLoop own) {
    this.output = output;
    this.own = own;
  }

  /**
   * Takes one of {@code itsPlaces}, which are so many as may read at a time; it is given back while
   * the client is waited for.
   *
   * @param itsStallMillis how long the client may take for one piece; 0 for as long as it likes
   */
  void begin(Semaphore itsPlaces, long itsStallMillis) {
    places = itsPlaces;
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

  private void awaitRoom() {
    places.release();
    boolean hasRoom;
    try {
      hasRoom = room.tryAcquire(stallMillis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException stopped) {
      hasRoom = false;
      Thread.currentThread().interrupt();
    } finally {
      places.acquireUninterruptibly();
    }
    if (!hasRoom) {
      throw new ReplyCutShortException(
          "the client has not read its reply for " + stallMillis + " ms");
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
