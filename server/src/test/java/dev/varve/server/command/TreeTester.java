package dev.varve.server.command;

import static java.util.Objects.requireNonNull;

import dev.varve.codec.Databases;
import dev.varve.codec.DueDeletion;
import dev.varve.codec.DueKeys;
import dev.varve.codec.ExpirySweep;
import dev.varve.codec.Garbage;
import dev.varve.codec.GarbageRecord;
import dev.varve.codec.KeysWrittenSince;
import dev.varve.codec.KeyspaceCheck;
import dev.varve.codec.PackedLimits;
import dev.varve.codec.store.StoreView;
import dev.varve.compaction.WorkTime;
import dev.varve.lsm.TreeOptions;
import dev.varve.server.command.admin.CommandGroups;
import dev.varve.server.command.listen.ChangeListeners;
import dev.varve.server.command.run.CommandExecutor;
import dev.varve.server.command.run.FrozenRandom;
import dev.varve.server.command.run.Keyspace;
import dev.varve.server.command.run.LongRun;
import dev.varve.server.command.run.Outcome;
import dev.varve.server.command.run.Role;
import dev.varve.server.command.run.WorkerStore;
import dev.varve.server.command.session.ConnectionCommands;
import dev.varve.server.engine.BackgroundWork;
import dev.varve.server.engine.Engine;
import dev.varve.server.engine.TreeEngine;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.ReplyCutShortException;
import dev.varve.server.resp.ReplySink;
import dev.varve.server.resp.RespEncoder;
import dev.varve.wal.OffHeap;
import dev.varve.wal.RealStorageDirectory;
import dev.varve.wal.StorageDirectory;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A whole server without sockets on the tree, one step at a time: commands on any of its executors,
 * and everything that goes on beside them when the test says so.
 *
 * <p>Single-threaded: nothing happens between the calls, so that a seed tells the whole run.
 */
public final class TreeTester implements Closeable {
  public static final int DATABASES = 4;

  private static final int SWEEP_KEYS_MAX = 100;
  private static final int RUNS_MAX = 20;

  /** Of a pass that others have joined, on average. */
  private static final int PASS_REQUESTS = 8;

  private static final long NANOS_PER_COMMAND = 2_000_000;

  /** Sizes that change where things lie and no reply. */
  public record Sizes(
      long memtableBytesMax, int blockBytes, long flushedTableBytes, long blockCacheBytesMax) {

    /** As options of a tree, which may be added to. */
    public TreeOptions.Builder options() {
      return TreeOptions.builder()
          .memtableBytesMax(memtableBytesMax)
          .blockBytes(blockBytes)
          .flushedTableBytes(flushedTableBytes)
          .blockCacheBytesMax(blockCacheBytesMax);
    }
  }

  private final OffHeap offHeap = new OffHeap();
  private final CommandTable table = new CommandTable();
  private final TreeEngine engine;
  private final Keyspace keyspace;
  private final Map<Role, CommandExecutor> executors = new EnumMap<>(Role.class);
  private long clients;
  private int longRuns;
  private int appliedBeside;
  private int coldLongRuns;
  private long nanos;
  private boolean hasWritten;

  /** What was run last. */
  private Args before = Args.of("GET", "none");

  /** When it is, in ms since 1970. */
  public long nowMillis;

  /** What decides where a pass ends; null if each request is one. */
  private @Nullable SplittableRandom passes;

  /** What decides which requests are taken for long ones; null if none are. */
  private @Nullable SplittableRandom someLong;

  /** How far the clock goes on with each look of a command. */
  public long millisPerLook;

  /** How often T.ACT has run, which must not run twice. */
  public int acts;

  public TreeTester(
      StorageDirectory directory, Sizes sizes, PackedLimits packedLimits, long nowMillis)
      throws IOException {
    this(directory, sizes.options(), packedLimits, nowMillis);
  }

  /** One with so much room that nothing goes to the disk by itself. */
  public static TreeTester roomy(Path directory) throws IOException {
    return new TreeTester(
        RealStorageDirectory.open(directory),
        new Sizes(64 << 20, 16 << 10, 2 << 20, 64 << 20),
        PackedLimits.DEFAULT,
        1_700_000_000_000L);
  }

