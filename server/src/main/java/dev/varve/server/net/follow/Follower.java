package dev.varve.server.net.follow;

import dev.varve.codec.MasterPosition;
import dev.varve.codec.dump.RdbImport;
import dev.varve.codec.store.Store;
import dev.varve.server.command.Session;
import dev.varve.server.command.Wait;
import dev.varve.server.command.lead.Failover;
import dev.varve.server.command.lead.ReplicationStream;
import dev.varve.server.command.run.Following;
import dev.varve.server.command.run.Following.Link;
import dev.varve.server.command.run.Keyspace;
import dev.varve.server.command.session.Clients;
import dev.varve.server.config.ConfigException;
import dev.varve.server.config.ReplicationParameters;
import dev.varve.server.config.Settings;
import dev.varve.server.net.connection.ConnectionContext;
import dev.varve.server.net.connection.NewClients;
import dev.varve.server.net.loop.Dialer;
import dev.varve.server.net.loop.ServerLoop;
import dev.varve.server.resp.RespEncoder;
import io.netty.channel.Channel;
import java.io.IOException;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows another server for as long as that is wanted: connects to it, and connects again a second
 * after a connection has ended, from where that was if it can.
 *
 * <p>Keyspace loop, but for what says otherwise.
 */
public final class Follower implements MasterLink.Owner {
  private static final Logger LOG = LoggerFactory.getLogger(Follower.class);

  private static final String UNBLOCKED =
      "UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)";

  /**
   * So often in a row, a second apart, a request may fail to be carried out. After that what it has
   * to read here is taken for damaged.
   */
  public static final int ATTEMPTS_MAX = 30;

  /** What it needs to have of the server. */
  public record Surroundings(
      Settings settings,
      Clients clients,
      Keyspace keyspace,
      ConnectionContext connections,
      ServerLoop loop,
      Executor published,
      Executor worker,
      Executor handshakes,
      LongSupplier clock) {}

  private final Surroundings server;
  private final Keyspace keyspace;
  private final Following following;
  private final ReplicationStream stream;
  private final Failover failover;
  private final MasterDialer dialer;
  private final IntSupplier port;

  /** Where the one that is followed is reached, by its address once that is known; or null. */
  private @Nullable String followed;

  /** The connection there is, or null. */
  private @Nullable MasterLink link;

  /** The client that the last connection has made of the master, or null before the first. */
  private @Nullable Session session;

  private final LoadAttempts loads = new LoadAttempts();

  /** The one that is being made, or null: another one's end says nothing any more. */
  private @Nullable Dialed dialing;

  /** Puts a master's data here, of this connection or of one that has ended; or null. */
  private @Nullable FullLoad load;

  /** How many commits had failed when the position was known. */
  private long lostCommits;

  /** Why the last connection ended: the same is not said each second. */
  private String lastEnd = "";

  private volatile boolean isStopped;

  /**
   * @param dialer connects on the keyspace loop
   * @param port where this server listens
   */
  public Follower(Surroundings server, Dialer dialer, IntSupplier port) {
    this.server = server;
    this.keyspace = server.keyspace;
    this.following = keyspace.following();
    this.stream = keyspace.leading().stream();
    this.failover = keyspace.leading().failover();
    this.dialer =
        new MasterDialer(server.settings, dialer, server.loop, server.worker, server.handshakes);
    this.port = port;
    following.onFollow(this::follow);
  }

  /**
   * Follows the server that the configuration names, if it does, from where an earlier process was:
   * from here on nothing expires, and clients are refused what they may not. Before the first of
   * them, on the thread that starts the server.
   */
  public void begin() {
    CompletableFuture.runAsync(this::beginOnLoop, server.loop).join();
  }

  private void beginOnLoop() {
    Store store = keyspace.engine().store();
    MasterPosition stored = MasterPosition.stored(store);
    following.loading(MasterPosition.isPart(store));
    if (stored != null) {
      stream.relay(stored);
    }
    String configured = server.settings.text(ReplicationParameters.REPLICAOF);
    if (configured.isEmpty()) {
      takeOver(null);
    } else {
      Following.Master master = Following.Master.of(configured);
      followed = name(master);
      stream.follow();
      following.begin(master, stored, System.nanoTime());
    }
  }

  /** What is written from now on is our own. */
  private void takeOver(@Nullable String from) {
    dropPart();
    forgetPosition();
    keyspace.leading().takeOver(from);
  }

  private static String name(Following.Master master) {
    return master.host() + ":" + master.port();
  }

