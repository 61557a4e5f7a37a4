package dev.varve.server.net.lead;

import dev.varve.codec.Databases;
import dev.varve.server.command.Replica;
import dev.varve.server.command.Session;
import dev.varve.server.command.lead.Backlog;
import dev.varve.server.command.lead.Leading;
import dev.varve.server.command.lead.ReplicationStream;
import dev.varve.server.command.run.Keyspace;
import dev.varve.server.config.ReplicationParameters;
import dev.varve.server.config.Settings;
import dev.varve.server.net.commit.GroupCommit;
import dev.varve.server.net.loop.Timers;
import dev.varve.server.resp.ReplySink;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets others follow this server: takes those who come, sees to it that each is sent what it needs,
 * and lets them go.
 *
 * <p>Keyspace loop, but for what says otherwise.
 */
public final class Leader implements Leading.Leader {
  private static final Logger LOG = LoggerFactory.getLogger(Leader.class);

  private static final int STOP_SECONDS_MAX = 60;

  private final Settings settings;
  private final Keyspace keyspace;
  private final Leading leading;
  private final ReplicationStream stream;
  private final GroupCommit commit;
  private final Executor loop;
  private final LongSupplier clock;
  private final Publication publication;
  private final Lag lag;
  private final Absentees absentees;
  private final Handover handover;
  private final FinalSync finalSync;
  private final ExecutorService threads;
  private final List<ReplicaFeed> feeds = new ArrayList<>();
  private long aloneNanos = System.nanoTime();
  private long pingedNanos;

  private volatile boolean isStopped;

