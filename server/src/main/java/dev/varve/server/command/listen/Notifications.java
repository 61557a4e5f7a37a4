package dev.varve.server.command.listen;

import dev.varve.codec.Databases;
import dev.varve.codec.EventClass;
import dev.varve.codec.KeyspaceEvent;
import dev.varve.codec.Transaction;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Publishes what happens to keys, as notify-keyspace-events says.
 *
 * <p>Keyspace loop, except {@link #choose}.
 */
public final class Notifications implements ChangeListener {

  /**
   * What is published.
   *
   * @param byKey to the channel of the key
   * @param byEvent to the channel of the event
   */
  private record Choice(Set<EventClass> classes, boolean byKey, boolean byEvent) {
    static final Choice NOTHING = new Choice(Set.of(), false, false);
  }

  private final PubSub pubSub;
  private volatile Choice choice = Choice.NOTHING;
  private LaterMessages between = LaterMessages.NONE;

  public Notifications(PubSub pubSub) {
    this.pubSub = pubSub;
  }

  /** Publishes these from now on: letters as in the parameter, already checked. Any thread. */
  public void choose(String letters) {
    Set<EventClass> classes = EnumSet.noneOf(EventClass.class);
    for (EventClass each : EventClass.values()) {
      if (each == EventClass.SILENT) {
        continue;
      }
      boolean isInAll = each != EventClass.NEW && each != EventClass.KEY_MISS;
      if (letters.indexOf(each.flag()) >= 0 || (isInAll && letters.indexOf('A') >= 0)) {
        classes.add(each);
      }
    }
    choice = new Choice(classes, letters.indexOf('K') >= 0, letters.indexOf('E') >= 0);
  }

  /** Whether reads that find nothing are told of, so that they belong on the keyspace loop. */
  public boolean areMissesWanted() {
    Choice now = choice;
    return now.classes.contains(EventClass.KEY_MISS) && (now.byKey || now.byEvent);
  }

  @Override
  public boolean isListening() {
    Choice now = choice;
    return (now.byKey || now.byEvent) && !now.classes.isEmpty() && pubSub.hasSubscribers();
  }

  @Override
  public void changed(Transaction transaction, Databases before) {
    List<KeyspaceEvent> events = transaction.events();
    for (int i = 0; i < events.size(); i++) {
      between.sendUpTo(i);
      happened(events.get(i));
    }
  }

  /** What is sent between the events of the transaction that is applied next. */
  public void between(LaterMessages messages) {
    between = messages;
  }

  /** Something happened to a key. */
  void happened(KeyspaceEvent event) {
    Choice now = choice;
    if (!now.classes.contains(event.eventClass())) {
      return;
    }
    byte[] name = event.name().getBytes(StandardCharsets.US_ASCII);
    if (now.byKey) {
      pubSub.publish(channel("__keyspace@", event.database(), event.key()), name);
    }
    if (now.byEvent) {
      pubSub.publish(channel("__keyevent@", event.database(), name), event.key());
    }
  }

  private static byte[] channel(String kind, int database, byte[] name) {
    byte[] prefix = (kind + database + "__:").getBytes(StandardCharsets.US_ASCII);
    byte[] channel = new byte[prefix.length + name.length];
    System.arraycopy(prefix, 0, channel, 0, prefix.length);
    System.arraycopy(name, 0, channel, prefix.length, name.length);
    return channel;
  }
}