  /** Connects to it, once this server listens. Any thread. */
  public void start() {
    server.loop.execute(this::connect);
  }

  /** A later process is not to take the data for that of a history. */
  private void forgetPosition() {
    lostCommits = keyspace.lostCommits();
    MasterPosition.forget(keyspace.engine().store(), keyspace::write);
  }

  /** Follows nobody any more. Any thread. */
  public void stop() {
    isStopped = true;
    server.loop.execute(this::leave);
  }

  /** Ends what comes from the last one. */
  private void leave() {
    MasterLink its = link;
    link = null;
    // Who does not answer would else be waited for before another one is connected to.
    dialing = null;
    if (its != null) {
      its.end("it is followed no longer");
    }
    if (load != null) {
      load.cancel();
    }
  }

  private void follow(Following.@Nullable Master whom) {
    leave();
    loads.forget();
    lastEnd = "";
    try {
      server.settings.set(ReplicationParameters.REPLICAOF, whom == null ? "" : whom.text());
    } catch (ConfigException checkedBefore) {
      throw new IllegalStateException(checkedBefore);
    }
    String from = followed;
    followed = whom == null ? null : name(whom);
    if (whom == null) {
      takeOver(from);
      LOG.info("follows nobody any more: what clients write is taken");
    } else {
      stream.follow();
      LOG.info("follows {} port {}", whom.host(), whom.port());
      server.clients.forEach(this::unblock);
      connect();
    }
  }

  /** A part of a master's data is nothing to begin with. */
  private void dropPart() {
    if (following.isLoading()) {
      LOG.warn("not all data of the master had come: what had is deleted");
      FullLoad.drop(keyspace, server.clock.getAsLong());
    }
  }

  /**
   * What a client waits for may be the master's to take, or have been another history's. Who is
   * being served takes nothing any more.
   */
  private void unblock(Session session) {
    Wait wait = session.waiting();
    if (wait != null) {
      Consumer<RespEncoder> refusal = reply -> refuse(session, reply);
      if (wait.release(refusal)) {
        session.connection().endWait(wait, refusal);
      }
    }
  }

  private static void refuse(Session session, RespEncoder reply) {
    reply.error(UNBLOCKED);
    session.close();
  }

  /** Called once a second. */
  public void tick() {
    if (isStopped) {
      return;
    }
    if (!following.isOn()) {
      if (keyspace.lostCommits() != lostCommits && !keyspace.longRun().isRunning()) {
        // What is lost may be that it was forgotten.
        forgetPosition();
      }
      return;
    }
    MasterLink current = link;
    if (current == null) {
      if (loads.isNextDue()) {
        connect();
      }
      return;
    }
    long silentNanos = System.nanoTime() - following.heardNanos();
    long silentSecondsMax = server.settings.number(ReplicationParameters.TIMEOUT);
    following.transfer(current.transfer());
    if (current.isAwaited() && silentNanos > TimeUnit.SECONDS.toNanos(silentSecondsMax)) {
      current.end("it was silent for " + silentSecondsMax + " s (repl-timeout)");
    } else if (current.isStreaming() && keyspace.lostCommits() != lostCommits) {
      // Before it is looked at the stream, which ends with what is lost.
      following.forgetPosition();
      current.end("what it has written could not be written here");
    } else if (current.isStreaming() && !stream.isOn()) {
      current.end("there was no memory to hand on what it sends");
    } else {
      current.tell(keyspace);
    }
  }

  // Connecting ------------------------------------------------------------------------------------

  private void connect() {
    Following.Master master = following.master();
    if (master == null || dialing != null || load != null || isStopped || isCarryingOut()) {
      return;
    }
    if (following.attempts() >= ATTEMPTS_MAX) {
      LOG.error(
          "a request of the master could not be carried out {} times in a row: all its data is asked"
              + " for, and replaces what cannot be read here",
          ATTEMPTS_MAX);
      following.forgetPosition();
    }
    following.link(Link.CONNECTING, System.nanoTime());
    Dialed its = new Dialed();
    dialing = its;
    dialer.dial(master, its);
  }

  /** Whether what came by a connection that may be over takes long: how far this is, it tells. */
  private boolean isCarryingOut() {
    Session its = session;
    return its != null && keyspace.longRun().isOf(its);
  }

  /** What comes of one attempt to connect, if it is still wanted. */
  private final class Dialed implements MasterDialer.Receiver {

    /** Whether it is; from here on it is over in any case. */
    private boolean isWantedAtItsEnd() {
      if (dialing != this) {
        return false;
      }
      dialing = null;
      return !isStopped;
    }

