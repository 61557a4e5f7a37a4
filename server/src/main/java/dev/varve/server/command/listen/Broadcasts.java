package dev.varve.server.command.listen;

import dev.varve.server.command.Name;
import dev.varve.server.command.Session;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Clients that cache and are told of every key that begins with one of their prefixes, and the keys
 * that they are yet to be told of: CLIENT TRACKING with BCAST.
 *
 * <p>Keyspace loop only.
 */
final class Broadcasts {
  private static final Comparator<Name> BY_BYTES =
      (one, other) -> Arrays.compareUnsigned(one.bytes(), other.bytes());

  /**
   * @param changed keys with who changed each last, null for the server itself
   */
  private record Prefix(Set<Session> sessions, Map<Name, @Nullable Session> changed) {}

  /** In this order, as in Redis, come the messages to a client that has several. */
  private final Map<Name, Prefix> prefixes = new TreeMap<>(BY_BYTES);

  private boolean isAnyChanged;

  /** How many prefixes there are. */
  int count() {
    return prefixes.size();
  }

  void add(Name name, Session session) {
    prefixes
        .computeIfAbsent(name, first -> new Prefix(new LinkedHashSet<>(2), new TreeMap<>(BY_BYTES)))
        .sessions()
        .add(session);
  }

  void remove(Name name, Session session) {
    Prefix its = prefixes.get(name);
    if (its != null && its.sessions().remove(session) && its.sessions().isEmpty()) {
      prefixes.remove(name);
    }
  }

  /**
   * Notes that {@code whose} command changed {@code keys}. True if somebody is to be told who was
   * not to be told of any before.
   */
  boolean changed(Collection<Name> keys, @Nullable Session whose) {
    boolean wasAnyChanged = isAnyChanged;
    prefixes.forEach(
        (name, its) -> {
          for (Name key : keys) {
            if (key.startsWith(name)) {
              its.changed().put(key, whose);
              isAnyChanged = true;
            }
          }
        });
    return isAnyChanged && !wasAnyChanged;
  }

  /**
   * Tells of all that has changed: one message is made for all clients of a prefix, but for those
   * who do not want to hear of what they changed themselves.
   *
   * @param message makes one of keys
   */
  void tell(Function<List<Name>, PushMessage> message, BiConsumer<Session, PushMessage> recipient) {
    isAnyChanged = false;
    for (Prefix prefix : prefixes.values()) {
      if (!prefix.changed().isEmpty()) {
        PushMessage ofAll = message.apply(List.copyOf(prefix.changed().keySet()));
        for (Session session : prefix.sessions()) {
          if (session.tracking().isNoLoop() && prefix.changed().containsValue(session)) {
            List<Name> ofOthers = ofOthers(prefix.changed(), session);
            if (!ofOthers.isEmpty()) {
              recipient.accept(session, message.apply(ofOthers));
            }
          } else {
            recipient.accept(session, ofAll);
          }
        }
        prefix.changed().clear();
      }
    }
  }

  private static List<Name> ofOthers(Map<Name, @Nullable Session> changed, Session self) {
    List<Name> ofOthers = new ArrayList<>();
    changed.forEach(
        (key, whose) -> {
          if (whose != self) {
            ofOthers.add(key);
          }
        });
    return ofOthers;
  }
}
