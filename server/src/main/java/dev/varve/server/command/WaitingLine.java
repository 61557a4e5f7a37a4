package dev.varve.server.command;

import org.jspecify.annotations.Nullable;

/**
 * Who waits for one key, in the order in which they came. Joining and leaving take the same time
 * however many there are.
 *
 * <p>Keyspace loop only.
 */
public final class WaitingLine {
  private final DatabaseKey key;
  private @Nullable Place first;
  private @Nullable Place last;

  /** How many of them are also to be served when the key is gone. */
  private int wantingDeletion;

  public WaitingLine(DatabaseKey key) {
    this.key = key;
  }

  /** One client's place in the line. */
  public static final class Place {
    private final WaitingLine line;
    private final Wait wait;
    private @Nullable Place before;

    /** Stays when it is left: whoever walks down the line while clients leave goes on from here. */
    private @Nullable Place after;

    private Place(WaitingLine line, Wait wait) {
      this.line = line;
      this.wait = wait;
    }

    public WaitingLine line() {
      return line;
    }

    public Wait waiter() {
      return wait;
    }

    /** The next one, also after this one was left; null at the end. */
    public @Nullable Place next() {
      return after;
    }

    /** Its client waits no longer. Once. */
    public void leave() {
      if (before == null) {
        line.first = after;
      } else {
        before.after = after;
      }
      if (after == null) {
        line.last = before;
      } else {
        after.before = before;
      }
      line.wantingDeletion -= wait.wantsDeletion() ? 1 : 0;
    }
  }

  public DatabaseKey key() {
    return key;
  }

  public boolean isEmpty() {
    return first == null;
  }

  /** Who came first, or null. */
  public @Nullable Place first() {
    return first;
  }

  /** Whether anybody is also to be served when the key is gone. */
  public boolean isDeletionWanted() {
    return wantingDeletion > 0;
  }

  /** {@code wait} joins at the end. */
  public Place add(Wait wait) {
    Place place = new Place(this, wait);
    place.before = last;
    if (last == null) {
      first = place;
    } else {
      last.after = place;
    }
    last = place;
    wantingDeletion += wait.wantsDeletion() ? 1 : 0;
    return place;
  }
}
