package dev.varve.server.net.commit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.PackedLimits;
import dev.varve.server.command.run.Keyspace;
import dev.varve.server.engine.InMemoryEngine;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;

class GroupCommitTest {
  private final InMemoryEngine engine = new InMemoryEngine();
  private final Queue<Runnable> loop = new ArrayDeque<>();
  private final Queue<Runnable> afterSockets = new ArrayDeque<>();
  private final List<Later> later = new ArrayList<>();
  private final Queue<Runnable> worker = new ArrayDeque<>();
  private GroupCommit.Policy policy = GroupCommit.Policy.ALWAYS;
  private long nanos = 1;
  private boolean isLoopFull;

  private final GroupCommit commit = commit(true);

  private GroupCommit commit(boolean isOnlyLoop) {
    return new GroupCommit(
        new Keyspace(engine, 16, PackedLimits.DEFAULT, 1),
        this::onLoop,
        afterSockets::add,
        (task, after) -> later.add(new Later(nanos + after, task)),
        worker::add,
        () -> policy,
        () -> nanos,
        isOnlyLoop);
  }

  /** What runs with the first look at the sockets from then on. */
  private record Later(long dueNanos, Runnable task) {}

  /** A connection whose reply waits for a commit. */
  private class Client implements GroupCommit.Waiter {
    long ticket;
    boolean isAnswered;
    boolean isClosed;

    /** Writes, and has its reply made, in the pass that runs. */
    Client writes() {
      commit.wrote();
      ticket = commit.ticket();
      assertNotEquals(0, ticket, "a reply must wait for its commit");
      isAnswered = false;
      commit.add(this);
      return this;
    }

    @Override
    public boolean released(long its) {
      isAnswered |= its >= ticket;
      return isAnswered;
    }

    @Override
    public void failed() {
      isClosed = true;
    }
  }

  private void onLoop(Runnable task) {
    if (isLoopFull) {
      throw new OutOfMemoryError("as a test wants it");
    }
    loop.add(task);
  }

  private static void run(Queue<Runnable> tasks) {
    List<Runnable> now = new ArrayList<>(tasks);
    tasks.clear();
    now.forEach(Runnable::run);
  }

  private void passEnds() {
    run(loop);
  }

  private void looksAtSockets() {
    run(afterSockets);
    List<Later> due = later.stream().filter(each -> each.dueNanos <= nanos).toList();
    later.removeAll(due);
    due.forEach(each -> each.task.run());
  }

  private void syncEnds() {
    run(worker);
    run(loop);
  }

  /** Replies have left, and nobody came for so long that nobody is waited for. */
  private void nobodyComes() {
    looksAtSockets();
    nanos += SyncGroup.QUIET_NANOS;
    looksAtSockets();
  }

  /** From here on a sync waits for as many. */
  private List<Client> metBySync(int clients) {
    List<Client> met = new ArrayList<>();
    for (int i = 0; i < clients; i++) {
      met.add(new Client().writes());
    }
    passEnds();
    syncEnds();
    met.forEach(client -> assertTrue(client.isAnswered));
    engine.commits.set(0);
    engine.syncs.set(0);
    return met;
  }

  @Test
  void everySecondEachPassIsOneLogWriteAndItsRepliesLeave() {
    policy = GroupCommit.Policy.EVERYSEC;
    Client one = new Client().writes();
    Client other = new Client().writes();
    assertFalse(one.isAnswered);
    passEnds();
    assertTrue(one.isAnswered && other.isAnswered);
    assertEquals(1, engine.commits.get());
    assertEquals(0, commit.ticket());
    one.writes();
    passEnds();
    assertEquals(2, engine.commits.get());
    assertTrue(worker.isEmpty());
  }

