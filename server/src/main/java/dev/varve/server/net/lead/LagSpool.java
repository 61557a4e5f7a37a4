package dev.varve.server.net.lead;

import dev.varve.server.command.lead.Backlog;
import dev.varve.server.command.lead.Leading;
import dev.varve.server.command.lead.Overflow;
import dev.varve.server.command.lead.ReplicationStream;
import dev.varve.server.engine.Spool;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves to the disk what replicas that lag behind, or are away, have yet to be sent, as long as
 * there are some: a dump of data beyond memory takes longer than memory has room for what is
 * written meanwhile.
 *
 * <p>A thread of its own, but for what says any thread.
 */
final class LagSpool implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(LagSpool.class);

  /** So much of the newest stays where it is. */
  static final long KEPT_BYTES = Math.min(16 << 20, Runtime.getRuntime().maxMemory() / 32);

  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long NOBODY = Long.MAX_VALUE;

  private final Backlog backlog;
  private final Backlog.Mover mover;
  private final Spool spool;
  private final Leading leading;
  private final ReplicationStream stream;
  private final LongSupplier bytesMax;
  private final BooleanSupplier isStopped;
  private boolean isBroken;
  private volatile long movedUpTo;
  private volatile boolean isOver;

  /**
   * @param backlog of what is moved
   * @param first from where on
   * @param spool where to, which is closed in the end
   * @param bytesMax how much may be there
   * @param isStopped whether nobody will read it who does not now
   */
  LagSpool(
      Backlog backlog,
      Backlog.Mark first,
      Spool spool,
      Leading leading,
      LongSupplier bytesMax,
      BooleanSupplier isStopped) {
    this.backlog = backlog;
    this.mover = first.mover();
    this.spool = spool;
    this.leading = leading;
    this.stream = leading.stream();
    this.bytesMax = bytesMax;
    this.isStopped = isStopped;
    this.movedUpTo = mover.offset();
  }

  /** Whether it is at work on that one. Any thread. */
  boolean isOn(@Nullable Backlog its) {
    return its == backlog && !isOver;
  }

  /** Up to where nothing is in memory any more that was behind when it began. Any thread. */
  long movedUpTo() {
    return movedUpTo;
  }

  @Override
  public void run() {
    LOG.info("what replicas have not been sent yet is kept on the disk");
    try (spool) {
      while (true) {
        // In this order: who asks for it is held before it can no longer be asked for.
        long asked = asked();
        long unread = unread();
        boolean isMoved = !isBroken && move(unread);
        movedUpTo = mover.offset();
        long wanted = Math.min(unread, asked);
        spool.release(wanted);
        leading.spooledBytes(spool.bytes());
        if (!isMoved) {
          if (wanted >= movedUpTo || (isStopped.getAsBoolean() && unread == NOBODY)) {
            return;
          }
          LockSupport.parkNanos(this, LOOK_NANOS);
        }
      }
    } catch (RuntimeException | OutOfMemoryError failure) {
      LOG.error("what replicas have not been sent yet is lost: {}", failure.toString());
    } finally {
      isOver = true;
      leading.spooledBytes(0);
      LOG.info("nothing of that is on the disk any more");
    }
  }

  private boolean move(long unread) {
    try {
      return mover.move(this::put, unread, backlog.published() - KEPT_BYTES);
    } catch (IOException | RuntimeException failure) {
      isBroken = true;
      LOG.error("no more of it is moved to the disk: {}", failure.toString());
      return false;
    }
  }

  private Overflow.@Nullable Place put(byte[] block, long end) throws IOException {
    Spool.Place place = spool.append(block, end, bytesMax.getAsLong());
    return place == null ? null : place::read;
  }

  /** From where on it is kept for somebody. */
  private long unread() {
    Backlog.Mark first = stream.retention().first(backlog);
    return first == null ? NOBODY : first.offset();
  }

  /** From where on somebody may ask for it. */
  private long asked() {
    return stream.backlog() == backlog ? stream.start() : NOBODY;
  }
}
