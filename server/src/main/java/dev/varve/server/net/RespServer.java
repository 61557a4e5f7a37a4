package dev.varve.server.net;

import dev.varve.codec.Counters;
import dev.varve.server.command.Activity;
import dev.varve.server.command.Clients;
import dev.varve.server.command.CommandExecutor;
import dev.varve.server.command.CommandTable;
import dev.varve.server.command.KeyWarmer;
import dev.varve.server.command.Keyspace;
import dev.varve.server.command.Role;
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
import dev.varve.server.command.session.ClientCommands;
import dev.varve.server.command.session.ConnectionCommands;
import dev.varve.server.config.Parameters;
import dev.varve.server.config.Settings;
import dev.varve.server.engine.BackgroundWork;
import dev.varve.server.engine.Engine;
import dev.varve.server.resp.RespEncoder;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.ThreadingModel;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.transport.Transport;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * A server that listens: puts loops, workers, commands and an engine together.
 *
 * <p>Started and stopped by a thread that may block, once.
 */
public final class RespServer {

  /** Threads for requests that wait for the disk: so many reads it is asked for at a time. */
  private static final int COLD_THREADS = 32;

  private static final long SECOND_MILLIS = 1000;

  private final Settings settings;
  private final Engine engine;
  private final HeldClock clock;
  private final Vertx vertx;
  private final LoopWatch loopWatch;
  private final Clients clients = new Clients();
  private final Traffic traffic = new Traffic();
  private final CommandTable table = new CommandTable();
  private final Keyspace keyspace;
  private final List<LoopVerticle> verticles = new ArrayList<>();
  private final List<RingReads> rings = new ArrayList<>();
  private final Map<BackgroundWork, BackgroundWorker> background = new HashMap<>();
  private final List<CommandExecutor> executors = new CopyOnWriteArrayList<>();
  private final Status status;
  private final ConnectionContext connections;
  private final ServerLoop keyspaceLoop;
  private final Listeners listeners;
  private final Streams streams;
  private final Migrations migrations;
  private final ExpirySweeper sweeper;
  private final Housekeeper housekeeper;

  /** The loops, each with what runs its commands; the first one has the keyspace. */
  private Map<LoopVerticle, ServerLoop> loops(Executor pool, KeyWarmer warmer) throws IOException {
    Map<LoopVerticle, ServerLoop> loops = new LinkedHashMap<>();
    for (LoopVerticle verticle : verticles) {
      Role role = loops.isEmpty() ? Role.WRITER : Role.READER;
      WatchedLoop loop = loopWatch.watch(verticle.context());
      RingReads ring = RingReads.of(loop, pool);
      ColdLoads coldLoads = null;
      if (ring != null) {
        rings.add(ring);
        coldLoads = new ColdLoads(ring, warmer);
        loop.eventLoop().execute(coldLoads::rehearse);
      }
      loops.put(verticle, new ServerLoop(loop, executor(role, new RespEncoder()), coldLoads));
    }
    return loops;
  }

  /** Extra groups, the way to stop, and what INFO names; all have sensible defaults in tests. */
  public record Surroundings(
      Consumer<CommandTable> moreCommands, Runnable shutdown, String configFile, String version) {}