  @Test
  void onlyWhatIsShownAtOnceAndToNoOtherLoopHasReadersWait() {
    List<Client> clients = metBySync(2);
    assertFalse(engine.isPublishedNext(), "a sync comes first");
    clients.get(0).writes();
    passEnds();
    policy = GroupCommit.Policy.EVERYSEC;
    clients.get(1).writes();
    passEnds();
    assertFalse(engine.isPublishedNext(), "the sync of those before comes first");
    nobodyComes();
    syncEnds();
    clients.get(0).writes();
    passEnds();
    assertTrue(engine.isPublishedNext());
    commit(false).wrote();
    passEnds();
    assertFalse(engine.isPublishedNext(), "other loops read");
  }

  @Test
  void thoseWhoComeBackTogetherShareASync() {
    List<Client> clients = metBySync(3);
    for (Client client : clients) {
      assertTrue(worker.isEmpty(), "others are waited for");
      client.writes();
      passEnds();
      looksAtSockets();
    }
    assertEquals(
        2, engine.commits.get(), "the first one's pass, and all others right before the sync");
    clients.forEach(client -> assertFalse(client.isAnswered, "before the sync"));
    syncEnds();
    clients.forEach(client -> assertTrue(client.isAnswered));
    assertEquals(1, engine.syncs.get());
    assertEquals(0, commit.ticket());
  }

  @Test
  void aSyncBeginsOnceNobodyElseComes() {
    List<Client> clients = metBySync(3);
    clients.get(0).writes();
    passEnds();
    looksAtSockets();
    assertTrue(worker.isEmpty());
    assertNotEquals(0, commit.ticket(), "what waits for a sync is not done");
    nanos += SyncGroup.QUIET_NANOS;
    looksAtSockets();
    assertEquals(1, worker.size());
    syncEnds();
    assertTrue(clients.get(0).isAnswered);
  }

  @Test
  void whatIsWrittenDuringASyncWaitsForTheNext() {
    List<Client> clients = metBySync(1);
    Client first = clients.get(0).writes();
    passEnds();
    assertEquals(1, worker.size());
    Client second = new Client().writes();
    passEnds();
    assertEquals(1, engine.commits.get(), "it will be written with others");
    syncEnds();
    assertTrue(first.isAnswered);
    assertFalse(second.isAnswered);
    nobodyComes();
    assertEquals(2, engine.commits.get());
    syncEnds();
    assertTrue(second.isAnswered);
    assertEquals(2, engine.syncs.get());
  }

  @Test
  void whoWaitsForASyncIsClosedWhenTheLogCannotBeWritten() {
    List<Client> clients = metBySync(3);
    clients.get(0).writes();
    passEnds();
    engine.commitFails(true);
    clients.get(1).writes();
    clients.get(2).writes();
    passEnds();
    looksAtSockets();
    clients.forEach(client -> assertTrue(client.isClosed && !client.isAnswered));
    assertEquals(0, commit.ticket());
    engine.commitFails(false);
    Client next = new Client().writes();
    passEnds();
    syncEnds();
    nobodyComes();
    syncEnds();
    assertTrue(next.isAnswered);
  }

  @Test
  void aPolicyThatChangesMeanwhileLosesNobody() {
    List<Client> clients = metBySync(3);
    Client gathered = clients.get(0).writes();
    passEnds();
    policy = GroupCommit.Policy.EVERYSEC;
    Client next = clients.get(1).writes();
    passEnds();
    nobodyComes();
    syncEnds();
    assertTrue(gathered.isAnswered && next.isAnswered);
    next.writes();
    passEnds();
    assertTrue(next.isAnswered);
  }

  @Test
  void afterPublicationIsAfterTheSyncOfAllThatIsWritten() {
    List<Client> clients = metBySync(2);
    clients.get(0).writes();
    passEnds();
    List<String> done = new ArrayList<>();
    commit.afterPublication(() -> done.add("published"));
    looksAtSockets();
    assertTrue(done.isEmpty());
    clients.get(1).writes();
    passEnds();
    looksAtSockets();
    assertTrue(done.isEmpty());
    syncEnds();
    assertEquals(List.of("published"), done);
  }

