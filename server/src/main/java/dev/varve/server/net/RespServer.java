package dev.varve.server.net;

import dev.varve.codec.CounterIds;
import dev.varve.server.command.CommandTable;
import dev.varve.server.command.access.UserLines;
import dev.varve.server.command.admin.AccessCommands;
import dev.varve.server.command.admin.CommandGroups;
import dev.varve.server.command.admin.ConfigCommands;
import dev.varve.server.command.admin.DebugCommand;
import dev.varve.server.command.admin.InfoReport;
import dev.varve.server.command.admin.IntrospectionCommands;
import dev.varve.server.command.admin.MemoryCommands;
import dev.varve.server.command.admin.MigrateCommand;
import dev.varve.server.command.admin.ObservationCommands;
import dev.varve.server.command.admin.Persistence;
import dev.varve.server.command.admin.ServerCommands;
import dev.varve.server.command.admin.UserFile;
import dev.varve.server.command.cluster.ClusterCommands;
import dev.varve.server.command.run.CommandExecutor;
import dev.varve.server.command.run.FirstKeys;
import dev.varve.server.command.run.Keyspace;
import dev.varve.server.command.session.ClientCommands;
import dev.varve.server.command.session.Clients;
import dev.varve.server.command.session.ConnectionCommands;
import dev.varve.server.config.ClusterParameters;
import dev.varve.server.config.Parameters;
import dev.varve.server.config.Settings;
import dev.varve.server.engine.Backups;
import dev.varve.server.engine.Engine;
import dev.varve.server.net.background.BackgroundWorkers;
import dev.varve.server.net.background.ExpirySweeper;
import dev.varve.server.net.background.HeldClock;
import dev.varve.server.net.background.Housekeeper;
import dev.varve.server.net.background.Migrations;
import dev.varve.server.net.commit.GroupCommit;
import dev.varve.server.net.connection.ConnectionContext;
import dev.varve.server.net.connection.LongReplies;
import dev.varve.server.net.connection.ProtectedMode;
import dev.varve.server.net.connection.Traffic;
import dev.varve.server.net.connection.Workers;
import dev.varve.server.net.follow.Follower;
import dev.varve.server.net.lead.Leader;
import dev.varve.server.net.loop.Dialer;
import dev.varve.server.net.loop.LoopVerticle;
import dev.varve.server.net.loop.LoopWatch;
import dev.varve.server.net.loop.ServerLoop;
import dev.varve.server.net.loop.ServerLoops;
import dev.varve.server.net.loop.ServerThreads;
import dev.varve.wal.BackupDirectory;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A server that listens: puts loops, workers, commands and an engine together, starts them, and
 * stops them in the order in which they need each other.
 *
 * <p>Threads are {@link ServerThreads}, what runs on the event loops is {@link ServerLoops}, what
 * needs the engine and nobody's request is {@link BackgroundWorkers}, the sweeper and the
 * housekeeper.
 *
 * <p>Started and stopped by a thread that may block, once.
 */
public final class RespServer {

  private static final long SECOND_MILLIS = 1000;

  private final Settings settings;
  private final Engine engine;
  private final HeldClock clock;
  private final Clients clients = new Clients();
  private final Traffic traffic = new Traffic();
  private final CommandTable table = new CommandTable();
  private final Keyspace keyspace;
  private final CommandExecutors executors;
  private final ServerThreads threads;
  private final ServerLoops loops;
  private final LongReplies longReplies;
  private final Migrations migrations;
  private final Follower follower;
  private final Leader leader;
  private final Listeners listeners;
  private final ExpirySweeper sweeper;
  private final Housekeeper housekeeper;
  private final Status status;
  private final BackgroundWorkers background;

  /** Extra groups, the way to stop, and what INFO names; all have sensible defaults in tests. */
  public record Surroundings(
      Consumer<CommandTable> moreCommands, Runnable shutdown, String configFile, String version) {}

