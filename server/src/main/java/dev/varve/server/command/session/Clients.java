package dev.varve.server.command.session;

import dev.varve.server.command.Session;
import dev.varve.server.command.observe.Monitors;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * All clients that are connected now.
 *
 * <p>Any thread.
 */
public final class Clients {
  private final Map<Long, Client> byId = new ConcurrentHashMap<>();
  private final AtomicLong lastId = new AtomicLong();
  private final AtomicLong accepted = new AtomicLong();
  private final AtomicLong rejected = new AtomicLong();
  private final AtomicLong evicted = new AtomicLong();

  /** A client and the way to close its connection, which may be called on any thread. */
  record Client(Session session, Runnable closer) {}

  /** An id for the next client, never given twice. */
  public long nextId() {
    return lastId.incrementAndGet();
  }

  /** Counts one in, unless there are {@code countMax} already. */
  public synchronized boolean add(Session session, Runnable closer, int countMax) {
    // One at a time: loops that look at the number together would let in one each.
    if (byId.size() >= countMax) {
      rejected.incrementAndGet();
      return false;
    }
    byId.put(session.id(), new Client(session, closer));
    accepted.incrementAndGet();
    return true;
  }

  /** Adds the connection to the master, which this server has opened. */
  public void addMaster(Session session, Runnable closer) {
    byId.put(session.id(), new Client(session, closer));
  }

  /** One is gone. */
  public void remove(Session session) {
    byId.remove(session.id());
  }

  /** How many there are. */
  public int count() {
    return byId.size();
  }

  /** How many of them do not follow this server. */
  public long countBesidesReplicas() {
    return byId.values().stream().filter(client -> !client.session().isReplica()).count();
  }

  /** How many there ever were. */
  public long accepted() {
    return accepted.get();
  }

  /** Counts one that is not let in. */
  public void countRejected() {
    rejected.incrementAndGet();
  }

  /** How many were too many, or not let in. */
  public long rejected() {
    return rejected.get();
  }

  /** Counts one that is closed to have room for the others. */
  public void countEvicted() {
    evicted.incrementAndGet();
  }

  /** How many were closed to have room for the others. */
  public long evicted() {
    return evicted.get();
  }

  /** Counts those there were again from zero. */
  public void resetCounts() {
    evicted.set(0);
    accepted.set(0);
    rejected.set(0);
  }

  /** All of them, the oldest first. */
  public List<Session> sessions() {
    List<Session> sessions = new ArrayList<>();
    for (Client client : byId.values()) {
      sessions.add(client.session());
    }
    sessions.sort(Comparator.comparingLong(Session::id));
    return sessions;
  }

  /** Shows {@code each} all of them, in no order. */
  public void forEach(Consumer<Session> each) {
    for (Client client : byId.values()) {
      each.accept(client.session());
    }
  }

  /** The one with this id, or null. */
  public @Nullable Session session(long id) {
    Client client = byId.get(id);
    return client == null ? null : client.session();
  }

  /**
   * Closes all that have asked for nothing since {@code sinceMillis}, but those who wait for an
   * answer or for messages, and the master.
   */
  public void closeIdleSince(long sinceMillis, Monitors monitors) {
    for (Session session : sessions()) {
      boolean isServed = session.requestBytes() > 0 || session.waiting() != null;
      boolean isWaiting =
          isServed
              || session.isSubscriber()
              || session.isMaster()
              || session.isReplica()
              || monitors.contains(session);
      if (!isWaiting && session.lastUsedMillis() < sinceMillis) {
        kill(session);
      }
    }
  }

  /**
   * Closes the connections of all that {@code who} is true of.
   *
   * @param self who asks for it, and still gets his reply if he is one of them
   * @return how many there were
   */
  public int killAll(Session self, Predicate<Session> who) {
    int killed = 0;
    for (Client client : byId.values()) {
      Session session = client.session();
      if (who.test(session)) {
        killed++;
        if (session == self) {
          session.close();
        } else {
          kill(session);
        }
      }
    }
    return killed;
  }

  /** Closes the connection of one, which is no longer there from now on. */
  public void kill(Session session) {
    Client client = byId.remove(session.id());
    if (client != null) {
      session.kill();
      client.closer().run();
    }
  }
}