  /** With options that say more than sizes. */
  public TreeTester(
      StorageDirectory directory,
      TreeOptions.Builder options,
      PackedLimits packedLimits,
      long nowMillis)
      throws IOException {
    this.nowMillis = nowMillis;
    engine =
        TreeEngine.open(
            directory,
            options.salts(new SplittableRandom(nowMillis)),
            offHeap,
            DATABASES,
            () -> this.nowMillis,
            WorkTime.alone(() -> nanos, pause -> nanos += pause));
    keyspace = new Keyspace(engine, DATABASES, packedLimits, nowMillis);
    keyspace.onWrite(() -> hasWritten = true);
    CommandGroups.register(table, keyspace);
    ConnectionCommands.register(table, keyspace);
    table.add(
        CommandGroup.SERVER,
        Command.named("t.nanos")
            .arity(1)
            .does((context, args) -> context.reply().integer(context.wallTime().getNano())),
        Command.named("t.act")
            .arity(1)
            .flags(CommandFlag.ADMIN)
            .does(
                (context, args) -> {
                  acts++;
                  context.reply().ok();
                }));
    for (Role role : Role.values()) {
      executors.put(
          role,
          new CommandExecutor(
              role, table, keyspace, new RespEncoder(), this::look, () -> Long.MAX_VALUE));
    }
  }

  private long look() {
    long now = nowMillis;
    nowMillis += millisPerLook;
    return now;
  }

  /** A new client. */
  public Session session() {
    return new Session(++clients, "127.0.0.1:1", "127.0.0.1:6379", nowMillis, true);
  }

  /** From now on several requests may share a pass, and so a commit, as pipelined ones do. */
  public void joinPasses(SplittableRandom random) {
    passes = random;
  }

  /**
   * The reply to a request, in ISO 8859-1, once it is committed and published, unless passes are
   * {@linkplain #joinPasses joined}.
   *
   * @param first READER if it came in on another loop than the keyspace loop, else WRITER
   * @param seed of what it chooses at random
   */
  public String run(Session client, Args args, Role first, long seed) throws IOException {
    nanos += NANOS_PER_COMMAND;
    upkeep();
    chooseWhoIsLong();
    client.nextRun().seed(seed | 1);
    if (first != Role.WRITER) {
      // The client's turn is back on its own loop only when its replies have left.
      commit();
    }
    Role role = first;
    boolean hasWaited = false;
    for (int runs = 0; ; runs++) {
      if (runs > RUNS_MAX) {
        throw new AssertionError(args.text(0) + " runs again and again");
      }
      CommandExecutor executor = executor(role);
      executor.reply().clear(0);
      // As if it came in a pipeline among its like.
      executor.lookAhead(client, List.of(before, args, args, args));
      Outcome outcome = executor.execute(client, args, hasWaited);
      StoreView warm = role == Role.WORKER ? executor.takeBroughtView() : null;
      if (warm != null) {
        engine.useBrought(warm);
        outcome = executor(Role.WRITER).execute(client, args, true);
        engine.useBrought(null);
        role = Role.WRITER;
      }
      String longReply = outcome == Outcome.LONG ? runLong(client, args, warm) : null;
      if (warm != null) {
        warm.close();
      }
      if (longReply != null) {
        return longReply;
      }
      switch (outcome) {
        case DONE -> {
          before = args;
          String reply = text(executor(role).reply());
          executor(role).reply().clear(0);
          if (passes == null || passes.nextInt(PASS_REQUESTS) == 0) {
            commit();
          }
          return reply;
        }
        case TO_KEYSPACE -> role = Role.WRITER;
        case TO_WORKER, COLD -> {
          commit();
          role = Role.WORKER;
        }
        case TO_STREAM -> {
          commit();
          return String.join("", stream(client, args));
        }
        case AGAIN -> {
          // Something was done.
          runs = 0;
          commit();
        }
        case DELAYED -> {
          hasWaited = true;
          commit();
          relieve();
        }
        // It lacked what was not in memory.
        case LONG -> role = Role.WORKER;
        case TRIED, PAUSED, BLOCKED, BEHIND_LONG, BEHIND_WAITER ->
            throw new AssertionError("ended as " + outcome);
      }
    }
  }

  /** What is published of keys, as notify-keyspace-events says it. */
  public void publishEvents(String letters) {
    keyspace.listeners().notifications().choose(letters);
  }

  /**
   * Of so many requests one leaves its thread after a few steps if it reads, another if it writes.
   */
  private static final int REQUESTS_PER_LONG_ONE = 4;

  /**
   * From now on some reads and some writes leave the thread they are on after a few steps, as if
   * they took long.
   */
  public void someAreLong(SplittableRandom random) {
    someLong = random;
  }

  private void chooseWhoIsLong() {
    SplittableRandom random = someLong;
    if (random == null) {
      return;
    }
    if (random.nextInt(REQUESTS_PER_LONG_ONE) == 0) {
      keyspace.longReads().leaveAfterSteps(random.nextInt(1 << random.nextInt(8)));
    } else {
      keyspace.longReads().thresholdMillis(0);
    }
    if (random.nextInt(REQUESTS_PER_LONG_ONE) == 0) {
      keyspace.longRun().writesLeaveAfterSteps(random.nextInt(1 << random.nextInt(8)));
    } else {
      keyspace.longRun().thresholds(0, 0);
    }
  }

