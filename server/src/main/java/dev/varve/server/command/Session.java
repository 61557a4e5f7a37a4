package dev.varve.server.command;

import static java.util.Objects.requireNonNull;

import dev.varve.server.resp.RespEncoder;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One client as commands see it: what it chose, and what it has begun.
 *
 * <p>Belongs to the thread that runs its commands, handed on with them. CLIENT LIST of another
 * client reads it unsynchronised: what it shows may be a moment old.
 */
public final class Session {

  /** Whether replies are sent: CLIENT REPLY. */
  public enum ReplyMode {
    ON,
    OFF,
    /** The next command's reply is to be skipped. */
    SKIP_NEXT,
    /** This command's reply is to be skipped. */
    SKIP
  }

  private final long id;
  private final String address;
  private final String localAddress;
  private final long createdMillis;

  private volatile String name = "";
  private volatile String libraryName = "";
  private volatile String libraryVersion = "";
  private final AtomicReference<Command> lastCommand = new AtomicReference<>(NO_COMMAND);
  private final AtomicLong lastUsedMillis;
  private volatile boolean killed;

  private boolean authenticated;
  private volatile Rights rights = Rights.ALL;
  private boolean noEvict;
  private boolean noTouch;
  private boolean readsHere;
  private boolean closing;
  private int database;

  /** Set by whoever has its turn; the keyspace loop encodes messages by it. */
  private volatile int protocol = RespEncoder.PROTOCOL_MIN;

  private ReplyMode replyMode = ReplyMode.ON;

  private final QueuedCommands queue = new QueuedCommands();
  private final Watch watch = new Watch();
  private final TrackingState tracking = new TrackingState();

  private final Subscriptions subscriptions = new Subscriptions();
  private final List<Message> ownMessages = new ArrayList<>(0);
  private boolean isRunning;
  private boolean isReplyKept;
  private int requestBytes;
  private final NextRun nextRun = new NextRun();
  private ClientConnection connection = ClientConnection.NONE;
  private volatile @Nullable Wait waiting;
  private @Nullable Set<DatabaseKey> servedBefore;
  private volatile @Nullable MasterFeed master;
  private volatile @Nullable Replica replica;
  private long writtenWith;

  private static final Command NO_COMMAND = Command.named("NULL");

  /**
   * @param id unique among all clients of this server
   * @param address where the client is, {@code ip:port}, {@code [ip]:port} of IPv6, or {@code
   *     /file:0} of a Unix socket
   * @param localAddress where it connected to
   * @param authenticated whether it need not authenticate
   */
  public Session(
      long id, String address, String localAddress, long createdMillis, boolean authenticated) {
    this.id = id;
    this.address = address;
    this.localAddress = localAddress;
    this.createdMillis = createdMillis;
    this.lastUsedMillis = new AtomicLong(createdMillis);
    this.authenticated = authenticated;
  }

  public long id() {
    return id;
  }

  /** Gives it its connection. Once, before its first command. */
  public void connection(ClientConnection its) {
    connection = its;
  }

  public ClientConnection connection() {
    return connection;
  }

  public TrackingState tracking() {
    return tracking;
  }

  public Subscriptions subscriptions() {
    return subscriptions;
  }

  /** Whether messages are sent to it. Any thread. */
  public boolean isSubscriber() {
    return subscriptions.count() > 0;
  }

  /**
   * Sends it a message that is no reply; after the reply, if a command of its own brought that
   * about. Keyspace loop.
   */
  public void push(Message message) {
    if (isRunning) {
      ownMessages.add(message);
    } else {
      connection.push(message);
    }
  }

  /**
   * Puts what the command that runs has sent to its own client before its reply, not behind it,
   * unless there will be none. Keyspace loop.
   */
  public void pushFirst(RespEncoder reply) {
    if (isReplyWanted()) {
      sendOwn(reply);
    }
  }

  private void sendOwn(RespEncoder reply) {
    if (!ownMessages.isEmpty()) {
      ownMessages.forEach(message -> reply.raw(message.bytes()));
      ownMessages.clear();
    }
  }

  /** A command of its begins to run. Keyspace loop. */
  public void beginRun() {
    isRunning = true;
  }

  /** The command has run: what it sent to its own client follows. Keyspace loop. */
  public void endRun(RespEncoder reply) {
    isRunning = false;
    sendOwn(reply);
  }

  /** What the command that runs replies is messages: they are sent even if replies are not. */
  public void keepReply() {
    isReplyKept = true;
  }

  /** A command has run, or was queued: whether its reply is sent. */
  public boolean takeReplySent() {
    boolean isSent = isReplyKept || isReplyWanted();
    isReplyKept = false;
    if (replyMode == ReplyMode.SKIP_NEXT) {
      replyMode = ReplyMode.SKIP;
    } else if (replyMode == ReplyMode.SKIP) {
      replyMode = ReplyMode.ON;
    }
    return isSent;
  }

  /** Bytes of the requests that run now. Whoever has its turn. */
  public void requestBytes(int bytes) {
    requestBytes = bytes;
  }

  public int requestBytes() {
    return requestBytes;
  }

  /** What it waits for, or null. */
  public @Nullable Wait waiting() {
    return waiting;
  }

  public void waiting(@Nullable Wait its) {
    waiting = its;
  }

  /** From which keys others are to be served before its request; null if it has not waited yet. */
  public @Nullable Set<DatabaseKey> servedBefore() {
    return servedBefore;
  }

  public void servedBefore(@Nullable Set<DatabaseKey> keys) {
    servedBefore = keys;
  }

