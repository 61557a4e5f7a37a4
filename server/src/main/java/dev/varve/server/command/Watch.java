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
  record Entry(DatabaseKey key, boolean existed, long expiryMillis) {}

  private final List<Entry> entries = new ArrayList<>(0);
  private boolean changed;
  private boolean endWanted;

  List<Entry> entries() {
    return entries;
  }

  public boolean isChanged() {
    return changed;
  }

  void change() {
    changed = true;
  }

  /** Brings back what {@link #isChanged} said before its own client changed something. */
  void setChanged(boolean wasChanged) {
    changed = wasChanged;
  }

  /** The command that runs ends the watch, once it is through. */
  public void end() {
    endWanted = true;
  }

  boolean isEndWanted() {
    return endWanted;
  }

  /** Brings back what {@link #isEndWanted} said before a command that unwound. */
  void setEndWanted(boolean wasWanted) {
    endWanted = wasWanted;
  }

  void clear() {
    entries.clear();
    changed = false;
    endWanted = false;
  }
}