  /** Scripts leave the keyspace loop after a millisecond from now on. */
  public void scriptsAreLongAfterAMillisecond() {
    keyspace.longRun().thresholds(1, 0);
  }

  /** Reads leave the thread they are on at the first look at how long they take, from now on. */
  public void readsAreLong() {
    keyspace.longReads().leaveAtFirstLook();
  }

  /** Writes leave the keyspace loop at the first look at how long they take, from now on. */
  public void writesAreLong() {
    keyspace.longRun().writesLeaveAtFirstLook();
  }

  /** Writes leave it when they have held it for so long. */
  public void writesAreLongAfter(long millis) {
    keyspace.longRun().thresholds(0, millis);
  }

  /** How many reads have. */
  public long longReads() {
    return keyspace.longReads().count();
  }

  /** The command that {@code request} names. */
  public Command find(Args request) {
    return requireNonNull(table.find(request, 0));
  }

  /** Who is told of changes. */
  public ChangeListeners listeners() {
    return keyspace.listeners();
  }

  /** How many scripts and other writes have left the keyspace loop for good. */
  public int longRuns() {
    return longRuns;
  }

  /** How many have come back for what was not in memory. */
  public int coldLongRuns() {
    return coldLongRuns;
  }

  /** How many were applied beside it too. */
  public int appliedBeside() {
    return appliedBeside;
  }

  /** What comes of it with the right to write; null if it lacks what is not in memory. */
  private @Nullable String runLong(Session client, Args args, @Nullable StoreView warm)
      throws IOException {
    try {
      commit();
    } catch (IOException failure) {
      // As GroupCommit: who waited for it goes on.
      engine.doubtUnpublished();
    }
    engine.lend(warm);
    CommandExecutor worker = executor(Role.WORKER);
    LongRun.Lease lease = Objects.requireNonNull(keyspace.longRun().lease());
    LongRun.Finished finished = worker.longRuns().run(client, args, lease);
    if (finished == null) {
      Objects.requireNonNull(worker.takeBroughtView()).close();
      worker.reply().clear(0);
      executor(Role.WRITER).longRuns().giveBack();
      coldLongRuns++;
      return null;
    }
    longRuns++;
    byte[] reply = worker.reply().toByteArray();
    worker.reply().clear(0);
    CommandExecutor writer = executor(Role.WRITER);
    writer.reply().clear(0);
    StoreView view = worker.takeBroughtView();
    Runnable beside = writer.longRuns().beside(finished);
    if (beside != null) {
      appliedBeside++;
      run(beside);
    }
    writer.longRuns().finish(client, finished, reply, reply.length);
    if (view != null) {
      view.close();
    }
    String text = text(writer.reply());
    writer.reply().clear(0);
    SplittableRandom random = someLong;
    if (random == null || random.nextBoolean()) {
      // Else what runs next meets what readers do not see yet.
      commit();
    }
    return text;
  }

  private static void run(Runnable beside) {
    Thread thread = new Thread(beside);
    thread.start();
    try {
      thread.join();
    } catch (InterruptedException ended) {
      throw new AssertionError(ended);
    }
  }

  /** The pieces in which the reply to a request leaves that is made where replies are long. */
  public List<String> stream(Session client, Args args) {
    List<String> pieces = new ArrayList<>();
    Outcome outcome = stream(client, args, pieces::add);
    if (outcome != Outcome.DONE) {
      throw new AssertionError("ended as " + outcome);
    }
    return pieces;
  }

  /** The same, where each piece is handed to {@code target}, which may throw. */
  public Outcome stream(Session client, Args args, Consumer<String> target) {
    ReplySink sink =
        new ReplySink() {
          @Override
          public void piece(byte[] bytes, int from, int to) {
            target.accept(new String(bytes, from, to - from, StandardCharsets.ISO_8859_1));
          }

          @Override
          public void check() {}
        };
    return executor(Role.WORKER).stream(client, args, sink);
  }

  /** The same for a client that has gone. */
  public Outcome streamToNobody(Session client, Args args) {
    ReplySink sink =
        new ReplySink() {
          @Override
          public void piece(byte[] bytes, int from, int to) {
            check();
          }

          @Override
          public void check() {
            throw new ReplyCutShortException("the client is gone");
          }
        };
    return executor(Role.WORKER).stream(client, args, sink);
  }

