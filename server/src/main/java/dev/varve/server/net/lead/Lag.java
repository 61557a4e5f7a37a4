package dev.varve.server.net.lead;

import dev.varve.server.command.Replica;
import dev.varve.server.command.Session;
import dev.varve.server.command.lead.Backlog;
import dev.varve.server.command.lead.Leading;
import dev.varve.server.command.lead.ReplicaStatus;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sees to it that those who are behind, or away, take no more memory than they may: what they lack
 * goes to the disk where that is much, and who is too far behind even so follows no longer.
 *
 * <p>Keyspace loop.
 */
final class Lag {
  private static final Logger LOG = LoggerFactory.getLogger(Lag.class);

  /** So long it is not tried again: the disk may be full. */
  private static final long SPOOL_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** What one replica lacks takes no more than this part of the heap. */
  private static final int HEAP_PART = 4;

  /** Beyond that, it is moved to the disk. */
  private static final long FAR_BYTES = 2 * LagSpool.KEPT_BYTES;

  /** Of what is kept for whoever asks, the rest is on the disk. */
  private static final long BACKLOG_MEMORY_MAX = Runtime.getRuntime().maxMemory() / 16;

  /** Who is away takes no more memory than that while the disk is behind, or full. */
  private static final long ABSENT_BYTES_MAX = 4 * LagSpool.KEPT_BYTES;

  /** So much is sent again whatever all data has. */
  private static final long REPLAYED_BYTES_MIN = 256 << 20;

  /** They say how far they are once a second; of a fast stream that is too much to keep. */
  private static final long ASK_BYTES = LagSpool.KEPT_BYTES / 4;

  /** The name of all whose names are not known. */
  private static final String OTHERS = "that followed before";

  private final Settings settings;
  private final Engine engine;
  private final Leading leading;
  private final ReplicationStream stream;
  private final Retention retention;
  private final List<ReplicaFeed> feeds;
  private final Executor threads;
  private final BooleanSupplier isStopped;

  /** Behind it is what is kept for whoever asks, if that is more than memory has room for. */
  private Backlog.@Nullable Mark asked;

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

  // Who is away -----------------------------------------------------------------------------------

  /** One who had all data follows no longer, and may come back. */
  void left(ReplicaFeed feed) {
    Session session = feed.session();
    ReplicaStatus its = ReplicaStatus.of(session);
    boolean isAwaited =
        its != null
            && its.isOnline()
            && feed.saysHowFarItIs()
            && feed.mark().isOf(stream.backlog())
            && isAbsenceAllowed();
    if (isAwaited && its != null) {
      feed.advanceMark();
      retention.leave(its.name(), feed.mark(), System.nanoTime());
    } else {
      retention.release(feed.mark());
    }
  }

  /** It follows again, with all that it needs. */
  void joined(ReplicaFeed feed) {
    ReplicaStatus its = ReplicaStatus.of(feed.session());
    if (its != null) {
      retention.forget(its.name());
    }
  }

  /** What others have sent goes on here: who has read it elsewhere may come. */
  void expect(@Nullable String formerMaster) {
    Backlog its = stream.backlog();
    if (its == null || !isAbsenceAllowed()) {
      return;
    }
    long nowNanos = System.nanoTime();
    if (formerMaster != null) {
      retention.leave(formerMaster, retention.hold(its.reader(its.start())), nowNanos);
    }
    // Those that are up look for somebody to follow each second.
    long seconds = settings.number(ReplicationParameters.TIMEOUT);
    Backlog.Mark mark = retention.hold(its.reader(its.start()));
    retention.expect(OTHERS, mark, nowNanos, TimeUnit.SECONDS.toNanos(seconds));
  }

  /** Others have a master of their own to go back to. */
  private boolean isAbsenceAllowed() {
    return stream.isTold() && spoolBytesMax() > 0 && !isStopped.getAsBoolean();
  }

  private void forgetAbsent(long end) {
    if (retention.absent() > 0) {
      forgetAbsent(end, Long.MAX_VALUE);
    }
  }

  /**
   * @param lackingMax of what was written, in bytes
   */
  private void forgetAbsent(long end, long lackingMax) {
    long secondsMax = settings.number(ReplicationParameters.BACKLOG_TTL);
    long nanosMax = secondsMax == 0 ? Long.MAX_VALUE : TimeUnit.SECONDS.toNanos(secondsMax);
    long nowNanos = System.nanoTime();
    boolean isAllowed = isAbsenceAllowed();
    List<Retention.Absence> forgotten =
        retention.forgetIf(
            its ->
                !isAllowed
                    || !its.mark().isOf(stream.backlog())
                    || its.isLongerThan(nanosMax, nowNanos)
                    || end - its.mark().offset() > lackingMax
                    || heldBytes(its.mark()) > ABSENT_BYTES_MAX);
    forgotten.forEach(
        its -> LOG.info("replica {} has to be sent all data, if it comes", its.who()));
  }

  // Who is behind ---------------------------------------------------------------------------------

  /** Keeps for whoever asks, on the disk, what has no room in memory. */
  private void keepAsked(@Nullable Backlog backlog, long end) {
    boolean isWanted = backlogBytesMax() > BACKLOG_MEMORY_MAX && isAbsenceAllowed();
    Backlog.Mark its = asked;
    if (its != null && (!isWanted || !its.isOf(backlog) || heldBytes(its) > ABSENT_BYTES_MAX)) {
      retention.release(its);
      its = null;
    }
    if (its == null && isWanted && backlog != null && backlog == stream.backlog()) {
      its = retention.hold(backlog.reader(backlog.start()));
    }
    if (its != null) {
      its.advance(end - backlogBytesMax());
    }
    asked = its;
  }

  private long backlogBytesMax() {
    return settings.number(ReplicationParameters.BACKLOG_SIZE);
  }

  /** Asks those who follow how far they are, if much was written since. */
  void askHowFar() {
    long written = stream.written();
    if (!feeds.isEmpty() && Math.abs(written - askedOffset) > ASK_BYTES) {
      askedOffset = written;
      leading.askHowFar();
    }
  }

  /** The stream can be read up to there. */
  void grow(Backlog backlog, long end) {
    if (spool != null && !spool.isOn(backlog)) {
      // It holds the block where it was, and with that all that come behind it.
      spool = null;
    }
    feeds.forEach(ReplicaFeed::advanceMark);
    keepAsked(backlog, end);
    forgetAbsent(end);
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
    if (retention.absent() > 0) {
      // To send all data takes no longer then.
      forgetAbsent(stream.offset(), Math.max(REPLAYED_BYTES_MIN, engine.rawDataBytes()));
    }
    stream.keep(Math.min(backlogBytesMax(), BACKLOG_MEMORY_MAX));
    keepAsked(stream.backlog(), stream.offset());
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
  private long heldBytes(Backlog.Mark mark) {
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
