package dev.varve.server.net.connection;

import dev.varve.codec.store.StoreView;
import dev.varve.codec.string.Strings;
import dev.varve.server.command.Session;
import dev.varve.server.command.access.Users;
import dev.varve.server.command.observe.Pause;
import dev.varve.server.command.run.Keyspace;
import dev.varve.server.command.run.LongRun;
import dev.varve.server.command.session.Clients;
import dev.varve.server.config.OutputBufferLimit;
import dev.varve.server.config.OutputBufferLimits;
import dev.varve.server.config.Parameters;
import dev.varve.server.config.Settings;
import dev.varve.server.engine.Engine;
import dev.varve.server.net.commit.GroupCommit;
import dev.varve.server.net.commit.HeldRoom;
import dev.varve.server.net.loop.ServerLoop;
import dev.varve.server.resp.Args;
import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What all connections of a server share.
 *
 * <p>Any thread, as far as its parts allow.
 */
public final class ConnectionContext {
  /** How often a stopped write looks whether it may go on. */
  private static final int STOPPED_POLL_MILLIS = 5;

  private static final long HEAP_BYTES_MAX = Runtime.getRuntime().maxMemory();
  private static final long ONE_HEAP_BYTES_MAX = HEAP_BYTES_MAX / 4 * 3;

  /** The other half of the heap is for those who read. */
  private static final int UNREAD_HEAP_PART = 2;

  /** What a request makes of its arguments takes more than they do. */
  private static final int WAITING_HEAP_PART = 4;

  /** Half of that: the rest is for those that are short, or wait. */
  private static final int REQUEST_HEAP_PART = 2 * WAITING_HEAP_PART;

  private final Settings settings;
  private final Clients clients;
  private final Keyspace keyspace;
  private final ServerLoop keyspaceLoop;
  private final GroupCommit commit;
  private final Workers workers;
  private final LongReplies longReplies;
  private final Traffic traffic;
  private final LongSupplier clock;
  private final HeldRoom held;
  private final SharedHeap unread =
      new SharedHeap(HEAP_BYTES_MAX / UNREAD_HEAP_PART, HEAP_BYTES_MAX / UNREAD_HEAP_PART);
  private final SharedHeap waiting =
      new SharedHeap(HEAP_BYTES_MAX / WAITING_HEAP_PART, ONE_HEAP_BYTES_MAX);
  private final RequestRoom requestRoom;
  private volatile OutputBufferLimits outputBufferLimits;

  /** When it is looked next whether a pause is over; 0 if nobody waits for that. */
  private long pauseCheckMillis;

  public ConnectionContext(
      Settings settings,
      Clients clients,
      Keyspace keyspace,
      ServerLoop keyspaceLoop,
      GroupCommit commit,
      Workers workers,
      LongReplies longReplies,
      Traffic traffic,
      LongSupplier clock) {
    this.clock = clock;
    this.settings = settings;
    this.clients = clients;
    this.keyspace = keyspace;
    this.keyspaceLoop = keyspaceLoop;
    this.commit = commit;
    this.workers = workers;
    this.longReplies = longReplies;
    this.traffic = traffic;
    this.held = new HeldRoom(HEAP_BYTES_MAX, keyspaceLoop::execute);
    this.requestRoom =
        new RequestRoom(
            HEAP_BYTES_MAX / REQUEST_HEAP_PART,
            HEAP_BYTES_MAX / WAITING_HEAP_PART,
            (millis, task) ->
                keyspaceLoop.eventLoop().schedule(task, millis, TimeUnit.MILLISECONDS));
    this.outputBufferLimits = settings.outputBufferLimits();
    settings.onChange(() -> outputBufferLimits = settings.outputBufferLimits());
  }

  /** Ms since 1970. */
  long nowMillis() {
    return clock.getAsLong();
  }

  Clients clients() {
    return clients;
  }

  Keyspace keyspace() {
    return keyspace;
  }

  ServerLoop keyspaceLoop() {
    return keyspaceLoop;
  }

  /** Keyspace loop only. */
  GroupCommit commit() {
    return commit;
  }

  Traffic traffic() {
    return traffic;
  }

  /** Keyspace loop only. */
  HeldRoom held() {
    return held;
  }

  /** What clients leave unread, of replies and of messages. */
  SharedHeap unread() {
    return unread;
  }

  /** Bytes that are left for it. Any thread. */
  public long replyRoom() {
    return unread.room();
  }

  /**
   * What clients have sent and has not run: not all of it is here, or they wait, or do not read.
   */
  SharedHeap waiting() {
    return waiting;
  }

  /** Where long requests that are not all here wait for each other. */
  RequestRoom requestRoom() {
    return requestRoom;
  }

  /** How much {@code session} may leave unread. */
  OutputBufferLimit outputBufferLimit(Session session) {
    OutputBufferLimits limits = outputBufferLimits;
    if (session.isReplica()) {
      return limits.replica();
    }
    return session.isSubscriber() ? limits.pubSub() : limits.normal();
  }

  /** Runs {@code task} when CLIENT PAUSE is over, on any thread. */
  public void awaitUnpaused(Runnable task) {
    Pause pause = keyspace.activity().pause();
    long nowMillis = clock.getAsLong();
    pause.await(task, nowMillis);
    checkAtEnd(pause, nowMillis);
  }