  /** What comes of a request where it is run once, and what that leaves among the replies. */
  public Attempt attempt(Session client, Args args, Role role) {
    CommandExecutor executor = executor(role);
    executor.reply().clear(0);
    return new Attempt(executor.execute(client, args, false), executor.reply().length());
  }

  public record Attempt(Outcome outcome, int replyBytes) {}

  private CommandExecutor executor(Role role) {
    CommandExecutor executor = executors.get(role);
    if (executor == null) {
      throw new IllegalStateException("no executor for " + role);
    }
    return executor;
  }

  private static String text(RespEncoder reply) {
    return new String(reply.toByteArray(), StandardCharsets.ISO_8859_1);
  }

  /** As at the end of a pass of the keyspace loop. */
  public void commit() throws IOException {
    if (hasWritten) {
      hasWritten = false;
      keyspace.publish(keyspace.commit(true));
    }
  }

  /** What the server does ten times a second. */
  public void upkeep() throws IOException {
    boolean wasWritten = hasWritten;
    keyspace.upkeep();
    if (hasWritten && !wasWritten) {
      commit();
    }
  }

  private void relieve() throws IOException {
    for (int i = 0; engine.writeDelayMillis() == Engine.WRITES_STOPPED; i++) {
      if (i > 10_000) {
        throw new AssertionError("writes stay stopped: " + engine.statistics());
      }
      engine.upkeep();
      work();
    }
  }

  /** One piece of each kind of background work; whether any had something to do. */
  public boolean work() throws IOException {
    boolean worked = false;
    for (BackgroundWork work : engine.backgroundWork()) {
      worked |= work.runOnce();
    }
    return worked;
  }

  /** Puts everything into tables. */
  public void flush() throws IOException {
    engine.tree().flush();
  }

  /** Everything so far survives power loss. */
  public void sync() throws IOException {
    engine.sync();
  }

  /** Deletes all keys that have expired, as the sweeper does within a tenth of a second. */
  public void sweep() throws IOException {
    // It is not told of what is written meanwhile, as the sweeper is.
    commit();
    byte[] from = DueKeys.from(ExpirySweep.FROM_START);
    while (from != null) {
      try (StoreView view = engine.blockingView()) {
        DueKeys due = ExpirySweep.look(view, keyspace.databases(), from, nowMillis, SWEEP_KEYS_MAX);
        DueDeletion deletion =
            due.deletion(0, due.size(), new KeysWrittenSince(), keyspace.databases());
        keyspace.delete(deletion, nowMillis);
        from = due.more();
      }
      commit();
    }
  }

  /** Deletes the garbage records that have done their work. */
  public void retire() throws IOException {
    List<GarbageRecord> retirable = engine.takeRetirableGarbage();
    if (!retirable.isEmpty()) {
      try (StoreView view = engine.blockingView()) {
        runWarm(view, transaction -> retirable.forEach(its -> Garbage.retire(transaction, its)));
      }
      commit();
    }
  }

  private void runWarm(StoreView view, Consumer<dev.varve.codec.Transaction> work) {
    // A trial brings into memory, and keeps there, whatever the work will read.
    work.accept(
        new dev.varve.codec.Transaction(
            new WorkerStore(engine),
            view,
            keyspace.databases(),
            keyspace.packedLimits(),
            nowMillis,
            new FrozenRandom(1),
            false));
    engine.useBrought(view);
    try {
      keyspace.run(nowMillis, work);
    } finally {
      engine.useBrought(null);
    }
  }

  /** Asserts that metas, members, expiry keys, garbage records and counters agree. */
  public void checkConsistent() {
    Databases databases;
    try (StoreView view = engine.blockingView()) {
      databases = Databases.load(view, DATABASES);
    }
    KeyspaceCheck.assertConsistent(new WorkerStore(engine), databases);
  }

  /** How much has happened below: tables at each level, compactions and so on. */
  public String statistics() {
    return engine.statistics().toString();
  }

  /** The number of a figure of {@link Engine#statistics}. */
  public long statistic(String name) {
    @Nullable String figure = engine.statistics().get(name);
    return figure == null ? 0 : Long.parseLong(figure);
  }

  /** Stops; nothing outside the heap may be left. */
  @Override
  public void close() throws IOException {
    engine.close();
    for (OffHeap.Part part : OffHeap.Part.values()) {
      if (offHeap.heldBytes(part) != 0) {
        throw new AssertionError(offHeap.heldBytes(part) + " bytes left of " + part);
      }
    }
  }

  /** The machine is down: gives back memory, whatever the directory says. */
  public void abandon() {
    try {
      engine.close();
    } catch (IOException | RuntimeException | dev.varve.wal.SimulatedCrash expected) {
      // Nothing can be written any more; that is the point.
      return;
    }
  }
}
