package dev.varve.server.net.lead;

import dev.varve.server.command.Replica;
import dev.varve.server.command.lead.Backlog;
import dev.varve.server.command.lead.Leading;
import dev.varve.server.config.OutputBufferLimit;
import dev.varve.server.config.ReplicationParameters;
import dev.varve.server.config.Settings;
import dev.varve.server.engine.Engine;
import dev.varve.server.engine.Spool;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Sees to it that those who are behind take no more memory than they may: what they have yet to be
 * sent goes to the disk where that is much, and who is too far behind even so follows no longer.
 *
 * <p>Keyspace loop.
 */
final class Lag {
  /** So long it is not tried again: the disk may be full. */
  private static final long SPOOL_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** What one replica has not been sent yet takes no more than this part of the heap. */
  private static final int HEAP_PART = 4;

  private final Settings settings;
  private final Engine engine;
  private final Leading leading;
  private final List<ReplicaFeed> feeds;
  private final Executor threads;
  private final BooleanSupplier isStopped;
  private @Nullable LagSpool spool;
  private long spooledNanos = System.nanoTime() - SPOOL_PAUSE_NANOS;

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
    this.feeds = feeds;
    this.threads = threads;
    this.isStopped = isStopped;
  }

  /** The stream can be read up to there. */
  void grow(Backlog backlog, long end) {
    if (spool != null && !spool.isOn(backlog)) {
      // It holds the block where it was, and with that all that come behind it.
      spool = null;
    }
    if (spool == null && !feeds.isEmpty() && !isStopped.getAsBoolean()) {
      spoolIfBehind(backlog, end);
    }
    closeTooFarBehind(end);
  }

  /** Sees to it that what one of them has yet to be sent goes to the disk, if that is much. */
  private void spoolIfBehind(Backlog backlog, long end) {
    long nowNanos = System.nanoTime();
    if (nowNanos - spooledNanos < SPOOL_PAUSE_NANOS) {
      return;
    }
    ReplicaFeed last =
        Collections.min(feeds, Comparator.comparingLong(feed -> feed.session().asReplica().sent()));
    boolean isFar = end - last.session().asReplica().sent() > 2 * LagSpool.KEPT_BYTES;
    if (isFar && spoolBytesMax() > 0) {
      Spool files = engine.spool();
      if (files != null) {
        spooledNanos = nowNanos;
        spool =
            new LagSpool(backlog, last.reader(), files, leading, this::spoolBytesMax, isStopped);
        threads.execute(spool);
      }
    }
  }

  private long spoolBytesMax() {
    return settings.number(ReplicationParameters.SPOOL_SIZE);
  }

  /** Closes those who have more than they may to be sent up to there. */
  void closeTooFarBehind(long end) {
    OutputBufferLimit limit = settings.outputBufferLimits().replica();
    long hardBytes = bytesMax(limit);
    for (ReplicaFeed feed : feeds) {
      Replica its = feed.session().asReplica();
      long bytes = end - inMemoryFrom(its);
      // Who is sent all data can be no faster than that.
      long avoidable = its.phase() == Replica.Phase.ONLINE ? bytes : 0;
      if (bytes > hardBytes) {
        feed.close("it is " + bytes + " bytes behind");
      } else if (feed.soft().isExceeded(avoidable, limit, System.nanoTime())) {
        feed.close("it has been too far behind for " + limit.softSeconds() + " s");
      }
    }
  }

  private long inMemoryFrom(Replica replica) {
    LagSpool its = spool;
    return its != null && its.isOn(leading.stream().backlog())
        ? Math.max(its.movedUpTo(), replica.sent())
        : replica.sent();
  }

  private static long bytesMax(OutputBufferLimit limit) {
    long hard = limit.hardBytes() == 0 ? Long.MAX_VALUE : limit.hardBytes();
    return Math.min(hard, Runtime.getRuntime().maxMemory() / HEAP_PART);
  }
}
