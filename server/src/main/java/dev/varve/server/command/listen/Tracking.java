package dev.varve.server.command.listen;

import dev.varve.codec.Databases;
import dev.varve.codec.KeyspaceEvent;
import dev.varve.codec.Transaction;
import dev.varve.server.command.Command;
import dev.varve.server.command.Name;
import dev.varve.server.command.Session;
import dev.varve.server.command.Subscriptions;
import dev.varve.server.command.TrackingState;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Who has read which keys, to be told when they change, so that clients can cache.
 *
 * <p>The table is bounded: when it is full, the key that was read first is given up, and its
 * readers are told as if it had changed. Databases are not told apart, as in Redis.
 *
 * <p>Keyspace loop, except the figures and {@link #keysMax}.
 */
public final class Tracking implements ChangeListener {
  /** The table takes no more than this part of the heap, however many keys it may have. */
  private static final int HEAP_PART = 8;

  /** What a key takes besides its bytes, and what each of its readers takes, about. */
  private static final int KEY_HEAP_BYTES = 200;

  private static final int READER_HEAP_BYTES = 48;

  private static final byte[] CHANNEL = "__redis__:invalidate".getBytes(StandardCharsets.US_ASCII);

  // Not the sessions: entries outlive their clients, and would keep all that belongs to them.
  private final Map<Name, Set<TrackingState>> readers = new LinkedHashMap<>();
  private final Broadcasts broadcasts = new Broadcasts();
  private final Set<Session> clients = new LinkedHashSet<>();
  private final RespEncoder encoder = new RespEncoder();
  private LongFunction<@Nullable Session> sessions = id -> null;
  private Executor afterPass = Runnable::run;
  private @Nullable Session actor;
  private volatile long keysMax = Long.MAX_VALUE;
  private volatile int clientCount;
  private volatile int keyCount;
  private volatile long itemCount;
  private final long tableBytesMax;
  private final NameRoom room;

  /** Of the keys; their readers are {@link #itemCount}. */
  private long keyBytes;

  private volatile int prefixCount;

  /**
   * @param heapBytesMax all that the process may have, of which the table gets a part
   * @param room for the prefixes of clients
   */
  public Tracking(long heapBytesMax, NameRoom room) {
    this.tableBytesMax = heapBytesMax / HEAP_PART;
    this.room = room;
  }

  /** Names what finds a client by its id. Before the first command. */
  public void sessions(LongFunction<@Nullable Session> find) {
    sessions = find;
  }

  /**
   * Names what runs a task on the keyspace loop once those who came together are served: whoever is
   * told by prefix is then told once of all that they changed. Before the first command.
   */
  public void afterPass(Executor executor) {
    afterPass = executor;
  }

  /** How many keys are remembered at most; 0: no limit. Any thread. */
  public void keysMax(long countMax) {
    keysMax = countMax == 0 ? Long.MAX_VALUE : countMax;
  }

  public int clientCount() {
    return clientCount;
  }

  public int keyCount() {
    return keyCount;
  }

  public long itemCount() {
    return itemCount;
  }

  public int prefixCount() {
    return prefixCount;
  }

  /** Names the client whose command writes next, or null for the server itself. */
  public void actor(@Nullable Session whose) {
    actor = whose;
  }

  /**
   * Makes sure that there is room for the prefixes of a request.
   *
   * @throws dev.varve.codec.DataException when there is not
   */
  public void requireRoom(Args request) {
    room.require(request);
  }

  public void begin(Session session, List<byte[]> prefixes) {
    clients.add(session);
    session.tracking().reader(session);
    for (byte[] prefix : prefixes) {
      Name name = new Name(prefix);
      if (session.tracking().prefixes().add(name)) {
        room.taken(prefix);
        broadcasts.add(name, session);
      }
    }
    recount();
  }

  /** Its entries in the table leave when their keys change, or with the last client. */
  public void end(Session session) {
    if (!clients.remove(session)) {
      return;
    }
    for (Name prefix : session.tracking().prefixes()) {
      room.given(prefix.bytes());
      broadcasts.remove(prefix, session);
    }
    session.tracking().end();
    if (clients.isEmpty()) {
      forgetReads();
    }
    recount();
  }

  private void forgetReads() {
    readers.clear();
    itemCount = 0;
    keyBytes = 0;
  }

  private void recount() {
    clientCount = clients.size();
    keyCount = readers.size();
    prefixCount = broadcasts.count();
  }

  /** {@code session} has read the keys of a request. */
  public void read(Session session, Command command, Args args) {
    for (int index : command.keyIndexes(args)) {
      read(session.tracking(), new Name(args.get(index)));
    }
    trim();
  }

  @SuppressWarnings("NonAtomicOperationOnVolatileField") // one thread counts
  private void read(TrackingState reader, Name key) {
    Set<TrackingState> its = readers.get(key);
    if (its == null) {
      its = new LinkedHashSet<>(2);
      readers.put(key, its);
      keyBytes += heapBytes(key);
    }
    if (its.add(reader)) {
      itemCount++;
    }
  }

  private static int heapBytes(Name key) {
    return KEY_HEAP_BYTES + key.bytes().length;
  }

  /** What was read within a transaction that is applied next. */
  public void readWithin(TransactionReads reads) {
    Session session = reads.reader();
    if (session != null && session.tracking().remembersReads()) {
      reads.ofUnchanged().forEach(key -> read(session.tracking(), key));
    }
  }

  /** The rest of it, once the transaction is applied. */
  public void readWithin(TransactionReads reads, Transaction applied) {
    Session session = reads.reader();
    if (session == null || !session.tracking().remembersReads()) {
      return;
    }
    for (Name key : reads.ofChanged()) {
      if (reads.isStale(key, applied) && !session.tracking().isNoLoop()) {
        tell(session, invalidation(List.of(key)));
      }
      if (reads.isReadLast(key, applied)) {
        read(session.tracking(), key);
      }
    }
    if (reads.isTooMuch()) {
      tell(session, invalidation(null));
    }
    trim();
  }

  /** Gives up keys until there are no more than there may be. */
  public void trim() {
    while (readers.size() > keysMax || keyBytes + itemCount * READER_HEAP_BYTES > tableBytesMax) {
      Iterator<Name> first = readers.keySet().iterator();
      changed(first.next(), null);
    }
    recount();
  }

  @Override
  public boolean isListening() {
    return !clients.isEmpty();
  }

  @Override
  public void changed(Transaction transaction, Databases before) {
    Session whose = actor;
    Set<Name> keys = new LinkedHashSet<>();
    for (KeyspaceEvent event : transaction.events()) {
      if (event.isChange()) {
        keys.add(new Name(event.key()));
      }
    }
    if (broadcasts.changed(keys, whose)) {
      afterPass.execute(() -> broadcasts.tell(this::invalidation, this::tell));
    }
    keys.forEach(key -> changed(key, whose));
    boolean isFlushed = false;
    for (int database = 0; database < before.count(); database++) {
      isFlushed |= transaction.isTouched(database);
    }
    if (isFlushed) {
      flushed();
    }
    recount();
  }

  @SuppressWarnings("NonAtomicOperationOnVolatileField") // one thread counts
  private void changed(Name key, @Nullable Session whose) {
    Set<TrackingState> its = readers.remove(key);
    if (its == null) {
      return;
    }
    itemCount -= its.size();
    keyBytes -= heapBytes(key);
    PushMessage message = invalidation(List.of(key));
    for (TrackingState state : its) {
      Session session = state.reader();
      boolean isOwn = state.isNoLoop() && session == whose;
      if (session != null && !isOwn && state.remembersReads()) {
        tell(session, message);
      }
    }
  }

  @Override
  public void anythingChanged() {
    flushed();
  }

  /** All keys of a database changed at once. */
  public void flushed() {
    forgetReads();
    recount();
    PushMessage message = invalidation(null);
    for (Session session : clients) {
      tell(session, message);
    }
  }

  /** Tells a client that keys have changed, or whom it named for that. */
  private void tell(Session session, PushMessage message) {
    long redirect = session.tracking().redirect();
    if (redirect == 0) {
      if (session.protocol() > RespEncoder.PROTOCOL_MIN) {
        session.push(message.of(session.protocol()));
      }
      return;
    }
    Session target = sessions.apply(redirect);
    if (target != null) {
      if (target.protocol() > RespEncoder.PROTOCOL_MIN || target.isSubscriber()) {
        target.push(message.of(target.protocol()));
      }
    } else {
      session.tracking().redirectBroke();
      redirectBroke(session, redirect);
    }
  }

  private void redirectBroke(Session session, long redirect) {
    if (session.protocol() > RespEncoder.PROTOCOL_MIN) {
      PushMessage message =
          new PushMessage(
              encoder,
              reply -> {
                reply.push(2);
                reply.bulk("tracking-redir-broken");
                reply.integer(redirect);
              });
      session.push(message.of(session.protocol()));
    }
  }

  /**
   * @param keys null for all
   */
  private PushMessage invalidation(@Nullable List<Name> keys) {
    return new PushMessage(encoder, reply -> invalidation(reply, keys));
  }

  private static void invalidation(RespEncoder reply, @Nullable List<Name> keys) {
    if (reply.protocol() > RespEncoder.PROTOCOL_MIN) {
      reply.push(2);
      reply.bulk("invalidate");
    } else {
      reply.push(3);
      reply.bulk(Subscriptions.Kind.CHANNEL.message);
      reply.bulk(CHANNEL);
    }
    if (keys == null) {
      reply.nullBulk();
    } else {
      reply.array(keys.size());
      for (Name key : keys) {
        reply.bulk(key.bytes());
      }
    }
  }
}