    @Override
    public @Nullable MasterLink connected(Channel channel) {
      if (!isWantedAtItsEnd()) {
        return null;
      }
      MasterLink current =
          new MasterLink(
              Follower.this,
              channel,
              new Handshake(
                  introduction(),
                  following.replicationId(),
                  following.offset(),
                  failover.state() == Failover.State.IN_PROGRESS));
      link = current;
      heard();
      return current;
    }

    @Override
    public void failed(String why) {
      if (isWantedAtItsEnd()) {
        notConnected(why);
      }
    }
  }

  private Handshake.Introduction introduction() {
    Settings settings = server.settings;
    int announced = settings.integer(ReplicationParameters.ANNOUNCED_PORT);
    return new Handshake.Introduction(
        settings.text(ReplicationParameters.MASTERUSER),
        settings.text(ReplicationParameters.MASTERAUTH),
        announced == 0 ? port.getAsInt() : announced,
        settings.text(ReplicationParameters.ANNOUNCED_ADDRESS));
  }

  private void notConnected(String why) {
    following.link(Link.CONNECT, System.nanoTime());
    if (!why.equals(lastEnd)) {
      lastEnd = why;
      LOG.warn("the master: {}; it is tried again", why);
    }
  }

  @Override
  public void ended(MasterLink its, String why) {
    if (its == link) {
      link = null;
      notConnected(why);
      if (its.isRefusedForGood()) {
        failover.abort("it was refused: " + why);
      }
    }
  }

  @Override
  public void heard() {
    following.heard(System.nanoTime());
  }

  // What comes ------------------------------------------------------------------------------------

  @Override
  public Session rest(MasterLink its, Handshake shaken) {
    lostCommits = keyspace.lostCommits();
    // The master says which database when that changes, not when a connection begins.
    position(new MasterPosition(shaken.replicationId(), shaken.offset(), following.database()));
    following.link(Link.CONNECTED, System.nanoTime());
    following.transfer(Following.Transfer.NONE);
    lastEnd = "";
    LOG.info("what the master writes is written here too, from offset {} on", shaken.offset());
    its.tell(keyspace);
    failover.succeeded();
    Session client =
        NewClients.follow(its.channel(), server.loop, server.connections, this::stream);
    session = client;
    followed = client.address();
    return client;
  }

  private MasterStream stream(Session client) {
    client.database(following.database());
    return new MasterStream(keyspace, client);
  }

  @Override
  public void everything(MasterLink from, Handshake shaken, DumpFrame frame, DumpPipe dump) {
    LOG.info("all data of the master comes, and replaces what is here");
    following.forgetPosition();
    following.link(Link.SYNC, System.nanoTime());
    lostCommits = keyspace.lostCommits();
    FullLoad its =
        new FullLoad(
            new MasterPosition(shaken.replicationId(), shaken.offset(), 0),
            keyspace,
            server.loop,
            server.published,
            () -> keyspace.lostCommits() == lostCommits,
            server.clock);
    load = its;
    failover.succeeded();
    server.worker.execute(() -> load(its, from, frame, dump));
  }

  /** On a worker. */
  private void load(FullLoad its, MasterLink from, DumpFrame frame, DumpPipe dump) {
    long beganNanos = System.nanoTime();
    try {
      RdbImport.Summary found = its.run(dump, frame.length());
      double seconds = (System.nanoTime() - beganNanos) / 1e9;
      LOG.info(
          "{} keys of the master are here, after {} s{}",
          found.keys(),
          String.format(Locale.ROOT, "%.1f", seconds),
          found.unreadable() == 0 ? "" : "; " + found.unreadable() + " of modules are not");
      server.loop.execute(() -> loaded(its, from));
    } catch (IOException | RuntimeException | OutOfMemoryError failure) {
      server.loop.execute(() -> notLoaded(from, String.valueOf(failure.getMessage())));
    }
  }

  private void loaded(FullLoad its, MasterLink from) {
    if (its.isCancelled() || keyspace.lostCommits() != lostCommits) {
      notLoaded(from, "it was not all written");
      return;
    }
    load = null;
    loads.forget();
    following.loading(false);
    // Also where the connection has ended meanwhile: the next one goes on from here.
    position(its.position());
    from.loaded();
  }

  /** That far is what is here, and what others read here. */
  private void position(MasterPosition its) {
    following.position(its);
    stream.relay(its);
  }

  private void notLoaded(MasterLink from, String why) {
    load = null;
    if (from == link) {
      // Else it was the connection that ended.
      loads.failed();
    }
    from.end("its data could not be loaded: " + why);
  }
}
