package dev.varve.server.command;

import static java.util.Objects.requireNonNull;

import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import dev.varve.server.script.LongScriptSignal;
import java.time.Instant;
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

  /** A command between MULTI and EXEC. */
  public record Queued(Command command, Args args) {}

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
  private boolean noEvict;
  private boolean closing;
  private int database;

  /** Set by whoever has its turn; the keyspace loop encodes messages by it. */
  private volatile int protocol = RespEncoder.PROTOCOL_MIN;

  private ReplyMode replyMode = ReplyMode.ON;

  private @Nullable List<Queued> queue;
  private boolean queueBroken;
  private boolean writeQueued;
  private long queuedBytes;
  private long queuedHeapBytes;
  private final Watch watch = new Watch();
  private final TrackingState tracking = new TrackingState();

  /** What MULTI may queue: what it writes then takes several times as much. */
  private static final long QUEUED_BYTES_MAX = Runtime.getRuntime().maxMemory() / 8;

  /** What a queued command takes besides its words, about. */
  private static final int QUEUED_HEAP_BYTES = 80;

  /** And what a word takes besides its bytes. */
  private static final int WORD_HEAP_BYTES = 24;

  private final Subscriptions subscriptions = new Subscriptions();
  private final List<Message> ownMessages = new ArrayList<>(0);
  private boolean isRunning;
  private boolean isReplyKept;
  private int requestBytes;
  private long retrySeed;
  private List<Instant> retryTimes = List.of();
  private @Nullable LongScriptSignal longScript;
  private ClientConnection connection = ClientConnection.NONE;
  private volatile @Nullable Wait waiting;
  private @Nullable Set<DatabaseKey> servedBefore;

  private static final Command NO_COMMAND = Command.named("NULL");

  /**
   * @param id unique among all clients of this server
   * @param address where the client is, {@code ip:port}, or {@code [ip]:port} of IPv6
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

  /** Whether the command that ran replied by messages. */
  public boolean takeReplyKept() {
    boolean was = isReplyKept;
    isReplyKept = false;
    return was;
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

  public String address() {
    return address;
  }

  public String localAddress() {
    return localAddress;
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

  /** The name of the command that ran last, as CLIENT LIST shows it. */
  public String lastCommandName() {
    return requireNonNull(lastCommand.get()).fullName();
  }

  public long lastUsedMillis() {
    return lastUsedMillis.get();
  }

  public void used(Command command, long nowMillis) {
    // For each command: who looks from another thread may be a moment behind.
    lastCommand.lazySet(command);
    touched(nowMillis);
  }

  /** It sent something, or was answered. */
  public void touched(long nowMillis) {
    lastUsedMillis.lazySet(nowMillis);
  }

  /** Whether its commands are obeyed: no password is needed, or it gave the right one. */
  public boolean isAuthenticated() {
    return authenticated;
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

  /** Whether it is between MULTI and EXEC. */
  public boolean isQueueing() {
    return queue != null;
  }

  /** What it queued since MULTI, or null outside. */
  public @Nullable List<Queued> queue() {
    return queue;
  }

  public void enqueue(Command command, Args args) {
    // As in Redis, no memory is spent on what will not run.
    if (queue != null && !queueBroken) {
      queue.add(new Queued(command, args));
      writeQueued |= command.is(CommandFlag.WRITE);
      long bytes = args.bytes();
      queuedBytes += bytes;
      queuedHeapBytes += bytes + QUEUED_HEAP_BYTES + (long) WORD_HEAP_BYTES * args.count();
    }
  }

  /** Bytes of the words that were queued since the last MULTI. */
  public long queuedBytes() {
    return queuedBytes;
  }

  /** About what is queued takes on the heap. */
  public long queuedHeapBytes() {
    return queue == null || queue.isEmpty() ? 0 : queuedHeapBytes;
  }

  /** Whether no more can be queued: memory would run out for all clients. */
  public boolean isQueueFull() {
    return queue != null && queuedHeapBytes > QUEUED_BYTES_MAX;
  }

  /** Whether a command queued since MULTI writes. */
  public boolean isWriteQueued() {
    return writeQueued;
  }

  public void beginQueue() {
    queue = new ArrayList<>();
    queueBroken = false;
    writeQueued = false;
    queuedBytes = 0;
    queuedHeapBytes = 0;
  }

  /** A queued command was refused: EXEC will refuse all. */
  public void breakQueue() {
    queueBroken = queue != null;
    if (queue != null && isQueueFull()) {
      queue.clear();
    }
  }

  public boolean isQueueBroken() {
    return queueBroken;
  }

  public void endQueue() {
    queue = null;
    queueBroken = false;
    writeQueued = false;
  }

  public Watch watch() {
    return watch;
  }

  /**
   * What a command may change here that has to be as before when the command is run again.
   *
   * @param queue the queue itself; EXEC does not change it, it only lets go of it
   */
  public record State(
      int database,
      int protocol,
      @Nullable List<Queued> queue,
      boolean queueBroken,
      boolean writeQueued,
      boolean watchEndWanted) {}

  public State state() {
    return new State(database, protocol, queue, queueBroken, writeQueued, watch.isEndWanted());
  }

  public void state(State before) {
    database = before.database;
    protocol = before.protocol;
    queue = before.queue;
    queueBroken = before.queueBroken;
    writeQueued = before.writeQueued;
    watch.setEndWanted(before.watchEndWanted);
  }

  /** The seed of the run that met a cold block, for the next run to do the same; 0 if none. */
  public long retrySeed() {
    return retrySeed;
  }

  public void retrySeed(long seed) {
    retrySeed = seed;
  }

  /** The times that run was told, for the next run to be told the same. */
  public List<Instant> retryTimes() {
    return retryTimes;
  }

  /** A run met a cold block: the next is to draw and be told the same. */
  public void retry(long seed, List<Instant> times) {
    retrySeed = seed;
    retryTimes = times;
  }

  /** No run follows that has to be as the one before. */
  public void endRetries() {
    retrySeed = 0;
    retryTimes = List.of();
  }

  /** A trial found that its script takes long. */
  public void longScript(LongScriptSignal signal) {
    longScript = signal;
  }

  /** What a trial found, once. */
  public @Nullable LongScriptSignal takeLongScript() {
    LongScriptSignal its = longScript;
    longScript = null;
    return its;
  }
}
