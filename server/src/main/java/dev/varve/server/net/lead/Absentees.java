package dev.varve.server.net.lead;

import dev.varve.server.command.lead.Backlog;
import dev.varve.server.command.lead.ReplicaStatus;
import dev.varve.server.command.lead.ReplicationStream;
import dev.varve.server.command.lead.Retention;
import dev.varve.server.config.ReplicationParameters;
import dev.varve.server.config.Settings;
import dev.varve.server.engine.Engine;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says what is kept of the stream for those who do not follow now, and may come: who has left, the
 * former master, whoever asks. So they need not be sent all data.
 *
 * <p>Keyspace loop.
 */
final class Absentees {
  private static final Logger LOG = LoggerFactory.getLogger(Absentees.class);

  /** Of what is kept for whoever asks, the rest is on the disk. */
  private static final long BACKLOG_MEMORY_MAX = Runtime.getRuntime().maxMemory() / 16;

  /** Who is away takes no more memory than that while the disk is behind, or full. */
  private static final long HELD_BYTES_MAX = 4 * LagSpool.KEPT_BYTES;

  /** So much is sent again whatever all data has. */
  private static final long REPLAYED_BYTES_MIN = 256 << 20;

  /** The name of all whose names are not known. */
  private static final String OTHERS = "that followed before";

  private final Settings settings;
  private final Engine engine;
  private final ReplicationStream stream;
  private final Retention retention;
  private final ToLongFunction<Backlog.Mark> heldBytes;
  private final BooleanSupplier isStopped;

  /** Behind it is what is kept for whoever asks, if that is more than memory has room for. */
  private Backlog.@Nullable Mark asked;

  /**
   * @param heldBytes how much is in memory for a mark
   * @param isStopped whether nobody will follow who does not now
   */
  Absentees(
      Settings settings,
      Engine engine,
      ReplicationStream stream,
      ToLongFunction<Backlog.Mark> heldBytes,
      BooleanSupplier isStopped) {
    this.settings = settings;
    this.engine = engine;
    this.stream = stream;
    this.retention = stream.retention();
    this.heldBytes = heldBytes;
    this.isStopped = isStopped;
  }

  /** One who had all data follows no longer, and may come back. */
  void left(ReplicaFeed feed) {
    ReplicaStatus its = ReplicaStatus.of(feed.session());
    boolean isAwaited =
        its != null
            && its.isOnline()
            && feed.saysHowFarItIs()
            && feed.mark().isOf(stream.backlog())
            && isAllowed();
    if (isAwaited) {
      feed.advanceMark();
    }
    // Who lacks what cannot be read would go on there, be sent nothing, and leave again.
    if (isAwaited && its != null && feed.mark().isReadable()) {
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
    if (its == null || !isAllowed()) {
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
  private boolean isAllowed() {
    return stream.isTold()
        && settings.number(ReplicationParameters.SPOOL_SIZE) > 0
        && !isStopped.getAsBoolean();
  }

  /** The stream can be read up to there. */
  void grow(Backlog backlog, long end) {
    keepAsked(backlog, end);
    if (retention.absent() > 0) {
      forget(end, Long.MAX_VALUE);
    }
  }

  /** Called once a second. */
  void tick() {
    stream.keep(Math.min(backlogBytesMax(), BACKLOG_MEMORY_MAX));
    long end = stream.offset();
    keepAsked(stream.backlog(), end);
    if (retention.absent() > 0) {
      // To send all data takes no longer then.
      forget(end, Math.max(REPLAYED_BYTES_MIN, engine.rawDataBytes()));
    }
  }

  /**
   * @param lackingMax of what was written, in bytes
   */
  private void forget(long end, long lackingMax) {
    long secondsMax = settings.number(ReplicationParameters.BACKLOG_TTL);
    long nanosMax = secondsMax == 0 ? Long.MAX_VALUE : TimeUnit.SECONDS.toNanos(secondsMax);
    long nowNanos = System.nanoTime();
    boolean isAllowed = isAllowed();
    List<Retention.Absence> forgotten =
        retention.forgetIf(
            its ->
                !isAllowed
                    || !its.mark().isOf(stream.backlog())
                    || !its.mark().isReadable()
                    || its.isLongerThan(nanosMax, nowNanos)
                    || end - its.mark().offset() > lackingMax
                    || heldBytes.applyAsLong(its.mark()) > HELD_BYTES_MAX);
    for (Retention.Absence its : forgotten) {
      if (!its.who().equals(OTHERS)) {
        LOG.info("replica {} has to be sent all data, if it comes", its.who());
      }
    }
  }

  /** Keeps for whoever asks, on the disk, what has no room in memory. */
  private void keepAsked(@Nullable Backlog backlog, long end) {
    boolean isWanted = backlogBytesMax() > BACKLOG_MEMORY_MAX && isAllowed();
    Backlog.Mark its = asked;
    if (its != null
        && (!isWanted
            || !its.isOf(backlog)
            || !its.isReadable()
            || heldBytes.applyAsLong(its) > HELD_BYTES_MAX)) {
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
}