  private RespServer(
      Settings settings, Engine engine, LongSupplier clock, Surroundings surroundings)
      throws IOException {
    this.settings = settings;
    this.engine = engine;
    this.clock = new HeldClock(clock, engine.store().counter(Counters.CLOCK_MARK));
    this.keyspace =
        new Keyspace(
            engine,
            settings.integer(Parameters.DATABASES),
            settings.packedLimits(),
            this.clock.getAsLong());
    keyspace.tracking().sessions(clients::session);
    settings.onChange(this::applySettings);
    applySettings();
    int loops = settings.integer(Parameters.IO_THREADS);
    int limitMillis = settings.integer(Parameters.EVENT_LOOP_BLOCKED_MILLIS);
    Transport transport = SocketTransport.named(settings.text(Parameters.IO_TRANSPORT));
    this.vertx =
        Vertx.builder()
            .with(LoopWatch.limit(options(loops), limitMillis))
            .withTransport(transport)
            .build();
    this.loopWatch = LoopWatch.of((VertxInternal) vertx, limitMillis);
    try {
      for (int i = 0; i < loops; i++) {
        LoopVerticle verticle = new LoopVerticle();
        Listeners.await(vertx.deployVerticle(verticle, new DeploymentOptions()));
        verticles.add(verticle);
      }
      WorkerExecutor cold = vertx.createSharedWorkerExecutor("varve-cold", COLD_THREADS);
      Executor pool =
          task ->
              cold.executeBlocking(
                  () -> {
                    task.run();
                    return true;
                  },
                  false);
      KeyWarmer warmer = new KeyWarmer(table, keyspace);
      Map<LoopVerticle, ServerLoop> serverLoops = loops(pool, warmer);
      Worker sync = worker("sync");
      Worker save = worker("save");
      Worker expiry = worker("expiry");
      this.keyspaceLoop = Objects.requireNonNull(serverLoops.get(verticles.get(0)));
      Executor first = keyspaceLoop::execute;
      GroupCommit commit =
          new GroupCommit(
              keyspace,
              first,
              keyspaceLoop::executeAfterSockets,
              keyspaceLoop::executeWithin,
              sync,
              this::policy,
              System::nanoTime);
      keyspace.onWrite(commit::wrote);
      keyspace.onServeNeeded(() -> first.execute(this::serveBlocked));
      keyspace.longScript().loop(first);
      Workers workers = new Workers(pool, reply -> executor(Role.WORKER, reply), warmer);
      this.streams =
          new Streams(
              reply -> executor(Role.WORKER, reply),
              () -> settings.number(Parameters.LONG_REPLY_TIMEOUT) * SECOND_MILLIS,
              Runtime.getRuntime().maxMemory());
      this.connections =
          new ConnectionContext(
              settings,
              clients,
              keyspace,
              keyspaceLoop,
              commit,
              workers,
              streams,
              traffic,
              this.clock);
      this.migrations =
          new Migrations(
              vertx,
              verticles.get(loops - 1).context(),
              keyspaceLoop,
              connections,
              worker("migrate"),
              this.clock);
      this.listeners = new Listeners(settings, connections, serverLoops);
      settings.onPortChange(listeners::moveTo);
      this.sweeper =
          new ExpirySweeper(
              keyspace,
              first,
              expiry,
              keyspaceLoop::executeAfterSockets,
              this::after,
              this.clock,
              System::nanoTime);
      keyspace.onExpiredMet(sweeper::met);
      this.housekeeper = new Housekeeper(keyspace, first, expiry, this::after, this.clock);
      this.status = new Status(this, surroundings);
      Persistence persistence = new Persistence(engine, save, this.clock);
      register(surroundings, persistence);
      startBackgroundWork();
      vertx.setPeriodic(
          SECOND_MILLIS,
          timer -> {
            sync.execute(commit::syncIfNeeded);
            status.sample();
            keyspaceLoop.execute(keyspace.tracking()::trim);
            closeIdle();
          });
    } catch (IOException | RuntimeException failure) {
      loopWatch.close();
      vertx.close();
      throw failure;
    }
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
    try {
      server.listeners.start();
    } catch (IOException failure) {
      server.loopWatch.close();
      server.vertx.close();
      throw failure;
    }
    server.sweeper.start();
    server.housekeeper.start();
    return server;
  }

  private void applySettings() {
    keyspace.packedLimits(settings.packedLimits());
    keyspace.notifications().choose(settings.text(Parameters.NOTIFY_KEYSPACE_EVENTS));
    keyspace.tracking().keysMax(settings.number(Parameters.TRACKING_TABLE_MAX_KEYS));
    keyspace.longScript().thresholdMillis(settings.number(Parameters.BUSY_REPLY_THRESHOLD));
    keyspace.shortage().is(settings.isMemoryShort(), settings.areReplicasWanted());
    Activity activity = keyspace.activity();
    activity
        .slowLog()
        .limits(
            settings.number(Parameters.SLOWLOG_LOG_SLOWER_THAN),
            settings.number(Parameters.SLOWLOG_MAX_LEN));
    activity.accessLog().entriesMax(settings.number(Parameters.ACLLOG_MAX_LEN));
    activity.latencyEvents().threshold(settings.number(Parameters.LATENCY_MONITOR_THRESHOLD));
    boolean timesCalls = settings.number(Parameters.LATENCY_TRACKING) == 1;
    executors.forEach(executor -> executor.statistics().timesCalls(timesCalls));
  }

  /** What a script has read must not change before it is over; its end serves too. */
  private void serveBlocked() {
    if (!keyspace.longScript().isRunning()) {
      keyspace.blocked().serve(() -> {});
    }
  }

  private static VertxOptions options(int loops) {
    return new VertxOptions()
        .setEventLoopPoolSize(loops)
        // Flush and compaction run for as long as they run; that is no reason for a warning.
        .setMaxWorkerExecuteTime(1)
        .setMaxWorkerExecuteTimeUnit(TimeUnit.DAYS)
        .setFileSystemOptions(
            new FileSystemOptions()
                .setFileCachingEnabled(false)
                .setClassPathResolvingEnabled(false));
  }