  /** Sees to it that the pause ends by itself: once for all who wait. */
  private synchronized void checkAtEnd(Pause pause, long nowMillis) {
    long endMillis = pause.nextEndMillis(nowMillis);
    if (endMillis > nowMillis && (pauseCheckMillis == 0 || endMillis < pauseCheckMillis)) {
      pauseCheckMillis = endMillis;
      keyspaceLoop
          .eventLoop()
          .schedule(() -> check(pause, endMillis), endMillis - nowMillis, TimeUnit.MILLISECONDS);
    }
  }

  private void check(Pause pause, long dueMillis) {
    synchronized (this) {
      pauseCheckMillis = pauseCheckMillis == dueMillis ? 0 : pauseCheckMillis;
    }
    long nowMillis = clock.getAsLong();
    pause.check(nowMillis);
    // It may have been made longer meanwhile, or the clock be held: nobody else looks again.
    checkAtEnd(pause, nowMillis);
  }

  /** Runs {@code task} on {@code loop} when a write that is held back may be tried again. */
  void awaitWritable(ServerLoop loop, Runnable task) {
    int delayMillis = keyspace.writeDelayMillis();
    int millis = delayMillis == Engine.WRITES_STOPPED ? STOPPED_POLL_MILLIS : delayMillis;
    loop.eventLoop().schedule(task, millis, TimeUnit.MILLISECONDS);
  }

  /**
   * Runs a request on a worker, for a client whose turn is {@code here}. On that loop, to which the
   * result comes back.
   *
   * @param replies its replies, which are told
   * @param behind requests to read ahead for meanwhile, see {@link PipelineReadAhead}
   */
  void runOnWorker(
      Session session,
      Args args,
      ServerLoop here,
      Replies replies,
      List<Args> behind,
      Consumer<Workers.Result> then) {
    int database = session.database();
    Workers.Receiver receiver = result -> here.execute(() -> then.accept(result));
    dispatch(here, replies, () -> workers.run(session, args, database, behind, receiver));
  }

  /** The same for a request that waits for something else than the disk. */
  void runAside(
      Session session, Args args, ServerLoop here, Replies replies, Consumer<Workers.Result> then) {
    Workers.Receiver receiver = result -> here.execute(() -> then.accept(result));
    dispatch(here, replies, () -> workers.runAside(session, args, receiver));
  }

  /** The same for a request with a long reply. */
  void runOnStream(
      Session session, Args args, ServerLoop here, Replies replies, Consumer<Workers.Result> then) {
    ReplyStream stream = replies.stream();
    Workers.Receiver receiver = result -> here.execute(() -> then.accept(result));
    dispatch(here, replies, () -> longReplies.run(session, args, stream, receiver));
  }

  private void dispatch(ServerLoop here, Replies replies, Runnable task) {
    if (here == keyspaceLoop) {
      // A worker reads what is published: that has to include what this client has seen.
      commit.afterPublication(() -> begin(here, replies, task));
    } else {
      begin(here, replies, task);
    }
  }

  private static void begin(ServerLoop here, Replies replies, Runnable task) {
    replies.beginElsewhere(here);
    task.run();
  }

  /**
   * Runs the request of a client that takes long to write on a worker. Keyspace loop.
   *
   * @param brought has what was brought for it from the disk, and stays open; null if nothing was
   */
  void runLong(
      Session session,
      Args args,
      LongRun.Lease lease,
      @Nullable StoreView brought,
      Workers.Receiver receiver) {
    LongRun its = keyspace.longRun();
    long leftMillis = its.millisUntilBusy();
    if (leftMillis != LongRun.NEVER_BUSY) {
      keyspaceLoop
          .eventLoop()
          .schedule(() -> its.becomeBusy(lease), leftMillis, TimeUnit.MILLISECONDS);
    }
    // It reads what is published: that has to be all there is.
    commit.afterPublication(
        () -> {
          keyspace.engine().lend(brought);
          workers.runLong(session, args, lease, receiver);
        });
  }

  /** Runs {@code task} on a worker, and {@code then} when that is done, whatever came of it. */
  void runBeside(Runnable task, Runnable then) {
    workers.runBeside(task, then);
  }

  /** The longest argument, in bytes. What a master has let through counts here, too. */
  int bulkBytesMax(Session session) {
    return session.isMaster()
        ? Strings.BYTES_MAX_EVER
        : settings.integer(Parameters.PROTO_MAX_BULK_LEN);
  }

  /** How much of the heap a request may take before all of it is here. */
  long requestBytesMax(Session session) {
    return session.isMaster()
        ? ONE_HEAP_BYTES_MAX
        : Math.min(settings.number(Parameters.CLIENT_QUERY_BUFFER_LIMIT), ONE_HEAP_BYTES_MAX);
  }

  int clientsMax() {
    return (int) Math.min(Integer.MAX_VALUE, settings.number(Parameters.MAXCLIENTS));
  }

  /** After how many seconds a quiet client is probed; 0: never. Any thread. */
  int keepAliveSeconds() {
    return settings.integer(Parameters.TCP_KEEPALIVE);
  }

  /** Whether a client that has come from there to here is not let in. */
  boolean isDenied(@Nullable SocketAddress remote, @Nullable SocketAddress local) {
    return ProtectedMode.refuses(
        remote, local, settings, keyspace.users().byDefault().needsNoPassword());
  }

  Users users() {
    return keyspace.users();
  }
}
