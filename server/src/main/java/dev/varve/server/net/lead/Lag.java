package dev.varve.server.net.lead;

import dev.varve.server.command.Replica;
import dev.varve.server.command.lead.Backlog;
import dev.varve.server.command.lead.Leading;
import dev.varve.server.command.lead.ReplicationStream;
import dev.varve.server.command.lead.Retention;
import dev.varve.server.config.OutputBufferLimit;
import dev.varve.server.config.ReplicationParameters;
import dev.varve.server.config.Settings;
import dev.varve.server.engine.Engine;
import dev.varve.server.engine.Spool;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Sees to it that those who are behind take no more memory than they may: what they lack goes to
 * the disk where that is much, as does what is kept for those who are away, and who is too far
 * behind even so follows no longer.
 *
 * <p>Keyspace loop.
 */
final class Lag {
  /** So long it is not tried again: the disk may be full. */
  private static final long SPOOL_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** What one replica lacks takes no more than this part of the heap. */
  private static final int HEAP_PART = 4;

  /** Beyond that, it is moved to the disk. */
  private static final long FAR_BYTES = 2 * LagSpool.KEPT_BYTES;

  /** They say how far they are once a second; of a fast stream that is too much to keep. */
  private static final long ASK_BYTES = LagSpool.KEPT_BYTES / 4;

  private final Settings settings;
  private final Engine engine;
  private final Leading leading;
  private final ReplicationStream stream;
  private final Retention retention;
  private final List<ReplicaFeed> feeds;
  private final Executor threads;
  private final BooleanSupplier isStopped;
  private @Nullable LagSpool spool;
  private long spooledNanos = System.nanoTime() - SPOOL_PAUSE_NANOS;
  private long askedOffset;

  /**
   * @param feeds of those who follow, as they come and go
   * @param threads runs what has a thread of its own
   * @param isStopped whether nobody will follow who does not now
   */
  Lag(
      Settings settings,
      Engine engine,
      Leading leading,
      List<ReplicaFeed> feeds,
      Executor threads,
      BooleanSupplier isStopped) {
    this.settings = settings;
    this.engine = engine;
    this.leading = leading;
    this.stream = leading.stream();
    this.retention = stream.retention();
    this.feeds = feeds;
    this.threads = threads;
    this.isStopped = isStopped;
  }

  /** Asks those who follow how far they are, if much was written since. */
  void askHowFar() {
    long written = stream.written();
    if (!feeds.isEmpty() && Math.abs(written - askedOffset) > ASK_BYTES) {
      askedOffset = written;
      leading.askHowFar();
    }
  }

  /** More of the stream can be read. */
  void grow(Backlog backlog) {
    if (spool != null && !spool.isOn(backlog)) {
      // It holds the block where it was, and with that all that come behind it.
      spool = null;
    }
    feeds.forEach(ReplicaFeed::advanceMark);
    if (spool == null && !isStopped.getAsBoolean()) {
      spoolIfBehind(backlog);
    }
    closeTooFarBehind();
  }

  /** Sees to it that what one of them lacks goes to the disk, if that is much. */
  private void spoolIfBehind(Backlog backlog) {
    Backlog.Mark first = retention.first(backlog);
    long nowNanos = System.nanoTime();
    boolean isWanted = first != null && heldBytes(first) > FAR_BYTES && spoolBytesMax() > 0;
    if (!isWanted || first == null || nowNanos - spooledNanos < SPOOL_PAUSE_NANOS) {
      return;
    }
    Spool files = engine.spool();
    if (files != null) {
      spooledNanos = nowNanos;
      spool = new LagSpool(backlog, first, files, leading, this::spoolBytesMax, isStopped);
      threads.execute(spool);
    }
  }

  private long spoolBytesMax() {
    return settings.number(ReplicationParameters.SPOOL_SIZE);
  }

  /** Called once a second. */
  void tick() {
    if (stream.isOn()) {
      closeTooFarBehind();
    }
  }

  /** Closes those for whom more is held than may be. */
  private void closeTooFarBehind() {
    OutputBufferLimit limit = settings.outputBufferLimits().replica();
    long hardBytes = bytesMax(limit);
    for (ReplicaFeed feed : feeds) {
      Replica its = feed.session().asReplica();
      long bytes = heldBytes(feed.mark());
      // Who is sent all data can be no faster than that.
      long avoidable = its.phase() == Replica.Phase.ONLINE ? bytes : 0;
      if (bytes > hardBytes) {
        feed.close("it is " + bytes + " bytes too far behind");
      } else if (feed.soft().isExceeded(avoidable, limit, System.nanoTime())) {
        feed.close("it has been too far behind for " + limit.softSeconds() + " s");
      }
    }
  }

  /** What is in memory for that one, and would not be there anyway. */
  long heldBytes(Backlog.Mark mark) {
    return stream.start() - inMemoryFrom(mark);
  }

  private long inMemoryFrom(Backlog.Mark mark) {
    LagSpool its = spool;
    return its != null && its.isOn(stream.backlog())
        ? Math.max(its.movedUpTo(), mark.offset())
        : mark.offset();
  }

  private static long bytesMax(OutputBufferLimit limit) {
    long hard = limit.hardBytes() == 0 ? Long.MAX_VALUE : limit.hardBytes();
    return Math.min(hard, Runtime.getRuntime().maxMemory() / HEAP_PART);
  }
}
