package dev.varve.server.command.listen;

import dev.varve.codec.Databases;
import dev.varve.codec.Transaction;
import dev.varve.codec.WantedEvents;
import dev.varve.server.command.Session;
import dev.varve.server.command.Wait;
import java.util.List;

/**
 * All who are told what happens to keys.
 *
 * <p>Keyspace loop, but for counts.
 */
public final class ChangeListeners {
  private final WatchTable watches;
  private final PubSub pubSub;
  private final Notifications notifications;
  private final BlockedClients blocked;
  private final Tracking tracking;
  private Runnable onServeNeeded = () -> {};

  /**
   * @param heapBytesMax all that the process may have, of which names and keys that clients ask for
   *     get parts
   */
  public ChangeListeners(long heapBytesMax) {
    NameRoom names = NameRoom.ofListened(heapBytesMax);
    this.watches = new WatchTable(names);
    this.pubSub = new PubSub(names);
    this.notifications = new Notifications(pubSub);
    this.blocked = new BlockedClients(NameRoom.ofAwaited(heapBytesMax), () -> onServeNeeded.run());
    this.tracking = new Tracking(heapBytesMax, names);
  }

  /** Who watches keys. */
  public WatchTable watches() {
    return watches;
  }

  /** Who waits for keys. */
  public BlockedClients blocked() {
    return blocked;
  }

  /** Who has subscribed to what. */
  public PubSub pubSub() {
    return pubSub;
  }

  /** Who has read which keys. */
  public Tracking tracking() {
    return tracking;
  }

  /** Which events are published. */
  public Notifications notifications() {
    return notifications;
  }

  /** Names who is told when clients may have to be served. Before the first command. */
  public void onServeNeeded(Runnable listener) {
    onServeNeeded = listener;
  }

  /** Whether anybody wants to know: events are only gathered then. */
  public boolean isAnyListening() {
    // By name, not from a list: it is asked twice for each command.
    return watches.isListening()
        || blocked.isListening()
        || tracking.isListening()
        || notifications.isListening();
  }

  /** Which events have to be gathered, where anybody wants to know. */
  public WantedEvents wantedEvents() {
    if (notifications.isListening()) {
      return notifications.areMissesWanted() ? WantedEvents.ALL : WantedEvents.EACH_CHANGE;
    }
    // What was read between two changes is stale: each counts.
    return tracking.isListening() ? WantedEvents.EACH_CHANGE : WantedEvents.KEYS;
  }

  /** Tells them of a transaction, as {@link ChangeListener#changed} says. */
  public void tell(Transaction transaction, Databases before) {
    if (isAnyListening()) {
      tell(watches, transaction, before);
      tell(blocked, transaction, before);
      tell(tracking, transaction, before);
      tell(notifications, transaction, before);
    }
  }

  /** Tells them as {@link ChangeListener#anythingChanged} says. */
  public void tellOfAnything() {
    for (ChangeListener listener : List.of(watches, blocked, tracking)) {
      if (listener.isListening()) {
        listener.anythingChanged();
      }
    }
  }

  private static void tell(ChangeListener listener, Transaction transaction, Databases before) {
    if (listener.isListening()) {
      listener.changed(transaction, before);
    }
  }

  /** Forgets what a client that is gone has asked for. */
  public void forget(Session session) {
    watches.remove(session.watch());
    pubSub.unsubscribeFromAll(session);
    tracking.end(session);
    forgetWait(session);
  }

  /** Forgets that a client waits, if it does. */
  public void forgetWait(Session session) {
    Wait wait = session.waiting();
    if (wait != null) {
      blocked.end(wait);
      session.waiting(null);
    }
  }
}