  /**
   * Makes it that of the master, which is obeyed in all and replied nothing. Once, before its first
   * command.
   *
   * @param feed is told of its requests
   */
  public void followed(MasterFeed feed) {
    master = feed;
    authenticated = true;
    replyMode = ReplyMode.OFF;
  }

  /** What is told of its requests, if it is that of the master; else null. Any thread. */
  public @Nullable MasterFeed master() {
    return master;
  }

  /** Whether the server is at the other end that this one follows. Any thread. */
  public boolean isMaster() {
    return master != null;
  }

  /**
   * What is known of it as a server that follows this one, or will; null for others. Any thread.
   */
  public @Nullable Replica replica() {
    return replica;
  }

  /** The same, from here on of any. */
  public Replica asReplica() {
    Replica its = replica;
    if (its == null) {
      its = new Replica();
      replica = its;
    }
    return its;
  }

  /** Whether it follows this server. Any thread. */
  public boolean isReplica() {
    Replica its = replica;
    return its != null && its.phase() != Replica.Phase.NONE;
  }

  /** With which commit what it wrote last comes into the log; 0 before. */
  public long writtenWith() {
    return writtenWith;
  }

  public void writtenWith(long commit) {
    writtenWith = commit;
  }

  /** It follows this server from here on, and is replied nothing: what it says are no questions. */
  public void follows() {
    replyMode = ReplyMode.OFF;
  }

  public String address() {
    return address;
  }

  public String localAddress() {
    return localAddress;
  }

  /** Whether it came by a file, and not by the network. */
  public boolean isByUnixSocket() {
    return address.startsWith("/");
  }

  public long createdMillis() {
    return createdMillis;
  }

  public String name() {
    return name;
  }

  public void name(String chosen) {
    name = chosen;
  }

  public String libraryName() {
    return libraryName;
  }

  public void libraryName(String chosen) {
    libraryName = chosen;
  }

  public String libraryVersion() {
    return libraryVersion;
  }

  public void libraryVersion(String chosen) {
    libraryVersion = chosen;
  }

  /** The name of the command that it asked for last, as CLIENT LIST shows it. */
  public String lastCommandName() {
    return requireNonNull(lastCommand.get()).fullName();
  }

  /** Whether that is CLIENT with whatever it contains: as in Redis, CLIENT CACHING outlasts it. */
  public boolean askedClient() {
    return lastCommandName().startsWith("client|");
  }

  public long lastUsedMillis() {
    return lastUsedMillis.get();
  }

  /** What it asks for, carried out or not: null if there is no such command. */
  public void asked(@Nullable Command command) {
    // For each command: who looks from another thread may be a moment behind.
    lastCommand.lazySet(command == null ? NO_COMMAND : command);
  }

  /** It sent something, or was answered. */
  public void touched(long nowMillis) {
    lastUsedMillis.lazySet(nowMillis);
  }

  /** What it may do, as the user that it is. Any thread. */
  public Rights rights() {
    return rights;
  }

  /** Makes it another user. */
  public void rights(Rights its) {
    rights = its;
  }

  /** Whether its commands are obeyed: no password is needed, or it gave the right one. */
  public boolean isAuthenticated() {
    return authenticated || rights.areOpen();
  }

  public void authenticated(boolean yes) {
    authenticated = yes;
  }

  public boolean noEvict() {
    return noEvict;
  }

  public void noEvict(boolean yes) {
    noEvict = yes;
  }

  /** Whether keys look as if it had not used them. */
  public boolean noTouch() {
    return noTouch;
  }

  public void noTouch(boolean yes) {
    noTouch = yes;
  }

  /** Whether it wants to read what a server has that follows another one: READONLY. */
  public boolean readsHere() {
    return readsHere;
  }

  public void readsHere(boolean yes) {
    readsHere = yes;
  }

  /** Whether the connection is to be closed once the replies so far are sent. */
  public boolean isClosing() {
    return closing;
  }

  /** Closes the connection once the replies so far are sent. */
  public void close() {
    closing = true;
  }

  /** Whether another client closed this one. Any thread. */
  public boolean isKilled() {
    return killed;
  }

  public void kill() {
    killed = true;
  }

  /** The number of its database. */
  public int database() {
    return database;
  }

  public void database(int number) {
    database = number;
  }

  /** The version of RESP that it chose. */
  public int protocol() {
    return protocol;
  }

  public void protocol(int version) {
    protocol = version;
  }

  /** Whether the reply to the command that runs, or comes next, will be sent. */
  public boolean isReplyWanted() {
    return replyMode == ReplyMode.ON || replyMode == ReplyMode.SKIP_NEXT;
  }

  public ReplyMode replyMode() {
    return replyMode;
  }

  public void replyMode(ReplyMode mode) {
    replyMode = mode;
  }

  /** What it queues between MULTI and EXEC. */
  public QueuedCommands queue() {
    return queue;
  }

  /**
   * EXEC or DISCARD. As in Redis an EXEC that fails is over too, or all that the client sends next
   * would be queued behind it.
   */
  public void endTransaction() {
    queue.end();
    watch.end();
  }

  public Watch watch() {
    return watch;
  }

  /** What a command may change here that has to be as before when the command is run again. */
  public record State(
      int database,
      int protocol,
      boolean noTouch,
      boolean readsHere,
      QueuedCommands.State queue,
      boolean watchEndWanted) {}

  public State state() {
    return new State(database, protocol, noTouch, readsHere, queue.state(), watch.isEndWanted());
  }

  public void state(State before) {
    database = before.database;
    protocol = before.protocol;
    noTouch = before.noTouch;
    readsHere = before.readsHere;
    queue.state(before.queue);
    watch.setEndWanted(before.watchEndWanted);
  }

  /** What the last run of its request has left for the next. */
  public NextRun nextRun() {
    return nextRun;
  }
}