  private RespServer(
      Settings settings, Engine engine, LongSupplier clock, Surroundings surroundings)
      throws IOException {
    this.settings = settings;
    this.engine = engine;
    this.clock = new HeldClock(clock, engine.store().counter(CounterIds.CLOCK_MARK));
    this.keyspace =
        new Keyspace(
            engine,
            settings.integer(Parameters.DATABASES),
            settings.packedLimits(),
            this.clock.getAsLong());
    keyspace.listeners().tracking().sessions(clients::session);
    this.executors = new CommandExecutors(table, keyspace, this.clock);
    SettingsInForce.keep(settings, keyspace, executors);
    this.threads = ServerThreads.start(settings);
    try {
      Executor cold = threads.startColdPool();
      FirstKeys firstKeys = new FirstKeys(table, keyspace);
      this.loops = new ServerLoops(threads, executors::forLoop, cold, firstKeys);
      Executor sync = threads.startWorker("sync");
      Executor save = threads.startWorker("save");
      Executor expiry = threads.startWorker("expiry");
      GroupCommit commit = groupCommit(sync);
      Workers workers =
          new Workers(cold, threads.startAsidePool(), executors::forWorker, firstKeys);
      this.longReplies = longReplies();
      ConnectionContext connections = connections(commit, workers);
      executors.replyRoom(connections::replyRoom);
      this.migrations = migrations(commit, connections);
      Executor handshakes = threads.startHandshakePool();
      this.follower = follower(commit, connections, cold, handshakes);
      this.leader =
          new Leader(
              settings,
              keyspace,
              commit,
              loops.keyspaceLoop()::execute,
              threads::after,
              this.clock);
      this.listeners = new Listeners(settings, connections, loops.all(), handshakes);
      settings.onRiskyChange(listeners::change);
      this.sweeper = sweeper(expiry);
      Executor first = loops.keyspaceLoop()::execute;
      this.housekeeper = new Housekeeper(keyspace, first, expiry, threads::after, this.clock);
      keyspace.listeners().onServeNeeded(() -> first.execute(this::serveBlocked));
      keyspace.listeners().blocked().later(loops.keyspaceLoop()::executeAfterSockets);
      keyspace.longRun().loop(first);
      keyspace.listeners().tracking().afterPass(first);
      keyspace.activity().monitors().afterPass(first);
      this.status = new Status(this, commit, surroundings);
      register(surroundings, new Persistence(engine, backups(), save, this.clock));
      this.background = BackgroundWorkers.start(engine, threads);
      threads.everySecond(() -> everySecond(sync, commit));
    } catch (IOException | RuntimeException failure) {
      threads.abandon();
      throw failure;
    }
  }

  // Its parts ------------------------------------------------------------------------------------

  private GroupCommit groupCommit(Executor sync) {
    ServerLoop loop = loops.keyspaceLoop();
    GroupCommit commit =
        new GroupCommit(
            keyspace,
            loop::execute,
            loop::executeAfterSockets,
            loop::executeWithin,
            sync,
            this::policy,
            System::nanoTime,
            loops.all().size() == 1);
    keyspace.onWrite(commit::wrote);
    keyspace.syncLateness(commit::isSyncLate);
    return commit;
  }

  private @Nullable Backups backups() {
    String path = settings.text(Parameters.BACKUP_DIRECTORY);
    return path.isEmpty()
        ? null
        : new Backups(
            engine,
            new BackupDirectory(path),
            () -> settings.integer(Parameters.BACKUP_KEEP),
            clock);
  }

  private LongReplies longReplies() {
    return new LongReplies(
        executors::forWorker,
        () -> settings.number(Parameters.LONG_REPLY_TIMEOUT) * SECOND_MILLIS,
        engine::waitingReads,
        Runtime.getRuntime().maxMemory());
  }

  private ConnectionContext connections(GroupCommit commit, Workers workers) {
    return new ConnectionContext(
        settings,
        clients,
        keyspace,
        loops.keyspaceLoop(),
        commit,
        workers,
        longReplies,
        traffic,
        clock);
  }

  private Migrations migrations(GroupCommit commit, ConnectionContext connections)
      throws IOException {
    List<LoopVerticle> verticles = threads.loops();
    return new Migrations(
        threads.vertx(),
        verticles.get(verticles.size() - 1).context(),
        keyspace,
        loops.keyspaceLoop()::execute,
        commit::afterPublication,
        connections::awaitUnpaused,
        threads.startWorker("migrate"),
        clock);
  }

  private Follower follower(
      GroupCommit commit, ConnectionContext connections, Executor worker, Executor handshakes) {
    return new Follower(
        new Follower.Surroundings(
            settings,
            clients,
            keyspace,
            connections,
            loops.keyspaceLoop(),
            commit::afterPublication,
            worker,
            handshakes,
            clock),
        new Dialer(threads.vertx(), threads.loops().get(0).context()),
        this::port);
  }

  private ExpirySweeper sweeper(Executor expiry) {
    ServerLoop loop = loops.keyspaceLoop();
    ExpirySweeper its =
        new ExpirySweeper(
            keyspace,
            loop::execute,
            expiry,
            loop::executeAfterSockets,
            threads::after,
            clock,
            System::nanoTime);
    keyspace.onExpiredMet(its::met);
    return its;
  }

  private void register(Surroundings surroundings, Persistence persistence) throws IOException {
    CommandGroups.register(table, keyspace);
    ConnectionCommands.register(table, keyspace);
    if (settings.number(ClusterParameters.ENABLED) == 1) {
      keyspace.following().inCluster();
    }
    ClusterCommands.register(table, settings, keyspace, status::port);
    UserFile userFile = new UserFile(settings);
    AccessCommands.register(table, keyspace, clients, userFile);
    ClientCommands.register(table, clients, keyspace, clock);
    InfoReport info = new InfoReport(status, settings, clients, persistence, keyspace, clock);
    ServerCommands.register(table, info, persistence, keyspace, surroundings.shutdown());
    DebugCommand.register(
        table,
        () -> settings.text(Parameters.ENABLE_DEBUG_COMMAND),
        keyspace,
        clock,
        isActive -> sweeper.idle(!isActive));
    ObservationCommands.register(table, keyspace.activity(), status);
    MemoryCommands.register(table, status);
    MigrateCommand.register(table, keyspace, migrations::begin);
    ConfigCommands.register(
        table,
        settings,
        surroundings.configFile(),
        () ->
            userFile.isNamed()
                ? List.of()
                : UserLines.words(keyspace.users(), settings.text(Parameters.REQUIREPASS)),
        status::reset);
    IntrospectionCommands.register(table);
    surroundings.moreCommands().accept(table);
    UsersInForce.keep(settings, keyspace, table, userFile);
  }