  private void register(Surroundings surroundings, Persistence persistence) {
    CommandGroups.register(table);
    ConnectionCommands.register(
        table, () -> settings.text(Parameters.REQUIREPASS), keyspace::databaseCount);
    AccessCommands.register(table, () -> settings.text(Parameters.REQUIREPASS));
    ClientCommands.register(table, clients, keyspace.activity(), clock);
    InfoReport info = new InfoReport(status, settings, clients, persistence, keyspace, clock);
    ServerCommands.register(table, info, persistence, surroundings.shutdown());
    DebugCommand.register(
        table,
        () -> settings.text(Parameters.ENABLE_DEBUG_COMMAND),
        keyspace,
        clock,
        isActive -> sweeper.idle(!isActive));
    ObservationCommands.register(table, keyspace.activity(), status);
    MemoryCommands.register(table, status);
    MigrateCommand.register(table, migrations::begin);
    ConfigCommands.register(table, settings, surroundings.configFile(), status::reset);
    IntrospectionCommands.register(table);
    surroundings.moreCommands().accept(table);
  }

  private CommandExecutor executor(Role role, RespEncoder reply) {
    CommandExecutor executor = new CommandExecutor(role, table, keyspace, reply, clock);
    executors.add(executor);
    return executor;
  }

  private Worker worker(String name) throws IOException {
    Worker worker = new Worker();
    Listeners.await(
        vertx.deployVerticle(
            worker,
            new DeploymentOptions()
                .setThreadingModel(ThreadingModel.WORKER)
                .setWorkerPoolName("varve-" + name)
                .setWorkerPoolSize(1)));
    return worker;
  }

  private void startBackgroundWork() throws IOException {
    for (BackgroundWork work : engine.backgroundWork()) {
      background.put(work, new BackgroundWorker(work, worker(work.name()), this::after));
    }
    engine.onBackgroundWork(
        work -> {
          BackgroundWorker worker = background.get(work);
          if (worker != null) {
            worker.wake();
          }
        });
    background.values().forEach(BackgroundWorker::wake);
  }

  private void after(long delayMillis, Runnable task) {
    vertx.setTimer(delayMillis, timer -> task.run());
  }

  private GroupCommit.Policy policy() {
    return switch (settings.text(Parameters.APPENDFSYNC)) {
      case "always" -> GroupCommit.Policy.ALWAYS;
      case "no" -> GroupCommit.Policy.NO;
      default -> GroupCommit.Policy.EVERYSEC;
    };
  }

  private void closeIdle() {
    long timeoutMillis = settings.number(Parameters.TIMEOUT) * 1000;
    if (timeoutMillis > 0) {
      clients.closeIdleSince(clock.getAsLong() - timeoutMillis);
    }
  }

  /** The port that it listens on. Any thread. */
  public int port() {
    return listeners.port();
  }

  public CommandTable table() {
    return table;
  }

  Settings settings() {
    return settings;
  }

  LongSupplier clock() {
    return clock;
  }

  List<CommandExecutor> executors() {
    return executors;
  }

  long blocksReadByLoops() {
    return rings.stream().mapToLong(RingReads::loaded).sum();
  }

  LoopWatch loopWatch() {
    return loopWatch;
  }

  Clients clients() {
    return clients;
  }

  Traffic traffic() {
    return traffic;
  }

  Keyspace keyspace() {
    return keyspace;
  }

  Engine engine() {
    return engine;
  }

  /**
   * Takes no more connections, closes those there are, ends all work, and closes the engine, so
   * that everything acknowledged is synced. Once.
   *
   * @throws IOException when the engine could not be closed cleanly
   */
  public void stop() throws IOException {
    sweeper.stop();
    housekeeper.stop();
    keyspace.dropScripts();
    engine.endBackgroundWork();
    for (LoopVerticle verticle : verticles) {
      Listeners.await(verticle.stopListening());
    }
    // What the keyspace loop has under way ends before the engine is closed.
    Listeners.await(
        Future.future(
            promise -> keyspaceLoop.execute(() -> keyspaceLoop.execute(promise::complete))));
    for (RingReads ring : rings) {
      Listeners.await(ring.stop());
    }
    migrations.stop();
    for (BackgroundWorker worker : background.values()) {
      Listeners.await(worker.stop());
    }
    boolean isReadByNone = streams.stop();
    Listeners.await(vertx.close());
    loopWatch.close();
    if (!isReadByNone) {
      throw new IOException("a long reply is still being made");
    }
    engine.close();
  }
}