  @Test
  void whoRanInThePassInWhichASyncBeginsIsInIt() {
    List<Client> clients = metBySync(3);
    clients.get(0).writes();
    passEnds();
    clients.get(1).writes();
    clients.get(2).writes();
    passEnds();
    assertEquals(1, worker.size(), "all are there");
    syncEnds();
    clients.forEach(client -> assertTrue(client.isAnswered));
    assertEquals(1, engine.syncs.get());
  }

  @Test
  void whoIsAnsweredHasTimeToComeBack() {
    List<Client> clients = metBySync(2);
    clients.get(0).writes();
    clients.get(1).writes();
    passEnds();
    Client other = new Client().writes();
    syncEnds();
    // Sending the replies takes longer than anybody is waited for.
    nanos += SyncGroup.QUIET_NANOS;
    looksAtSockets();
    assertTrue(worker.isEmpty());
    clients.get(0).writes();
    clients.get(1).writes();
    passEnds();
    assertEquals(1, worker.size());
    syncEnds();
    assertTrue(other.isAnswered && clients.get(0).isAnswered && clients.get(1).isAnswered);
  }

  @Test
  void whatWasWrittenDuringASyncThatFailsIsCommitted() {
    List<Client> clients = metBySync(1);
    clients.get(0).writes();
    passEnds();
    engine.beforeSync(
        () -> {
          throw new IllegalStateException("the disk is gone");
        });
    Client during = new Client().writes();
    syncEnds();
    engine.beforeSync(() -> {});
    assertTrue(clients.get(0).isClosed && during.isClosed, "what becomes of either is not known");
    passEnds();
    assertEquals(2, engine.commits.get(), "what was applied is not left behind");
    Client next = new Client().writes();
    nobodyComes();
    syncEnds();
    assertTrue(next.isAnswered);
    assertEquals(0, commit.ticket());
  }

  @Test
  void whoeverJoinsAGroupSetsNoTimerWhereOneIsSet() {
    List<Client> clients = metBySync(5);
    for (int i = 0; i < 3; i++) {
      clients.get(i).writes();
      passEnds();
    }
    assertEquals(1, later.size());
  }

  @Test
  void aTimerThatFindsThatOthersJoinedIsSetAnewForTheLastOfThem() {
    List<Client> clients = metBySync(5);
    clients.get(0).writes();
    passEnds();
    assertEquals(nanos + SyncGroup.QUIET_NANOS, later.get(0).dueNanos);
    nanos += 30_000;
    clients.get(1).writes();
    passEnds();
    long lastNanos = nanos;
    nanos += SyncGroup.QUIET_NANOS - 30_000;
    looksAtSockets();
    assertTrue(worker.isEmpty(), "the last one came less than a moment ago");
    assertEquals(1, later.size());
    assertEquals(lastNanos + SyncGroup.QUIET_NANOS, later.get(0).dueNanos);
    nanos = later.get(0).dueNanos - 1;
    looksAtSockets();
    assertTrue(worker.isEmpty());
    nanos++;
    looksAtSockets();
    assertEquals(1, worker.size());
  }

  @Test
  void afterPublicationIsNotPutOffByWhatIsWrittenLater() {
    List<Client> clients = metBySync(1);
    clients.get(0).writes();
    List<String> done = new ArrayList<>();
    commit.afterPublication(() -> done.add("published"));
    passEnds();
    new Client().writes();
    commit.afterPublication(() -> done.add("published later"));
    syncEnds();
    assertEquals(List.of("published"), done, "others write all the time");
    nobodyComes();
    syncEnds();
    assertEquals(List.of("published", "published later"), done);
  }

  @Test
  void whoWaitsForACommitThatMemoryRanOutInIsClosed() {
    policy = GroupCommit.Policy.EVERYSEC;
    engine.beforeCommit(
        () -> {
          throw new OutOfMemoryError("as a test wants it");
        });
    Client client = new Client().writes();
    passEnds();
    assertTrue(client.isClosed && !client.isAnswered);
    engine.beforeCommit(() -> {});
    Client next = new Client().writes();
    passEnds();
    assertTrue(next.isAnswered);
  }