  /**
   * @param loop runs a task on the keyspace loop
   * @param clock ms since 1970
   */
  public Leader(
      Settings settings,
      Keyspace keyspace,
      GroupCommit commit,
      Executor loop,
      Timers timers,
      LongSupplier clock) {
    this.settings = settings;
    this.keyspace = keyspace;
    this.leading = keyspace.leading();
    this.stream = leading.stream();
    this.commit = commit;
    this.loop = loop;
    this.clock = clock;
    this.handover = new Handover(keyspace, loop, timers, clock);
    this.finalSync = new FinalSync(settings, keyspace, this::isFollowed, loop, timers, clock);
    AtomicInteger number = new AtomicInteger();
    this.threads =
        Executors.newCachedThreadPool(
            task -> {
              Thread thread = new Thread(task, "varve-replica-" + number.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
    this.lag = new Lag(settings, keyspace.engine(), leading, feeds, threads, () -> isStopped);
    this.absentees =
        new Absentees(settings, keyspace.engine(), stream, lag::heldBytes, () -> isStopped);
    this.publication = new Publication(keyspace, commit, this::reached, this::wake);
    absentees.tick();
    leading.leader(this);
    leading.ending(finalSync);
  }

  // Who follows ----------------------------------------------------------------------------------

  @Override
  public void told() {
    publication.told();
  }

  @Override
  public void heard() {
    handover.heard();
  }

  @Override
  public void asked() {
    // Else a client that waits for replicas would have all others wait for the disk.
    commit.wroteAside();
  }

  @Override
  public void takenOver(@Nullable String formerMaster) {
    absentees.expect(formerMaster);
  }

  /** What was told and changed nothing counts too, for who goes on with the next process. */
  private void storePositionSoon() {
    if (leading.storedPosition().isBehind()) {
      commit.wrote();
    }
  }

  @Override
  public void join(Session session, @Nullable String history, long offset) {
    if (isStopped) {
      session.connection().close();
      return;
    }
    if (!stream.isOn() && keyspace.following().isOn()) {
      // What the master sends can be handed on from a new connection to it on.
      session.connection().close();
      return;
    }
    if (!stream.isOn()) {
      stream.begin();
      publication.watch(stream.backlog());
      pingedNanos = System.nanoTime();
    }
    session.asReplica().phase(Replica.Phase.AWAITED);
    leading.add(session);
    Backlog.Reader reader = history == null ? null : stream.goesOn(history, offset);
    leading.count(history != null && !history.isEmpty(), reader != null);
    if (reader != null) {
      LOG.info("replica {} goes on from offset {}", session.address(), offset);
      begin(session, reader, "+CONTINUE " + stream.history() + "\r\n", null);
    } else {
      stream.willBegin();
      commit.afterPublication(() -> beginWithAll(session, history != null));
    }
  }

  /** Readers see all that was written when it came; what they see is what the stream tells of. */
  private void beginWithAll(Session session, boolean isGreeted) {
    publication.publish();
    stream.hasBegun();
    Backlog backlog = stream.backlog();
    Databases databases = keyspace.publishedDatabases();
    // What a commit could not take is there all the same, and becomes visible with a later one: no
    // stream tells of it, and what is sent does not have it. The replica comes again.
    boolean isInDoubt = !keyspace.engine().showsUnpublished();
    if (backlog == null || databases == null || isStopped || isInDoubt) {
      leading.remove(session);
      session.connection().close();
      return;
    }
    long offset = backlog.published();
    String greeting = isGreeted ? "+FULLRESYNC " + stream.history() + " " + offset + "\r\n" : "";
    DumpView snapshot =
        new DumpView(keyspace, databases, stream.publishedDatabase(), clock.getAsLong());
    try {
      begin(session, backlog.reader(offset), greeting, snapshot);
    } catch (RuntimeException | OutOfMemoryError failure) {
      snapshot.close();
      throw failure;
    }
  }

  private void begin(
      Session session, Backlog.Reader reader, String greeting, @Nullable DumpView snapshot) {
    String history = stream.history();
    ReplySink sink =
        session
            .connection()
            .feed(TimeUnit.SECONDS.toMillis(settings.number(ReplicationParameters.TIMEOUT)));
    Backlog.Mark mark = stream.retention().hold(reader);
    ReplicaFeed[] feed = new ReplicaFeed[1];
    feed[0] =
        new ReplicaFeed(
            session,
            sink,
            reader,
            mark,
            greeting,
            snapshot,
            () -> !isStopped && history.equals(stream.history()),
            () -> loop.execute(() -> left(feed[0])));
    feeds.add(feed[0]);
    absentees.joined(feed[0]);
    try {
      threads.execute(feed[0]);
    } catch (RuntimeException | OutOfMemoryError failure) {
      left(feed[0]);
      session.connection().close();
      throw failure;
    }
  }

  private void reached(Backlog backlog, long end) {
    absentees.grow(backlog, end);
    lag.grow(backlog);
  }

  /** What can be read has come to an end for now. */
  private void wake() {
    feeds.forEach(ReplicaFeed::wake);
    if (!isToEnd()) {
      lag.askHowFar();
    }
  }

  /** All are to have the same in the end: nothing comes behind that. */
  private boolean isToEnd() {
    return finalSync.isOn() || leading.failover().isOn();
  }

  private void left(ReplicaFeed feed) {
    feeds.remove(feed);
    absentees.left(feed);
    leading.remove(feed.session());
    aloneNanos = System.nanoTime();
  }

  /** Called once a second. */
  public void tick() {
    publication.tick();
    absentees.tick();
    lag.tick();
    if (!stream.isOn() || isToEnd()) {
      return;
    }
    long nowNanos = System.nanoTime();
    if (!stream.isTold()) {
      // Who follows another server may be the next that is followed.
      aloneNanos = nowNanos;
    }
    if (feeds.isEmpty()) {
      endIfLongAlone(nowNanos);
    } else {
      closeSilent();
      pingIfDue(nowNanos);
    }
    storePositionSoon();
  }

  private void endIfLongAlone(long nowNanos) {
    long seconds = settings.number(ReplicationParameters.BACKLOG_TTL);
    boolean isAwaited = !leading.replicas().isEmpty();
    if (seconds > 0 && !isAwaited && nowNanos - aloneNanos > TimeUnit.SECONDS.toNanos(seconds)) {
      LOG.info("nobody has followed for {} s: what was kept for that is let go", seconds);
      stream.end();
    }
  }

  private void pingIfDue(long nowNanos) {
    long seconds = settings.number(ReplicationParameters.PING_PERIOD);
    if (nowNanos - pingedNanos >= TimeUnit.SECONDS.toNanos(seconds)) {
      pingedNanos = nowNanos;
      stream.tell("PING");
    }
  }

  private void closeSilent() {
    long seconds = settings.number(ReplicationParameters.TIMEOUT);
    long sinceMillis = clock.getAsLong() - TimeUnit.SECONDS.toMillis(seconds);
    for (ReplicaFeed feed : feeds) {
      Session session = feed.session();
      boolean isHeardOf =
          feed.saysHowFarItIs() && session.asReplica().phase() != Replica.Phase.DUMPED;
      if (isHeardOf && session.lastUsedMillis() < sinceMillis) {
        feed.close("it was silent for " + seconds + " s");
      }
    }
  }

  // The end --------------------------------------------------------------------------------------

  /**
   * Waits until those who follow have all that was written, as long as {@link FinalSync} does. A
   * thread that may wait.
   */
  public void awaitFollowed() throws IOException {
    CompletableFuture<Boolean> end = new CompletableFuture<>();
    loop.execute(() -> finalSync.beginForGood(() -> end.complete(true)));
    try {
      end.get();
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", stopped);
    } catch (ExecutionException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private boolean isFollowed(long offset) {
    for (ReplicaFeed feed : feeds) {
      Replica its = feed.session().asReplica();
      // What it says of itself and the question may have crossed: the next process goes on behind
      // that, and so has who follows it.
      boolean lacks = its.acknowledged() < offset || its.sent() < stream.written();
      if (its.phase() == Replica.Phase.ONLINE && lacks && feed.saysHowFarItIs()) {
        return false;
      }
    }
    return true;
  }

  /**
   * Stores which history the data here is of, and how far, for the next process. After all else has
   * been written; by who closes the engine then.
   */
  public void storePosition() {
    if (keyspace.longRun().isRunning()) {
      // What a worker has written may be there, and what was told does not have it. A master's
      // position was written with that.
      return;
    }
    leading.storedPosition().storeAtEnd(keyspace.engine().store());
  }

  /** Nobody is sent anything any more. Any thread. */
  public void stop() {
    isStopped = true;
    loop.execute(
        () -> {
          feeds.forEach(feed -> feed.close("the server stops"));
          absentees.tick();
        });
    threads.shutdown();
  }

  /** Waits until none of them reads any more; false if some does. */
  public boolean awaitStopped() {
    try {
      return threads.awaitTermination(STOP_SECONDS_MAX, TimeUnit.SECONDS);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
