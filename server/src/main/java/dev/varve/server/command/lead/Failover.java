package dev.varve.server.command.lead;

import dev.varve.codec.DataException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A replica is to take over (https://redis.io/docs/latest/commands/failover/): clients' writes are
 * held until it has carried out all there is; then it is asked to take over, and this server
 * follows it.
 *
 * <p>Decides what comes next, and does nothing of it. Keyspace loop, but for what says any thread.
 */
public final class Failover {
  private static final Logger LOG = LoggerFactory.getLogger(Failover.class);

  private static final DataException IS_ON = new DataException("ERR FAILOVER already in progress.");
  private static final DataException IS_NOT_ON = new DataException("ERR No failover in progress.");

  private static final long NEVER_ASKED = -1;

  /** How far it is, under the names that INFO has. */
  public enum State {
    NONE("no-failover"),
    /** Nobody has all there is yet. */
    WAITING("waiting-for-sync"),
    /** It is asked to take over. */
    IN_PROGRESS("failover-in-progress");

    private final String label;

    State(String label) {
      this.label = label;
    }

    public String label() {
      return label;
    }
  }

  /** A replica, under the address that INFO has for it. */
  public record Target(String host, long port) {
    static Target of(ReplicaStatus replica) {
      return new Target(replica.address(), replica.port());
    }

    /** Whether it is that one. */
    public boolean is(ReplicaStatus replica) {
      return replica.port() == port && replica.address().equalsIgnoreCase(host);
    }

    @Override
    public String toString() {
      return host + " port " + port;
    }
  }

  /**
   * What a client asks for.
   *
   * @param target who is to take over; null for whoever has all there is first
   * @param timeoutMillis for how long that may take, or 0
   * @param isForced whether the target takes over after that time whatever it has
   */
  public record Wanted(@Nullable Target target, long timeoutMillis, boolean isForced) {}

  /** Carries it out. */
  public interface Carrier {
    /** Clients' writes are to be held, and {@link #next} is to be asked from now on. */
    void begins();

    /**
     * It is over.
     *
     * @param isInVain whether the target was asked already, and has not taken over
     */
    void ends(boolean isInVain);
  }

  /** What is to be done next. */
  public enum Step {
    NOTHING,
    /** Those who follow are to be asked how far they are. */
    ASK,
    /** {@link #target} is to be followed, and asked to take over. */
    HAND_OVER
  }

  private Carrier carrier =
      new Carrier() {
        @Override
        public void begins() {}

        @Override
        public void ends(boolean isInVain) {}
      };
  private volatile State state = State.NONE;
  private @Nullable Target target;
  private long beganNanos;
  private long timeoutNanos;
  private boolean isForced;

  /** What was written before they were asked, and with that. */
  private long wantedOffset;

  private long askedOffset = NEVER_ASKED;

  Failover() {}

  /** Names who carries it out. Before the first command. */
  public void carrier(Carrier its) {
    carrier = its;
  }

  /** How far it is. Any thread. */
  public State state() {
    return state;
  }

  /** Whether there is one. Any thread. */
  public boolean isOn() {
    return state != State.NONE;
  }

  /** Who takes over, once that is known. */
  public @Nullable Target target() {
    return target;
  }

  /**
   * Begins.
   *
   * @param nowNanos as {@link System#nanoTime}
   */
  public void begin(Wanted wanted, long nowNanos) {
    refuseSecond();
    target = wanted.target;
    beganNanos = nowNanos;
    timeoutNanos = TimeUnit.MILLISECONDS.toNanos(wanted.timeoutMillis);
    isForced = wanted.isForced;
    askedOffset = NEVER_ASKED;
    state = State.WAITING;
    LOG.info("failover to {} begins", target == null ? "the first that has all" : target);
    carrier.begins();
  }

  /** Ends in an error if one is on: there is no second. */
  public void refuseSecond() {
    if (isOn()) {
      throw IS_ON;
    }
  }

  /**
   * What is to be done, while one waits.
   *
   * @param written up to where the stream is written
   * @param nowNanos as {@link System#nanoTime}
   */
  public Step next(List<ReplicaStatus> replicas, long written, long nowNanos) {
    if (state != State.WAITING) {
      return Step.NOTHING;
    }
    if (timeoutNanos > 0 && nowNanos - beganNanos >= timeoutNanos) {
      if (!isForced) {
        abort("no replica had all that was written in time");
        return Step.NOTHING;
      }
      LOG.warn("failover to {}: its time is over, it takes over with what it has", target);
      state = State.IN_PROGRESS;
      return Step.HAND_OVER;
    }
    if (written != askedOffset) {
      // What it had before the question is all that counts.
      wantedOffset = written;
      return Step.ASK;
    }
    for (ReplicaStatus replica : replicas) {
      boolean isMeant = target == null || target.is(replica);
      if (isMeant && replica.isOnline() && hasAll(replica)) {
        target = Target.of(replica);
        LOG.info("failover: {} has all that was written", target);
        state = State.IN_PROGRESS;
        return Step.HAND_OVER;
      }
    }
    return Step.NOTHING;
  }

  /**
   * What it says of itself and the question may have crossed. If the question is still here when it
   * takes over, it never reads that, and nobody who has can go on behind it.
   */
  private boolean hasAll(ReplicaStatus replica) {
    return replica.offset() >= wantedOffset && replica.sent() >= askedOffset;
  }

  /**
   * They were asked.
   *
   * @param written up to where the stream is written with that
   */
  public void asked(long written) {
    askedOffset = written;
  }

  /** The target has taken over. */
  public void succeeded() {
    if (state == State.IN_PROGRESS) {
      LOG.info("failover: {} has taken over", target);
      end(false);
    }
  }

  /** A client wants it no more. */
  public void abortByClient() {
    if (!isOn()) {
      throw IS_NOT_ON;
    }
    abort("a client has ended it");
  }

  /** It ends in vain, if there is one: this server goes on. */
  public void abort(String why) {
    if (isOn()) {
      LOG.warn(
          "failover to {} ends in {}: {}",
          target == null ? "any replica" : target,
          state.label(),
          why);
      end(state == State.IN_PROGRESS);
    }
  }

  private void end(boolean isInVain) {
    state = State.NONE;
    target = null;
    carrier.ends(isInVain);
  }
}