  @Test
  void whoseRepliesCannotBeSentKeepsNobodyElseFromHis() {
    policy = GroupCommit.Policy.EVERYSEC;
    Client failing =
        new Client() {
          @Override
          public boolean released(long its) {
            throw new OutOfMemoryError("as a test wants it");
          }
        }.writes();
    Client other = new Client().writes();
    passEnds();
    assertTrue(failing.isClosed);
    assertTrue(other.isAnswered);
  }

  @Test
  void aCommitThatCouldNotBeAskedForIsAskedForByTheNext() {
    policy = GroupCommit.Policy.EVERYSEC;
    isLoopFull = true;
    assertThrows(OutOfMemoryError.class, commit::wrote);
    isLoopFull = false;
    Client client = new Client().writes();
    passEnds();
    assertTrue(client.isAnswered);
  }

  @Test
  void aSyncOfEverySecondThatMemoryRanOutInIsMadeUpFor() {
    policy = GroupCommit.Policy.EVERYSEC;
    new Client().writes();
    passEnds();
    engine.beforeSync(
        () -> {
          throw new OutOfMemoryError("as a test wants it");
        });
    nanos += UnsyncedCommits.LATE_NANOS;
    commit.syncIfNeeded();
    assertTrue(commit.isSyncLate());
    engine.beforeSync(() -> {});
    commit.syncIfNeeded();
    assertEquals(1, engine.syncs.get());
    assertFalse(commit.isSyncLate());
  }

  @Test
  void aSyncOfEverySecondIsLateOnceItsOldestWriteIsTooOld() {
    policy = GroupCommit.Policy.EVERYSEC;
    assertFalse(commit.isSyncLate());
    new Client().writes();
    passEnds();
    nanos += UnsyncedCommits.LATE_NANOS - 1;
    new Client().writes();
    passEnds();
    assertFalse(commit.isSyncLate());
    nanos++;
    assertTrue(commit.isSyncLate());
    commit.syncIfNeeded();
    assertFalse(commit.isSyncLate());
    nanos += UnsyncedCommits.LATE_NANOS;
    assertFalse(commit.isSyncLate(), "nothing is to be synced");
  }

  @Test
  void whatASyncIsForIsTooOldWhileItLasts() {
    policy = GroupCommit.Policy.EVERYSEC;
    new Client().writes();
    passEnds();
    List<Boolean> during = new ArrayList<>();
    engine.beforeSync(
        () -> {
          during.add(commit.isSyncLate());
          nanos += UnsyncedCommits.LATE_NANOS;
          during.add(commit.isSyncLate());
          during.add(commit.isSyncing());
        });
    commit.syncIfNeeded();
    assertEquals(List.of(false, true, true), during);
    assertFalse(commit.isSyncLate() || commit.isSyncing());
    assertEquals(1, commit.delays());
  }

  @Test
  void whatIsWrittenDuringASyncIsNoOlderThanThat() {
    policy = GroupCommit.Policy.EVERYSEC;
    new Client().writes();
    passEnds();
    engine.beforeSync(
        () -> {
          nanos += UnsyncedCommits.LATE_NANOS - 1;
          new Client().writes();
          passEnds();
        });
    commit.syncIfNeeded();
    nanos += UnsyncedCommits.LATE_NANOS - 1;
    assertFalse(commit.isSyncLate());
    nanos++;
    assertTrue(commit.isSyncLate());
  }

  @Test
  void noSyncIsLateWhereNoneIsPromisedOrEachWriteWaits() {
    for (GroupCommit.Policy other :
        List.of(GroupCommit.Policy.NO, GroupCommit.Policy.ALWAYS, GroupCommit.Policy.EVERYSEC)) {
      policy = GroupCommit.Policy.NO;
      new Client().writes();
      passEnds();
      nanos += UnsyncedCommits.LATE_NANOS;
      policy = other;
      assertEquals(other == GroupCommit.Policy.EVERYSEC, commit.isSyncLate());
    }
  }
}
