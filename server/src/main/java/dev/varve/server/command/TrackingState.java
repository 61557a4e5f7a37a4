package dev.varve.server.command;

import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How one client has its reads tracked: CLIENT TRACKING.
 *
 * <p>Keyspace loop, except {@link #isOn} and {@link #remembersReads}.
 */
public final class TrackingState {

  /** Which reads are remembered. */
  public enum Mode {
    OFF,
    /** All. */
    ALL_READS,
    /** Those after CLIENT CACHING YES. */
    OPT_IN,
    /** All but those after CLIENT CACHING NO. */
    OPT_OUT,
    /** None: it is told of every key that begins with one of its prefixes. */
    BROADCAST
  }

  private volatile Mode mode = Mode.OFF;
  private @Nullable Session reader;
  private boolean noLoop;
  private long redirect;
  private boolean redirectBroken;

  /** Whether CLIENT CACHING was said, for the command that follows. */
  private boolean cachingSaid;

  private final Set<Name> prefixes = new LinkedHashSet<>(0);

  public Mode mode() {
    return mode;
  }

  /** Any thread. */
  public boolean isOn() {
    return mode != Mode.OFF;
  }

  /** Whether its reads have to be seen by the keyspace loop. Any thread. */
  public boolean remembersReads() {
    Mode now = mode;
    return now != Mode.OFF && now != Mode.BROADCAST;
  }

  public void begin(Mode its, long redirectId, boolean isNoLoop) {
    mode = its;
    redirect = redirectId;
    redirectBroken = false;
    noLoop = isNoLoop;
  }

  /** Whose reads these are, while they are tracked. */
  public @Nullable Session reader() {
    return reader;
  }

  public void reader(Session its) {
    reader = its;
  }

  public void end() {
    mode = Mode.OFF;
    reader = null;
    redirect = 0;
    redirectBroken = false;
    noLoop = false;
    cachingSaid = false;
    prefixes.clear();
  }

  public boolean isNoLoop() {
    return noLoop;
  }

  /** The client that gets its messages, or 0 for itself. */
  public long redirect() {
    return redirect;
  }

  public boolean isRedirectBroken() {
    return redirectBroken;
  }

  public void redirectBroke() {
    redirectBroken = true;
  }

  public Set<Name> prefixes() {
    return prefixes;
  }

  public boolean isCachingSaid() {
    return cachingSaid;
  }

  public void sayCaching() {
    cachingSaid = true;
  }

  /** The command has run that CLIENT CACHING was said for. */
  public void forgetCaching() {
    cachingSaid = false;
  }

  /** Whether the keys of the read that runs are to be remembered. */
  public boolean remembersThis() {
    return switch (mode) {
      case OFF, BROADCAST -> false;
      case ALL_READS -> true;
      case OPT_IN -> cachingSaid;
      case OPT_OUT -> !cachingSaid;
    };
  }
}