  /** What a command that takes long has read must not change before it is over; its end serves. */
  private void serveBlocked() {
    if (!keyspace.longRun().isRunning()) {
      keyspace.listeners().blocked().serve(() -> {});
    }
  }

  private GroupCommit.Policy policy() {
    return switch (settings.text(Parameters.APPENDFSYNC)) {
      case "always" -> GroupCommit.Policy.ALWAYS;
      case "no" -> GroupCommit.Policy.NO;
      default -> GroupCommit.Policy.EVERYSEC;
    };
  }

  private void everySecond(Executor sync, GroupCommit commit) {
    sync.execute(commit::syncIfNeeded);
    status.sample();
    loops.keyspaceLoop().execute(keyspace.listeners().tracking()::trim);
    loops.keyspaceLoop().execute(follower::tick);
    loops.keyspaceLoop().execute(leader::tick);
    closeIdle();
  }

  private void closeIdle() {
    long timeoutMillis = settings.number(Parameters.TIMEOUT) * SECOND_MILLIS;
    if (timeoutMillis > 0) {
      clients.closeIdleSince(clock.getAsLong() - timeoutMillis, keyspace.activity().monitors());
    }
  }

  /** The port that it listens on, 0 if that is the one for TLS alone. Any thread. */
  public int port() {
    return listeners.port();
  }

  /** The port that it listens on for TLS, 0 if there is none. Any thread. */
  public int tlsPort() {
    return listeners.tlsPort();
  }

  /** The file of the Unix socket by which it is reached too, or null. Any thread. */
  public @Nullable String unixSocket() {
    return listeners.unixSocket();
  }

  /** For tests that say what each command promises. */
  CommandTable table() {
    return table;
  }

  LongSupplier clock() {
    return clock;
  }

  List<CommandExecutor> executors() {
    return executors.all();
  }

  boolean haveLoopsRings() {
    return loops.haveRings();
  }

  long blocksReadByLoops() {
    return loops.blocksRead();
  }

  long keyspaceLoopThreadId() {
    return loops.keyspaceLoop().threadId();
  }

  LoopWatch loopWatch() {
    return threads.watch();
  }

  Clients clients() {
    return clients;
  }

  Traffic traffic() {
    return traffic;
  }

  /** What commands run on; for tests. */
  public Keyspace keyspace() {
    return keyspace;
  }

  Engine engine() {
    return engine;
  }

  // Start and stop -------------------------------------------------------------------------------

  /**
   * Whether a server could listen, before there is one and its data.
   *
   * @throws IOException saying where and why it could not
   */
  public static void requireAddresses(Settings settings) throws IOException {
    Listeners.require(settings);
  }

  /** Whether clients of other machines could come, and are not let in. */
  public boolean areOthersDenied() {
    return ProtectedMode.isFelt(settings, keyspace.users().byDefault().needsNoPassword());
  }

  /**
   * Starts a server on {@code engine}, which is its own from then on if that succeeds.
   *
   * @param clock ms since 1970
   * @throws IOException when it cannot listen, saying where and why
   */
  public static RespServer start(
      Settings settings, Engine engine, LongSupplier clock, Surroundings surroundings)
      throws IOException {
    RespServer server = new RespServer(settings, engine, clock, surroundings);
    server.follower.begin();
    try {
      server.listeners.start();
    } catch (IOException failure) {
      server.threads.abandon();
      throw failure;
    }
    server.sweeper.start();
    server.housekeeper.start();
    server.follower.start();
    return server;
  }

  /**
   * Takes no more connections, closes those there are, ends all work, and closes the engine, so
   * that everything acknowledged is synced. Once.
   *
   * @throws IOException when the engine could not be closed cleanly
   */
  public void stop() throws IOException {
    follower.stop();
    leader.awaitFollowed();
    housekeeper.awaitWritten();
    endEarly();
    threads.stopListening();
    listeners.remove();
    loops.awaitKeyspaceLoop();
    loops.stopReads();
    migrations.stop();
    background.stop();
    boolean isReadByNone = longReplies.stop() && leader.awaitStopped();
    engine.endLending();
    threads.close();
    if (!isReadByNone) {
      throw new IOException("a long reply is still being made");
    }
    leader.storePosition();
    engine.close();
  }

  /** What would go on by itself does not begin anew, and what takes long is cut short. */
  private void endEarly() {
    leader.stop();
    sweeper.stop();
    housekeeper.stop();
    keyspace.dropScripts();
    engine.endBackgroundWork();
  }
}
