package dev.varve.server.command;

import dev.varve.server.resp.RespEncoder;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One client's wait for keys to hold what it asked for; see {@link CommandContext#waitFor}.
 *
 * <p>Keyspace loop only, except that an attempt may also run on a worker, as commands do.
 */
public final class Wait {

  /** No timeout: it waits for ever. */
  public static final long FOREVER = 0;

  /** Tries to serve the client. Obeys the rules of a command function. */
  @FunctionalInterface
  public interface Attempt {

    /**
     * Serves the client from {@code key}, to which something happened, and replies; or returns
     * false, having written nothing: then it waits on, in its place. An error ends the wait.
     */
    boolean serves(CommandContext context, byte[] key);
  }

  private enum State {
    PARKED,
    /** An attempt is under way. */
    TRYING,
    /** It is about to be answered, whatever happens to its keys. */
    RELEASED,
    ENDED
  }

  private final Session session;
  private final Collection<DatabaseKey> keys;
  private final List<WaitingLine.Place> places = new ArrayList<>(1);
  private final long timeoutMillis;
  private final Consumer<RespEncoder> onTimeout;
  private final Attempt attempt;
  private final List<DatabaseKey> alsoWritten = new ArrayList<>(0);
  private final List<DatabaseKey> changedMeanwhile = new ArrayList<>(0);
  private State state = State.PARKED;
  private @Nullable DatabaseKey cause;
  private @Nullable Serving serving;
  private boolean missing;
  private boolean wantsDeletion;
  private @Nullable Object wanted;
  private @Nullable Runnable onParked;
  private @Nullable Consumer<RespEncoder> release;

  public Wait(
      Session session,
      List<byte[]> keys,
      long timeoutMillis,
      Consumer<RespEncoder> onTimeout,
      Attempt attempt) {
    this.session = session;
    this.timeoutMillis = timeoutMillis;
    this.onTimeout = onTimeout;
    this.attempt = attempt;
    this.keys = distinct(session.database(), keys);
  }

  private static Collection<DatabaseKey> distinct(int database, List<byte[]> keys) {
    if (keys.size() == 1) {
      return List.of(new DatabaseKey(database, keys.get(0)));
    }
    Set<DatabaseKey> distinct = new LinkedHashSet<>();
    for (byte[] key : keys) {
      distinct.add(new DatabaseKey(database, key));
    }
    return distinct;
  }

  /** Attempts are made also when a key is gone; otherwise they may be left out then. */
  public void alsoWhenGone() {
    wantsDeletion = true;
  }

  /**
   * Says what it wants, so that many who want the same are not all tried: where an attempt from a
   * key came to nothing, so would that of another who wants something equal, until the key changes.
   */
  public void wants(Object what) {
    wanted = what;
  }

  /** What it wants, or null if that was not said. */
  public @Nullable Object wanted() {
    return wanted;
  }

  /** To serve it writes to {@code key} of its database, besides the one that it is served from. */
  public void alsoWrites(byte[] key) {
    alsoWritten.add(new DatabaseKey(session.database(), key));
  }

  public List<DatabaseKey> alsoWritten() {
    return alsoWritten;
  }

  /**
   * {@code task} is run once the client waits, by what that run of the command makes certain, and
   * sees to its answer: nobody else ends the wait.
   */
  public void whenParked(Runnable task) {
    onParked = task;
  }

  /** The client waits from here on. */
  public void parked() {
    if (onParked != null) {
      onParked.run();
    }
  }

  public boolean wantsDeletion() {
    return wantsDeletion;
  }

  public Session session() {
    return session;
  }

  public Collection<DatabaseKey> keys() {
    return keys;
  }

  /** It waits at a key, in this place. */
  public void at(WaitingLine.Place place) {
    places.add(place);
  }

  /** Where it waits. */
  public List<WaitingLine.Place> places() {
    return places;
  }

  /** How long it waits at most, in ms; {@link #FOREVER} for no limit. */
  public long timeoutMillis() {
    return timeoutMillis;
  }

  /** Whether its client waits for that no longer. */
  public boolean isOver() {
    return session.waiting() != this;
  }

  /** Ends it as when its time is over, unless it has ended. */
  public void timeOut() {
    if (!isOver()) {
      session.connection().endWait(this, onTimeout);
    }
  }

  /** What writes the reply when the time is over. */
  public Consumer<RespEncoder> onTimeout() {
    return onTimeout;
  }

  public boolean isParked() {
    return state == State.PARKED;
  }

  /** Whether an attempt is under way. */
  public boolean isTrying() {
    return state == State.TRYING;
  }

  /**
   * Makes it wait for nothing but {@code reply}, the next time that it is idle: an attempt that is
   * under way comes to nothing. False if it is too late.
   */
  public boolean release(Consumer<RespEncoder> reply) {
    if (release != null || onParked != null || isEnded()) {
      return false;
    }
    release = reply;
    if (state == State.PARKED) {
      state = State.RELEASED;
    }
    return true;
  }

  /** Whether it waits for nothing but its answer. */
  public boolean isReleased() {
    return release != null;
  }

  /** What it was released with, or null. */
  public @Nullable Consumer<RespEncoder> release() {
    return release;
  }

  /** Whether nothing is under way for it, so that it can be answered. */
  public boolean isIdle() {
    return state == State.PARKED || state == State.RELEASED;
  }

  /** Whether it was answered, or is gone. */
  public boolean isEnded() {
    return state == State.ENDED;
  }

  /** It was answered, or is gone; returns keys to which something happened meanwhile. */
  public List<DatabaseKey> end() {
    state = State.ENDED;
    attemptEnds();
    return takeChangedMeanwhile();
  }

  /** The key that the attempt under way is about. */
  public byte[] causeKey() {
    DatabaseKey its = cause;
    if (its == null) {
      throw new IllegalStateException("nothing happened yet");
    }
    return its.key();
  }

  /**
   * An attempt begins, as something happened to {@code key}.
   *
   * @param its what that attempt belongs to
   */
  public void tries(DatabaseKey key, Serving its) {
    state = State.TRYING;
    cause = key;
    serving = its;
    its.attemptBegins();
  }

  /** Something happened to {@code key} that is to be looked at when the attempt is over. */
  public void changedMeanwhile(DatabaseKey key) {
    changedMeanwhile.add(key);
  }

  private void attemptEnds() {
    Serving its = serving;
    serving = null;
    if (its != null) {
      its.attemptEnds();
    }
  }

  public boolean attempt(CommandContext context) {
    return attempt.serves(context, causeKey());
  }

  /**
   * The attempt came to nothing.
   *
   * @param isMissing whether the key holds nothing, so that nobody can be served from it
   * @return keys to which something happened meanwhile
   */
  public List<DatabaseKey> park(boolean isMissing) {
    state = State.PARKED;
    missing = isMissing;
    attemptEnds();
    return takeChangedMeanwhile();
  }

  private List<DatabaseKey> takeChangedMeanwhile() {
    List<DatabaseKey> changed = List.copyOf(changedMeanwhile);
    changedMeanwhile.clear();
    return changed;
  }

  public boolean isMissing() {
    return missing;
  }
}
