package dev.varve.server.command;

import java.util.ArrayList;
import java.util.List;

/**
 * The keys one client watches, and whether any of them has changed.
 *
 * <p>Keyspace loop only.
 */
public final class Watch {

  /**
   * A watched key as it was then.
   *
   * @param existed whether it held anything
   * @param expiryMillis when that would expire; {@code Meta.NO_EXPIRY} if never
   */
  public record Entry(DatabaseKey key, boolean existed, long expiryMillis) {}

  private final List<Entry> entries = new ArrayList<>(0);
  private boolean changed;
  private boolean ignoresChanges;
  private boolean endWanted;

  public List<Entry> entries() {
    return entries;
  }

  public boolean isChanged() {
    return changed;
  }

  /** A key has changed; false if that does not count. */
  public boolean change() {
    changed |= !ignoresChanges;
    return !ignoresChanges;
  }

  /** Whether what changes now is its own client's doing, and so does not count. */
  public void ignoreChanges(boolean yes) {
    ignoresChanges = yes;
  }

  /** The command that runs ends the watch, once it is through. */
  public void end() {
    endWanted = true;
  }

  public boolean isEndWanted() {
    return endWanted;
  }

  /** Brings back what {@link #isEndWanted} said before a command that unwound. */
  void setEndWanted(boolean wasWanted) {
    endWanted = wasWanted;
  }

  public void clear() {
    entries.clear();
    changed = false;
    endWanted = false;
  }
}
